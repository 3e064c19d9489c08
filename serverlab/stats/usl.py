"""The Universal Scalability Law: X(N) = λN / (1 + σ(N − 1) + κN(N − 1)).

λ is the rate of one; σ the share that cannot be done side by side, as in Amdahl's law; κ what each
pair costs to agree, which makes the rate fall again (Gunther, Guerrilla Capacity Planning, 2007).
N / X is a polynomial in N whose coefficients cannot be negative, so that least squares of relative
errors under that bound have one solution.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy
import scipy

from serverlab.stats.order import CONFIDENCE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Values = NDArray[numpy.float64]

LEVELS_MIN = 5  # for three parameters, so that there is something that they could miss
MISS_MAX = 0.15  # of a level, in the root of the mean square: beyond it the law is another one
RESAMPLES = 300
SEED = 1


class NoFitError(ValueError):
    """The law cannot be had from these figures, or does not describe them; the reason in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A parameter with its interval, which a single block does not give."""

    value: float
    low: float
    high: float

    @property
    def has_interval(self) -> bool:
        """Whether anything bounds it."""
        return not math.isnan(self.low)


@dataclass(frozen=True, slots=True, kw_only=True)
class Law:
    """A fitted law."""

    rate: Estimate  # λ, per second
    serial: Estimate  # σ
    crosstalk: Estimate  # κ
    turn: Estimate  # κ / (1 − σ), one over the square of the peak
    miss: float  # root of the mean square of the levels' relative errors

    def at(self, number: float) -> float:
        """The predicted rate."""
        return predicted(number, (self.rate.value, self.serial.value, self.crosstalk.value))

    @property
    def peak(self) -> float:
        """Where the rate is highest; infinite where it never falls."""
        return peak_of(self.turn.value)

    @property
    def peak_interval(self) -> tuple[float, float]:
        """Between which numbers that lies; the higher may be infinite. NaN if it is not known."""
        return peak_of(self.turn.high), peak_of(self.turn.low)


Parameters = tuple[float, float, float]


def turn_of(parameters: Parameters) -> float:
    """How soon the rate turns; infinite where it falls from the first on."""
    _, serial, crosstalk = parameters
    return crosstalk / (1 - serial) if serial < 1 else math.inf


def peak_of(turn: float) -> float:
    """Where the rate is highest."""
    return 1 / math.sqrt(turn) if turn > 0 else math.nan if math.isnan(turn) else math.inf


def predicted(number: float, parameters: Parameters) -> float:
    """The law itself."""
    rate, serial, crosstalk = parameters
    return rate * number / (1 + serial * (number - 1) + crosstalk * number * (number - 1))


def fit(figures: Mapping[float, Mapping[int, float]]) -> Law:
    """Fit rates by number and block. Raises NoFitError with the reason.

    The interval is Student's, of the deviation of resampled blocks: resampling itself would be too
    sure of few of them.
    """
    numbers = numpy.array(sorted(number for number, by_block in figures.items() if by_block))
    if len(numbers) < LEVELS_MIN:
        raise NoFitError(f"{len(numbers)} levels have a figure, and {LEVELS_MIN} are needed")
    if numbers[0] < 1:
        raise NoFitError(f"a level of {numbers[0]:g} is no number of anything")
    blocks = sorted({block for by_block in figures.values() for block in by_block})
    logs = numpy.array(
        [[math.log(figures[number].get(block, math.nan)) for number in numbers] for block in blocks]
    )
    best = solved(numbers, middle(logs))
    if best is None:
        raise NoFitError("no rate of a single one follows from these levels")
    misses = [predicted(number, best) for number in numbers] / numpy.exp(middle(logs)) - 1
    miss = math.sqrt(float(numpy.mean(misses**2)))
    if miss > MISS_MAX:
        raise NoFitError(f"the law does not describe them: it misses them by {100 * miss:.0f} %")
    rate, serial, crosstalk, turn = estimates(numbers, logs, best)
    return Law(rate=rate, serial=serial, crosstalk=crosstalk, turn=turn, miss=miss)


def middle(logs: Values) -> Values:
    """The mean of each level over the blocks that have it."""
    known = ~numpy.isnan(logs)
    sums: Values = numpy.where(known, logs, 0).sum(axis=0) / known.sum(axis=0)
    return sums


def solved(numbers: Values, logs: Values, *, bounded: bool = True) -> Parameters | None:
    """The parameters with the least relative errors; None if they give one no rate."""
    terms = numpy.stack([numpy.ones_like(numbers), numbers - 1, numbers * (numbers - 1)], axis=1)
    weighted = terms * (numpy.exp(logs) / numbers)[:, None]
    sizes = numpy.linalg.norm(weighted, axis=0)
    wanted = numpy.ones(len(numbers))
    if bounded:
        scaled, _ = scipy.optimize.nnls(weighted / sizes, wanted)
    else:
        scaled, *_ = numpy.linalg.lstsq(weighted / sizes, wanted)
    one, serial, crosstalk = (float(value) for value in scaled / sizes)
    return (1 / one, serial / one, crosstalk / one) if one > 0 else None


def estimates(numbers: Values, logs: Values, best: Parameters) -> list[Estimate]:
    """The parameters and the turn with their intervals, which several blocks give.

    Resamples are fitted without the bound: at 0 it would hide how much they vary.
    """
    blocks = len(logs)
    values = (*best, turn_of(best))
    drawn = numpy.random.default_rng(SEED)
    found = []
    for _ in range(RESAMPLES if blocks > 1 else 0):
        chosen = logs[drawn.integers(0, blocks, blocks)]
        has = ~numpy.isnan(chosen).all(axis=0)
        one = solved(numbers[has], middle(chosen[:, has]), bounded=False)
        if one is not None and has.sum() >= len(best):
            found.append((*one, turn_of(one)))
    if len(found) < RESAMPLES / 2:
        return [Estimate(value=value, low=math.nan, high=math.nan) for value in values]
    # A resample of n blocks varies as if there were n - 1 degrees of freedom in n.
    stretch = math.sqrt(blocks / (blocks - 1))
    stretch *= -float(scipy.special.stdtrit(blocks - 1, (1 - CONFIDENCE) / 2))
    return [
        around(value, numpy.array(resampled), stretch)
        for value, resampled in zip(values, zip(*found, strict=True), strict=True)
    ]


def around(value: float, resampled: Values, stretch: float) -> Estimate:
    """A value that cannot be negative, with its interval; unknown if resamples are infinite."""
    if not numpy.isfinite(resampled).all():
        return Estimate(value=value, low=math.nan, high=math.nan)
    reach = stretch * float(resampled.std(ddof=1))
    return Estimate(value=value, low=max(0.0, value - reach), high=value + reach)
