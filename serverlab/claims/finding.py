"""What is found of a claim: an answer, a sentence, and the effects that they rest on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.claims.answer import Answer

if TYPE_CHECKING:
    from serverlab.claims.region import Region
    from serverlab.stats.paired import Ratio


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """A ratio that was looked at, and what the claim asks of it."""

    label: str  # engine names in backticks
    region: Region  # where the ratio lies if the claim is true
    ratio: Ratio | None  # None if it could not be had
    jointly: Ratio | None  # with an interval so wide that those of all of a claim's ratios hold
    published: float | None  # the same ratio in the report
    figures: str  # both sides of the ratio, or why there are none

    @property
    def answer(self) -> Answer:
        """Where the interval lies: inside the region, outside of it, or across its border.

        One ratio outside answers a test by no, and of many one is outside by chance, so that the
        wider interval is asked whether it is. That all are inside by chance is less likely than
        that one is, and needs no such care.
        """
        if self.ratio is None or self.jointly is None:
            return Answer.UNDECIDED
        found = self.region.answer(self.ratio)
        return self.region.answer(self.jointly) if found is Answer.NO else found


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What one test of a claim has found."""

    answer: Answer
    sentence: str
    effects: tuple[Effect, ...] = ()
