"""Many comparisons at once: how sure each is, when so many had a chance to err.

Of a hundred pairs of equal engines five differ "at the 5 % level". Holm's step-down procedure
(A Simple Sequentially Rejective Multiple Test Procedure, 1979) keeps the chance of even one false
alarm at 5 %, however the comparisons depend on each other.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def holm(p_values: Sequence[float], weights: Sequence[float] = ()) -> list[float]:
    """Each p-value as it is when all of them are asked: to be compared with the level itself.

    `weights`: how the chance of a false alarm is shared out, evenly without them.
    """
    count = len(p_values)
    weights = weights or [1.0] * count
    order = sorted(range(count), key=lambda one: p_values[one] / weights[one])
    left = list(itertools.accumulate(weights[which] for which in order[::-1]))[::-1]
    raised = [
        total * p_values[which] / weights[which] for total, which in zip(left, order, strict=True)
    ]
    adjusted = [0.0] * count
    for which, value in zip(order, itertools.accumulate(raised, max), strict=True):
        adjusted[which] = min(1.0, value)
    return adjusted
