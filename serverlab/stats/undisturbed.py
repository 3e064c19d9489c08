"""What figures of slices would be had other work taken as much from each of them.

Analysis of covariance: what other work took of each slice is known, and how much a figure falls
with it the slices of each block say. Other work does not know whose slice it is. But what is busy
in the quietest slices of a server, too, is its own doing, such as CPUs that fall asleep between its
requests, and stays in the figure.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import numpy

from serverlab.stats.paired import logarithms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Values = NDArray[numpy.float64]
    Blocks = Sequence[Sequence[Values]]  # the slices of each side, block by block

QUIET_SHARE = 0.05  # of a server's slices: at this quantile other work takes nothing


def undisturbed(values: Blocks, other_cpus: Blocks) -> list[list[Values]]:
    """Positive figures of slices, as they would be had other work taken nothing from any of them.

    NaN where a slice has none, which stays so.
    `other_cpus` is how many CPUs neither the server nor its load used, and that did not idle. All
    sides but the first are copies of one server. If one of the two servers loses more to other work
    than the other one, what they lose on average stays in their ratio.
    """
    fall = fall_per_cpu(values, other_cpus)
    own_cpus = quiet_cpus(other_cpus, 0, 1), quiet_cpus(other_cpus, 1, None)
    return [
        [
            figures * numpy.exp(fall * (cpus - own_cpus[min(side, 1)]))
            for side, (figures, cpus) in enumerate(zip(block, taken, strict=True))
        ]
        for block, taken in zip(values, other_cpus, strict=True)
    ]


def fall_per_cpu(values: Blocks, other_cpus: Blocks) -> float:
    """By how much the logarithm of a figure falls for each CPU that others take, within a block.

    By the straight line with the least absolute deviations, which some odd slices do not move.
    """
    lost = -from_middle([[logarithms(side) for side in block] for block in values])
    taken = from_middle(other_cpus)
    told = (taken != 0) & ~numpy.isnan(lost)
    lost, taken = lost[told], taken[told]
    if not taken.size:
        return 0.0
    order = numpy.argsort(lost / taken)
    weights = numpy.cumsum(abs(taken)[order])
    middle = order[numpy.searchsorted(weights, weights[-1] / 2)]
    return float(lost[middle] / taken[middle])


def from_middle(blocks: Blocks) -> Values:
    """How far each slice is from the median of its server and block."""
    sides = chain.from_iterable(blocks)
    return numpy.concatenate([values - numpy.nanmedian(values) for values in sides])


def quiet_cpus(other_cpus: Blocks, first: int, end: int | None) -> float:
    """How many CPUs are busy with something else in the quietest slices of some sides."""
    sides = chain.from_iterable(block[first:end] for block in other_cpus)
    return float(numpy.quantile(numpy.concatenate(list(sides)), QUIET_SHARE))
