"""A share of cases, and how surely it is known: Clopper's and Pearson's interval."""

from __future__ import annotations

import scipy

from serverlab.stats.order import CONFIDENCE


def share_interval(cases: int, count: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Between which shares the true one lies if so many of `count` independent trials were cases.

    It is exact, which makes it surer than it says.
    """
    tail = (1 - confidence) / 2
    quantile = scipy.special.betaincinv  # of the beta distribution
    low = float(quantile(cases, count - cases + 1, tail)) if cases > 0 else 0.0
    high = float(quantile(cases + 1, count - cases, 1 - tail)) if cases < count else 1.0
    return low, high
