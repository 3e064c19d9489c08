"""How two engines compare: the ratio of their medians over paired blocks, with its interval.

Trials of one block ran within minutes of each other, so that a block's slow hour slows both. Whole
blocks are resampled, never requests: requests of one trial share its luck.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Values = NDArray[numpy.float64]

CONFIDENCE = 0.95
RESAMPLES = 4000
SLICE_RESAMPLES = 400  # of each block
SEED = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """A ratio, and its interval from blocks; one block gives none, so that all is possible."""

    estimate: float
    low: float
    high: float
    pairs: int

    @property
    def is_distinguishable(self) -> bool:
        """Whether the interval excludes that there is no difference."""
        return not self.low <= 1 <= self.high

    @property
    def departure(self) -> float:
        """The farthest that the interval is from 1, as a factor: 1.05 stands for ±5 %."""
        return max(self.high, 1 / self.low if self.low > 0 else math.inf)

    @property
    def distance(self) -> float:
        """The estimate's distance from 1, as a factor: 1.25 for both 1.25 and 0.8."""
        return max(self.estimate, 1 / self.estimate)


def median_ratio(a: Sequence[float], b: Sequence[float], *, seed: int = SEED) -> Ratio:
    """Median of the pairs' own ratios: for slices, which are closer than the machine drifts."""
    over, under = checked(a, b)
    ratios = over / under
    estimate = float(numpy.median(ratios))
    return with_interval(
        estimate, lambda chosen: numpy.median(ratios[chosen], axis=1), len(ratios), seed
    )


def paired_ratio(a: Sequence[float], b: Sequence[float], *, seed: int = SEED) -> Ratio:
    """Median of `a` over median of `b`; the values at one place are of one block, and positive."""
    over, under = checked(a, b)
    estimate = float(numpy.median(over) / numpy.median(under))
    return with_interval(
        estimate,
        lambda chosen: numpy.median(over[chosen], axis=1) / numpy.median(under[chosen], axis=1),
        len(over),
        seed,
    )


def sliced_ratio(
    blocks: Sequence[tuple[Sequence[float], Sequence[float]]], *, seed: int = SEED
) -> Ratio:
    """Median over blocks of the median of each block's own pairs of slices.

    Blocks are resampled, and slices within each block: the interval covers both the noise within a
    start of the servers and the differences between starts. One block says nothing of the latter.
    """
    drawn = numpy.random.default_rng(seed)
    medians, resampled = [], []
    for a, b in blocks:
        over, under = checked(a, b)
        ratios = over / under
        chosen = drawn.integers(0, len(ratios), (SLICE_RESAMPLES, len(ratios)))
        medians.append(numpy.median(ratios))
        resampled.append(numpy.median(ratios[chosen], axis=1))
    shape = (RESAMPLES, len(blocks))
    chosen_blocks = drawn.integers(0, len(blocks), shape)
    chosen_resamples = drawn.integers(0, SLICE_RESAMPLES, shape)
    values = numpy.median(numpy.array(resampled)[chosen_blocks, chosen_resamples], axis=1)
    return within(float(numpy.median(medians)), values, sum(len(a) for a, _ in blocks))


def checked(a: Sequence[float], b: Sequence[float]) -> tuple[Values, Values]:
    """The values as pairs.

    Raises ValueError if they are none, or not positive.
    """
    if len(a) != len(b) or len(a) == 0:
        raise ValueError(f"{len(a)} and {len(b)} values make no pairs")
    over, under = numpy.asarray(a, dtype=float), numpy.asarray(b, dtype=float)
    if min(over.min(), under.min()) <= 0:
        raise ValueError("a ratio needs positive values")
    return over, under


def with_interval(
    estimate: float, resampled: Callable[[NDArray[numpy.int64]], Values], pairs: int, seed: int
) -> Ratio:
    """An estimate with its bootstrap interval.

    `resampled` turns rows of drawn pairs, by number, into an estimate for each row.
    """
    if pairs == 1:
        return Ratio(estimate=estimate, low=0, high=math.inf, pairs=1)
    chosen = numpy.random.default_rng(seed).integers(0, pairs, (RESAMPLES, pairs))
    return within(estimate, resampled(chosen), pairs)


def within(estimate: float, resampled: Values, pairs: int) -> Ratio:
    """An estimate with the interval that its resamples leave."""
    if pairs == 1:
        return Ratio(estimate=estimate, low=0, high=math.inf, pairs=1)
    low, high = numpy.quantile(resampled, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    # The percentile interval of few pairs can miss the estimate itself by a rounding or a tie.
    return Ratio(
        estimate=estimate,
        low=min(float(low), estimate),
        high=max(float(high), estimate),
        pairs=pairs,
    )
