"""How two engines compare: the ratio of their figures within blocks, with its interval.

Trials of one block ran within minutes of each other, so that a block's slow hour slows both and
leaves their ratio alone. Requests of one trial share its luck: the unit is the block. The estimate
is the geometric mean of the blocks' ratios, and its interval is Student's, on logarithms:
docs/decisions/0008 says why, and how often it errs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy
import scipy

from serverlab.stats.noise import NOTHING_KNOWN, noise_of, variance_share
from serverlab.stats.order import CONFIDENCE, rank_interval, sign_test
from serverlab.stats.shift import middle_shift, neighbours

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from serverlab.stats.noise import Noise

    Values = NDArray[numpy.float64]

ALARM = 1 - CONFIDENCE  # how often two equal things may be called different
LOG_MAX = 700.0  # beyond it an exponential is infinite


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """A ratio with its interval, and how often chance alone makes it so large or so small."""

    estimate: float
    low: float
    high: float
    pairs: int  # of blocks, or of slices
    p_value: float = 1
    again: Ratio | None = None  # by another reading of the same, which the verdict needs, too

    @property
    def is_distinguishable(self) -> bool:
        """Whether the interval excludes that there is no difference."""
        return not self.low <= 1 <= self.high

    @property
    def chance(self) -> float:
        """The larger p-value of both readings; 1 if they do not agree on which one is larger."""
        if self.again is None:
            return self.p_value
        agree = (self.estimate > 1) == (self.again.estimate > 1)
        return max(self.p_value, self.again.p_value) if agree else 1.0

    @property
    def is_by_one_reading(self) -> bool:
        """Whether the interval excludes that there is no difference, and the other reading's not.

        Or that one excludes it in the other direction.
        """
        if self.again is None or not self.is_distinguishable:
            return False
        agree = (self.estimate > 1) == (self.again.estimate > 1)
        return not (agree and self.again.is_distinguishable)

    @property
    def distance(self) -> float:
        """The estimate's distance from 1, as a factor: 1.25 for both 1.25 and 0.8."""
        return max(self.estimate, 1 / self.estimate)

    def inverse(self) -> Ratio:
        """The same two, the other over the one."""
        return Ratio(
            estimate=1 / self.estimate,
            low=1 / self.high,
            high=1 / self.low if self.low > 0 else math.inf,
            pairs=self.pairs,
            p_value=self.p_value,
            again=None if self.again is None else self.again.inverse(),
        )

    @property
    def half_width(self) -> float:
        """How far the interval reaches from the estimate, as a share: 0.03 for ± 3 %."""
        if math.isinf(self.high) or self.low <= 0:
            return math.inf
        return math.sqrt(self.high / self.low) - 1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pairing:
    """Two engines over the blocks that both have: the logarithm of their ratio in each.

    The second may be the mean of several copies. Of a single block, the logarithms of its pairs of
    slices, if it has some.
    """

    logs: Values
    pairs: int
    slices: Values | None = None
    copies: int = 1  # of the second
    again: Pairing | None = None  # by another reading of the same

    @property
    def degrees(self) -> int:
        """The degrees of freedom of its variance."""
        return len(self.logs) - 1

    @property
    def variance(self) -> float:
        """From block to block; 0 of a single one."""
        return float(self.logs.var(ddof=1)) if self.degrees else 0.0

    def ratio(self, noise: Noise = NOTHING_KNOWN, alarm: float = ALARM) -> Ratio:
        """The two compared; `noise` is what others in the same blocks have shown.

        The interval misses the truth in a share `alarm` of all cases.
        """
        found = self._of_blocks(noise, alarm) if self.degrees else self._of_one_block(alarm)
        return found if self.again is None else replace(found, again=self.again.ratio(alarm=alarm))

    def _of_blocks(self, noise: Noise, alarm: float) -> Ratio:
        """By the scatter from block to block."""
        middle = float(self.logs.mean())
        variance, degrees = noise.widened(self.variance, self.degrees, self.copies)
        error = math.sqrt(variance / len(self.logs))
        reach = -float(scipy.special.stdtrit(degrees, alarm / 2)) * error
        p_value = float(middle == 0)
        if error > 0:
            p_value = 2 * float(scipy.special.stdtr(degrees, -abs(middle) / error))
        return Ratio(
            estimate=exponential(middle),
            low=exponential(middle - reach),
            high=exponential(middle + reach),
            pairs=self.pairs,
            p_value=p_value,
        )

    def _of_one_block(self, alarm: float) -> Ratio:
        """By its slices; without them nothing is known but the estimate."""
        if self.slices is None:
            return Ratio(
                estimate=exponential(float(self.logs[0])), low=0, high=math.inf, pairs=self.pairs
            )
        logs = numpy.concatenate([[-math.inf], numpy.sort(self.slices), [math.inf]])
        low, high = rank_interval(len(self.slices), 0.5, 1 - alarm)
        below, above = int((self.slices < 0).sum()), int((self.slices > 0).sum())
        return Ratio(
            estimate=exponential(float(self.logs[0])),
            low=exponential(float(logs[low])),
            high=exponential(float(logs[high])),
            pairs=self.pairs,
            p_value=sign_test(below, above, len(self.slices) - below - above),
        )


def pairing(a: Sequence[float], *copies: Sequence[float]) -> Pairing:
    """Values of blocks: those at one place are of one block, and positive."""
    logs = numpy.mean([log_ratios(a, b) for b in copies], axis=0)
    return Pairing(logs=logs, pairs=len(logs), copies=len(copies))


def sliced_pairing(blocks: Sequence[Sequence[Sequence[float] | Values]]) -> Pairing | None:
    """Values of slices, block by block, of one engine and each copy of another.

    NaN of a slice that does not count. A block's ratio is the median over pairs of slices that are
    close in time; of several copies the mean.
    From block to block the servers are fresh, so that the interval over blocks covers both the
    noise within a start and what differs between starts. A single block says nothing of the latter,
    and is judged by its pairs of neighbouring slices, of the first copy.

    None if no block has slices of all that count.
    """
    if len(blocks) == 1:
        slices = neighbours(*map(logarithms, blocks[0][:2]))
        if not slices.size:
            return None
        return Pairing(logs=numpy.array([numpy.median(slices)]), pairs=slices.size, slices=slices)
    shifts = []
    pairs = 0
    for block in blocks:
        over, *copies = map(logarithms, block)
        shift = numpy.mean([middle_shift(over, under) for under in copies])
        if not math.isnan(shift):
            shifts.append(shift)
            pairs += int(min((~numpy.isnan(one)).sum() for one in (over, *copies)))
    if not shifts:
        return None
    return Pairing(logs=numpy.array(shifts), pairs=pairs, copies=len(blocks[0]) - 1)


def median_ratio(a: Sequence[float], b: Sequence[float], *, alarm: float = ALARM) -> Ratio:
    """How two compare over the slices of one start, which are closer than the machine drifts.

    The interval misses the truth in a share `alarm` of all cases.
    """
    slices = log_ratios(a, b)
    return Pairing(
        logs=numpy.array([numpy.median(slices)]), pairs=len(slices), slices=slices
    ).ratio(alarm=alarm)


def shared_noise(pairings: Sequence[Pairing], engines: int) -> Noise:
    """What the pairs of so many engines, measured in the same blocks, know of the noise."""
    known = [(one.variance / variance_share(one.copies), one.degrees) for one in pairings]
    return noise_of(known, engines)


def log_ratios(a: Sequence[float], b: Sequence[float]) -> Values:
    """The logarithm of each pair's ratio.

    Raises ValueError if there are no pairs, or if a value is not positive.
    """
    if len(a) != len(b) or len(a) == 0:
        raise ValueError(f"{len(a)} and {len(b)} values make no pairs")
    return logarithms(a) - logarithms(b)


def logarithms(values: Sequence[float] | Values) -> Values:
    """Those of positive values; NaN stays what it is.

    Raises ValueError if a value is not positive.
    """
    found = numpy.asarray(values, dtype=float)
    if (found <= 0).any():
        raise ValueError("a ratio needs positive values")
    logs: Values = numpy.log(found)
    return logs


def exponential(log: float) -> float:
    """Of any logarithm, also of one whose number is too large to be written."""
    return math.inf if log > LOG_MAX else math.exp(log)
