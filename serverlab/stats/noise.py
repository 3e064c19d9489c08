"""What many pairs of engines, measured in the same blocks, know together of the noise.

Three blocks of one pair say next to nothing of how much a block varies, and the interval has to
allow for that. Other pairs ran in the same blocks. How much their deviations differ says how much
one may be learnt from another: empirical Bayes, as in Smyth (Linear Models and Empirical Bayes
Methods, 2004). What is learnt makes an interval surer of its width, never narrower than the pair's
own deviation would be: an engine that is noisier than the others stays so.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy
import scipy

if TYPE_CHECKING:
    from collections.abc import Sequence

STEPS_MAX = 50  # of Newton's method, which needs five
PRECISION = 1e-9
VARIANCE_MIN = 1e-18  # less is rounding: values that are the same tell nothing of others


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """The usual variance of a pair's log ratio from block to block, and how well it is known."""

    variance: float
    degrees: float  # as many blocks more would tell as much; infinite if all pairs are alike
    degrees_max: float  # what all trials together can tell

    def widened(self, variance: float, degrees: int, copies: int = 1) -> tuple[float, float]:
        """The variance of a pair to reckon with, and its degrees of freedom.

        The second of the pair may be the mean of several copies.
        """
        whole = self.degrees + degrees
        weight = 1.0 if math.isinf(whole) else self.degrees / whole
        shared = weight * self.variance * variance_share(copies) + (1 - weight) * variance
        return max(variance, shared), max(degrees, min(whole, self.degrees_max))


def variance_share(copies: int) -> float:
    """How much of the variance of a pair is left if the second is the mean of several copies."""
    return (1 + 1 / copies) / 2


NOTHING_KNOWN = Noise(variance=0, degrees=0, degrees_max=0)


def noise_of(pairs: Sequence[tuple[float, int]], engines: int) -> Noise:
    """The noise of a level, from each pair's variance and degrees of freedom."""
    known = [
        (variance, degrees)
        for variance, degrees in pairs
        if variance > VARIANCE_MIN and degrees > 0
    ]
    if len(known) < 2 or engines < 3:
        return NOTHING_KNOWN
    variances = numpy.array([variance for variance, _ in known])
    halves = numpy.array([degrees / 2 for _, degrees in known])
    logs = numpy.log(variances) - scipy.special.digamma(halves) + numpy.log(halves)
    spread = float(logs.var(ddof=1) - scipy.special.polygamma(1, halves).mean())
    degrees_max = (engines - 1) * 2 * float(halves.min())
    if spread <= 0:  # they differ by no more than chance lets equal ones differ
        variance = math.exp(float(logs.mean()))
        return Noise(variance=variance, degrees=math.inf, degrees_max=degrees_max)
    half = inverse_trigamma(spread)
    variance = math.exp(float(logs.mean() + scipy.special.digamma(half)) - math.log(half))
    return Noise(variance=variance, degrees=2 * half, degrees_max=degrees_max)


def inverse_trigamma(value: float) -> float:
    """Where the trigamma function has a value, by Newton's method."""
    x = 0.5 + 1 / value
    for _ in range(STEPS_MAX):
        trigamma = float(scipy.special.polygamma(1, x))
        step = trigamma * (1 - trigamma / value) / float(scipy.special.polygamma(2, x))
        x += step
        if abs(step) < PRECISION * x:
            break
    return x
