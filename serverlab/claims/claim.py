"""What a claim is: what a report says, how that is tested, and what else could explain it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from serverlab.claims.evidence import Evidence, Side
    from serverlab.claims.excerpt import Excerpt
    from serverlab.claims.finding import Finding


class Predicate(Protocol):
    """A question that a run answers, or arithmetic on published figures."""

    @property
    def sides(self) -> Sequence[Side]:
        """The figures that it reads."""

    @property
    def ratios(self) -> int:
        """How many ratios of a run's figures it asks for."""

    def judge(self, evidence: Evidence | None) -> Finding:
        """Answer it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Test:
    """One thing that is tried."""

    asks: str  # the question, as a sentence
    predicate: Predicate
    excerpt: Excerpt | None = None  # None: arithmetic on published figures
    server_cpus: int = 1  # CPUs that the server needs to itself


@dataclass(frozen=True, slots=True, kw_only=True)
class Rival:
    """Another explanation of the same figures, with a test of its own."""

    explanation: str
    test: Test


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One statement of a report."""

    id: str  # the letter of its report and a number
    says: str  # in our words
    published: tuple[tuple[str, str], ...]  # what of, and the figure; empty if there is none
    tests: tuple[Test, ...]  # all of them have to be passed; none: it cannot be tested
    cause: str  # what makes the figures what they are
    rival: Rival | None = None
    cannot: str = ""  # why no machine of this kind can test it

    @property
    def all_tests(self) -> Iterator[Test]:
        """Its own tests, and that of the rival explanation."""
        yield from self.tests
        if self.rival is not None:
            yield self.rival.test


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A report, and its claims in their order."""

    letter: str
    name: str
    about: str  # who compared what, in a sentence or two
    claims: tuple[Claim, ...] = field(default=())
