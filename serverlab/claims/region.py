"""Where a ratio lies if a claim is true; the border is the smallest effect that matters.

An answer needs the whole interval on one side of the border, so that an interval across it decides
nothing, and a tie within the border is no difference.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.claims.answer import Answer
from serverlab.notation import ratio_text

if TYPE_CHECKING:
    from serverlab.stats.paired import Ratio


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """Ratios from `low` to `high`; or, turned round, all others."""

    low: float = 0
    high: float = math.inf
    is_outside: bool = False

    def answer(self, ratio: Ratio) -> Answer:
        """Yes if the interval lies in the region, no if no part of it does."""
        is_within = self.low <= ratio.low and ratio.high <= self.high
        is_apart = ratio.high < self.low or ratio.low > self.high
        if is_within == is_apart:
            return Answer.UNDECIDED
        return Answer.YES if is_within != self.is_outside else Answer.NO

    def margin(self, estimate: float) -> float:
        """How far an estimate is from the nearest border, as the logarithm of a factor."""
        borders = [end for end in (self.low, self.high) if 0 < end < math.inf]
        if estimate <= 0:
            return math.inf
        return min(abs(math.log(estimate / border)) for border in borders)

    @property
    def words(self) -> str:
        """What the claim needs: "more than 1.02"."""
        if math.isinf(self.high):
            return f"at least {ratio_text(self.low)}"
        if self.low == 0:
            return f"at most {ratio_text(self.high)}"
        ends = f"{ratio_text(self.low)} to {ratio_text(self.high)}"
        return f"a ratio outside of {ends}" if self.is_outside else ends


def above(least: float) -> Region:
    """At least so much."""
    return Region(low=least)


def below(most: float) -> Region:
    """At most so much."""
    return Region(high=most)


def within(factor: float) -> Region:
    """No more than this factor away from 1, up or down: no effect that matters."""
    return Region(low=1 / factor, high=factor)


def beyond(factor: float) -> Region:
    """An effect that matters, in either direction."""
    return Region(low=1 / factor, high=factor, is_outside=True)
