"""From runs to verdicts: each claim with what its tests have found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.claims.finding import Finding
from serverlab.claims.verdict import Verdict, together
from serverlab.report.sentences import capitalised

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from serverlab.claims.claim import Claim, Test
    from serverlab.claims.evidence import Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Tested:
    """A test, and what it has found."""

    test: Test
    finding: Finding


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A claim, and what has become of it."""

    claim: Claim
    tests: tuple[Tested, ...]
    rival: Tested | None

    @property
    def verdict(self) -> Verdict:
        """That of its tests together; what has none cannot be tested."""
        if not self.tests:
            return Verdict.NOT_TESTABLE
        return together(tested.finding.verdict for tested in self.tests)

    @property
    def sentence(self) -> str:
        """What decides the verdict."""
        if not self.tests:
            return f"{capitalised(self.claim.cannot)}."
        return next(
            tested.finding.sentence
            for tested in self.tests
            if tested.finding.verdict is self.verdict
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """What there is to judge by."""

    runs: Mapping[str, Evidence]  # by the name of the excerpt
    left_out: frozenset[str]  # excerpts that the budget did not allow
    server_cpus: int


def outcomes(claims: Sequence[Claim], given: Circumstances) -> list[Outcome]:
    """Judge claims by the runs that there are."""
    return [
        Outcome(
            claim=claim,
            tests=together_tested(claim.tests, given),
            rival=together_tested([claim.rival.test], given)[0] if claim.rival else None,
        )
        for claim in claims
    ]


def together_tested(tests: Sequence[Test], given: Circumstances) -> tuple[Tested, ...]:
    """What tests find of which each has to be passed; or why they find nothing."""
    ratios = sum(test.predicate.ratios for test in tests if test.server_cpus <= given.server_cpus)
    return tuple(Tested(test=test, finding=finding_of(test, given, ratios)) for test in tests)


def finding_of(test: Test, given: Circumstances, ratios: int) -> Finding:
    """The predicate's answer, where it can be asked; it is one of those that ask for `ratios`."""
    if test.excerpt is None:
        return test.predicate.judge(None)
    if test.server_cpus > given.server_cpus:
        return Finding(
            verdict=Verdict.NOT_TESTABLE,
            sentence=f"It needs {test.server_cpus} CPUs for the server alone, beside those of the "
            f"generator; here the server has {given.server_cpus}.",
        )
    evidence = given.runs.get(test.excerpt.name)
    if evidence is not None:
        return test.predicate.judge(evidence.among(ratios))
    why = "Budget too small" if test.excerpt.name in given.left_out else "Not run yet"
    return Finding(verdict=Verdict.UNDECIDED, sentence=f"{why}: {test.excerpt.file} was left out.")
