"""Intervals from order alone: between which two ranks a quantile of the whole lies.

Of N values so many lie below the true quantile as a binomial distribution says, whatever the
values' own distribution is. They must be independent of each other.
"""

from __future__ import annotations

import bisect
import functools

import scipy

CONFIDENCE = 0.95


@functools.cache
def rank_interval(count: int, share: float, confidence: float = CONFIDENCE) -> tuple[int, int]:
    """The ranks, from 1, of the two values that enclose the quantile; it is at least that sure.

    Rank 0 and rank `count` + 1 stand for values that are not there: nothing bounds it on that side.
    """
    tail = (1 - confidence) / 2
    places = range(count + 1)

    def at_most(below: int) -> float:
        return float(scipy.special.bdtr(below, count, share))

    low = bisect.bisect_right(places, tail, key=at_most)
    high = bisect.bisect_left(places, 1 - tail, key=at_most) + 1
    return low, min(high, count + 1)


def sign_test(below: int, above: int, equal: int) -> float:
    """How often chance alone puts values so unevenly on the two sides of their true median.

    It agrees with the interval of `rank_interval`: what is equal speaks for no difference.
    """
    count = below + above + equal
    return min(1.0, 2 * float(scipy.special.bdtr(min(below, above) + equal, count, 0.5)))
