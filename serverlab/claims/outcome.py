"""From runs to verdicts: each claim with what the tests of its arms have found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.claims.answer import Answer, together
from serverlab.claims.finding import Finding
from serverlab.claims.verdict import CAUSES, OBSERVATIONS, Arithmetic

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from serverlab.claims.claim import Arm, Claim, Test
    from serverlab.claims.evidence import Evidence
    from serverlab.claims.needs import Place
    from serverlab.claims.verdict import CauseVerdict, Observation


@dataclass(frozen=True, slots=True, kw_only=True)
class Tested:
    """A test, and what it has found."""

    test: Test
    finding: Finding


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmOutcome:
    """An arm, and what its tests have found."""

    arm: Arm
    tests: tuple[Tested, ...]

    @property
    def answer(self) -> Answer:
        """That of its tests together; what has none cannot be tested."""
        if not self.tests:
            return Answer.NOT_TESTABLE
        return together(tested.finding.answer for tested in self.tests)

    @property
    def sentence(self) -> str:
        """What decides."""
        if not self.tests:
            return self.arm.cannot
        return next(
            tested.finding.sentence for tested in self.tests if tested.finding.answer is self.answer
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A claim, and what has become of it."""

    claim: Claim
    observed: ArmOutcome | None
    caused: ArmOutcome | None
    reckoned: Finding | None  # by arithmetic

    @property
    def observation(self) -> Observation:
        """Whether what the report saw is seen here."""
        return OBSERVATIONS[self.observed.answer if self.observed else None]

    @property
    def cause(self) -> CauseVerdict:
        """Whether it is so because of what the report names."""
        return CAUSES[self.caused.answer if self.caused else None]

    @property
    def arithmetic(self) -> Arithmetic:
        """Whether what is published can be true."""
        if self.reckoned is None:
            return Arithmetic.NOT_ASKED
        is_true = self.reckoned.answer is Answer.YES
        return Arithmetic.CONSISTENT if is_true else Arithmetic.CONTRADICTED

    @property
    def sentence(self) -> str:
        """What decides the first of its verdicts; of those that there are, if one can be had."""
        asked = [one for one in (self.observed, self.caused, self.reckoned) if one is not None]
        testable = [one for one in asked if one.answer is not Answer.NOT_TESTABLE]
        return (testable or asked)[0].sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """What there is to judge by."""

    runs: Mapping[str, Evidence]  # by the name of the excerpt
    left_out: frozenset[str]  # excerpts that the budget did not allow
    place: Place


def outcomes(claims: Sequence[Claim], given: Circumstances) -> list[Outcome]:
    """Judge claims by the runs that there are."""
    return [
        Outcome(
            claim=claim,
            observed=arm_outcome(claim.observation, given),
            caused=arm_outcome(claim.cause.arm if claim.cause else None, given),
            reckoned=claim.arithmetic.judge() if claim.arithmetic else None,
        )
        for claim in claims
    ]


def arm_outcome(arm: Arm | None, given: Circumstances) -> ArmOutcome | None:
    """What an arm's tests find, each of which has to be passed; or why they find nothing."""
    if arm is None:
        return None
    ratios = sum(test.predicate.ratios for test in arm.tests if not test.lacking(given.place))
    return ArmOutcome(
        arm=arm,
        tests=tuple(
            Tested(test=test, finding=finding_of(test, given, ratios)) for test in arm.tests
        ),
    )


def finding_of(test: Test, given: Circumstances, ratios: int) -> Finding:
    """The predicate's answer, where it can be asked; it is one of those that ask for `ratios`."""
    if lacking := test.lacking(given.place):
        return Finding(answer=Answer.NOT_TESTABLE, sentence=lacking)
    evidence = given.runs.get(test.excerpt.name)
    if evidence is not None:
        return test.predicate.judge(evidence.among(ratios))
    why = "Budget too small" if test.excerpt.name in given.left_out else "Not run yet"
    return Finding(answer=Answer.UNDECIDED, sentence=f"{why}: {test.excerpt.file} was left out.")
