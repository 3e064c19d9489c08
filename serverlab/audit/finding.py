"""What an audit says of a row: a verdict, and the number that decided it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from serverlab.verdicts import VerdictName


class Judgement(StrEnum):
    """The verdicts, the gravest first: a row has the first that a check gives."""

    IMPOSSIBLE = VerdictName.IMPOSSIBLE.value  # the figures contradict each other
    GENERATOR_BOUND = "GENERATOR-BOUND"  # they say more of the generator than of the server
    UNSUSTAINED = "UNSUSTAINED"  # the rate that was asked for was not reached
    UNEXPLAINED = "UNEXPLAINED"  # they look wrong, and there may be a harmless reason
    TIED = "TIED"  # it is ranked, and within noise of a neighbour
    PLAUSIBLE = "PLAUSIBLE"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A verdict with its reason."""

    judgement: Judgement
    check: str  # that found it
    reason: str


GRAVITY = list(Judgement)


def gravest(findings: list[Finding]) -> Finding | None:
    """The one that decides; None if there is none."""
    return min(findings, key=lambda one: GRAVITY.index(one.judgement), default=None)


def plausible(reason: str) -> Finding:
    """That nothing was found, and what was checked."""
    return Finding(judgement=Judgement.PLAUSIBLE, check="", reason=reason)
