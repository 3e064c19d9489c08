"""What blocks make of one figure: its median, its extremes, and the blocks that stand apart."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# The median absolute deviation of a normal distribution is its standard deviation over 1.4826.
DEVIATION_OF_MAD = 1.4826
# In such deviations, as Iglewicz and Hoaglin advise (How to Detect and Handle Outliers, 1993).
OUTLIER_DEVIATIONS = 3.5
OUTLIER_VALUES_MIN = 5  # with fewer, two values that happen to agree make any third an outlier


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """A figure over blocks."""

    median: float
    low: float
    high: float


def spread_of(values: Sequence[float]) -> Spread:
    """Median and extremes of at least one value."""
    return Spread(median=statistics.median(values), low=min(values), high=max(values))


def outliers(values: Sequence[float]) -> list[int]:
    """The places of values far from the median. They are to be flagged, never dropped."""
    if len(values) < OUTLIER_VALUES_MIN:
        return []
    median = statistics.median(values)
    deviation = DEVIATION_OF_MAD * statistics.median(abs(value - median) for value in values)
    if deviation == 0:
        return []
    return [
        place
        for place, value in enumerate(values)
        if abs(value - median) > OUTLIER_DEVIATIONS * deviation
    ]
