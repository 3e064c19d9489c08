"""What a claim is: a report's sentence, what is tested of it, and what would turn the verdict."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from serverlab.claims.needs import ONE_CPU

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from serverlab.claims.evidence import Evidence, Side
    from serverlab.claims.excerpt import Excerpt
    from serverlab.claims.figure import Figure
    from serverlab.claims.finding import Finding
    from serverlab.claims.law import Law
    from serverlab.claims.ledger import LedgerOf
    from serverlab.claims.needs import Needs, Place
    from serverlab.claims.region import Region


class Predicate(Protocol):
    """A question that a run answers, or arithmetic on published figures."""

    @property
    def sides(self) -> Sequence[Side]:
        """The figures that it reads."""

    @property
    def ratios(self) -> int:
        """How many ratios of a run's figures it asks for."""

    @property
    def regions(self) -> Sequence[Region]:
        """Where its ratios have to lie for a yes."""

    def judge(self, evidence: Evidence) -> Finding:
        """Answer it."""


class Origin(enum.StrEnum):
    """Where a claim is from; what is not from the text is counted apart."""

    TEXT = "text"  # the report says so
    CODE = "code"  # its program does so, and the text leaves it out
    DERIVED = "derived"  # it follows from its tables, by us


@dataclass(frozen=True, slots=True, kw_only=True)
class Test:
    """A question to a run."""

    asks: str  # as a sentence
    predicate: Predicate
    excerpt: Excerpt
    needs: Needs = ONE_CPU
    region: str = ""  # why the border lies where it does

    def lacking(self, place: Place) -> str:
        """Why it cannot be asked in a place, in words; empty if it can."""
        return self.needs.lacking(place) or self.excerpt.lacking(place)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """Tests under the same conditions: all of them have to be answered by yes."""

    conditions: str  # what is kept of the report's, what the machine has forced to be smaller
    tests: tuple[Test, ...] = ()
    cannot: str = ""  # why there are no tests, and what would test it


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """Why it is so, by the report; and another suspect, which an arm does without."""

    named: str  # the report's, or said to be ours
    suspect: str
    arm: Arm


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One statement of a report."""

    id: str  # the letter of its report and a number
    section: str  # of the report
    says: str  # a quotation, or close to the words
    origin: Origin = Origin.TEXT
    published: tuple[tuple[str, str], ...] = ()  # what of, and the figure; empty if there is none
    figures: tuple[Figure, ...] = ()
    observation: Arm | None = None  # as published
    cause: Cause | None = None  # without the suspect
    arithmetic: Law | None = None  # on what is published, which needs no run
    explanation: str  # what makes the figures what they are
    reversal: str = ""  # what would change the verdict
    objection: str = ""  # the strongest that its author could make, and what is to be said to it
    ledger: LedgerOf | None = None  # of what the report guessed a cause for

    @property
    def arms(self) -> Iterator[Arm]:
        """Those that it has."""
        if self.observation is not None:
            yield self.observation
        if self.cause is not None:
            yield self.cause.arm

    @property
    def tests(self) -> Iterator[Test]:
        """Those of both arms."""
        for arm in self.arms:
            yield from arm.tests


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A report, and its claims in their order."""

    letter: str
    name: str
    about: str  # who compared what, in a sentence or two
    claims: tuple[Claim, ...] = field(default=())
