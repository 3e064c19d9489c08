"""How two runs compare whose blocks are no pairs, because they ran at different times.

Welch's interval on logarithms, as that of pairs is Student's (docs/decisions/0008): each side has
its own noise, and few blocks make a wide interval. A bootstrap of so few blocks errs too often;
docs/search-and-stress.md has the figures.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy
import scipy

from serverlab.stats.order import CONFIDENCE
from serverlab.stats.paired import Ratio

if TYPE_CHECKING:
    from collections.abc import Sequence

BLOCKS_MIN = 2  # of each side: one block shows no noise


def unpaired_ratio(a: Sequence[float], b: Sequence[float]) -> Ratio:
    """Geometric mean of `a` over that of `b`, with its interval.

    Raises ValueError if a side has no value, or one that is not positive. With a single block
    on a side all is possible.
    """
    if min(len(a), len(b)) == 0 or min(*a, *b) <= 0:
        raise ValueError("a ratio needs positive values on both sides")
    over, under = (numpy.log(numpy.asarray(values, dtype=float)) for values in (a, b))
    middle = float(over.mean() - under.mean())
    pairs = min(len(a), len(b))
    if pairs < BLOCKS_MIN:
        return Ratio(estimate=math.exp(middle), low=0, high=math.inf, pairs=pairs)
    errors = [float(side.var(ddof=1)) / len(side) for side in (over, under)]
    reach = 0.0
    if sum(errors) > 0:
        # Welch and Satterthwaite's degrees of freedom.
        degrees = sum(errors) ** 2 / sum(
            error**2 / (len(side) - 1) for error, side in zip(errors, (over, under), strict=True)
        )
        reach = float(scipy.special.stdtrit(degrees, (1 + CONFIDENCE) / 2)) * math.sqrt(sum(errors))
    return Ratio(
        estimate=math.exp(middle),
        low=math.exp(middle - reach),
        high=math.exp(middle + reach),
        pairs=pairs,
    )
