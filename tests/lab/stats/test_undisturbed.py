"""What other work took of slices is taken out of their figures, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy
import pytest

from serverlab.stats.undisturbed import fall_per_cpu, undisturbed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Values = NDArray[numpy.float64]

BLOCKS, SLICES = 5, 12
FALL = 1.4  # of the logarithm, for a CPU
QUIET = 1000 * numpy.exp(-FALL * 0.03)  # what the quietest twentieth of slices has


def taken(sides: int, *, own_cpus: float = 0.0) -> list[list[Values]]:
    """What others take: of the first side `own_cpus` more, which are its own doing."""
    drawn = numpy.random.default_rng(1)
    return [
        [0.02 + drawn.exponential(0.2, SLICES) + own_cpus * (side == 0) for side in range(sides)]
        for _ in range(BLOCKS)
    ]


def lost(other_cpus: list[list[Values]], *, rate: float = 1000) -> list[list[Values]]:
    """Goodput of equal servers that lose to others what these take."""
    return [[rate * numpy.exp(-FALL * cpus) for cpus in block] for block in other_cpus]


@pytest.mark.parametrize("copies", [1, 2])
def test_what_others_take_is_taken_out(copies: int) -> None:
    other_cpus = taken(1 + copies)
    values = lost(other_cpus)
    assert fall_per_cpu(values, other_cpus) == pytest.approx(FALL)
    found = undisturbed(values, other_cpus)
    for block in found:
        for side in block:
            assert side == pytest.approx(side[0])
            assert side[0] == pytest.approx(QUIET, rel=0.03)


def test_a_server_whose_own_doing_is_busy_gains_nothing() -> None:
    other_cpus = taken(2, own_cpus=0.3)
    values = lost(taken(2))
    [over, under], *_ = undisturbed(values, other_cpus)
    assert over == pytest.approx(under, rel=0.03)


def test_odd_slices_do_not_decide_how_much_is_taken_out() -> None:
    other_cpus = taken(2)
    values = lost(other_cpus)
    for block in values:
        block[0][3] /= 5
    assert fall_per_cpu(values, other_cpus) == pytest.approx(FALL, rel=0.01)


def test_a_slice_without_a_figure_stays_so() -> None:
    other_cpus = taken(2)
    values = lost(other_cpus)
    values[1][0][5] = numpy.nan
    assert fall_per_cpu(values, other_cpus) == pytest.approx(FALL)
    found = undisturbed(values, other_cpus)
    assert [numpy.isnan(side).sum() for block in found for side in block] == [0, 0, 1, *[0] * 7]


def test_where_others_take_as_much_of_all_slices_nothing_changes() -> None:
    values = lost(taken(2))
    same = [[numpy.full(SLICES, 0.1) for _ in block] for block in values]
    for before, after in zip(values, undisturbed(values, same), strict=True):
        assert numpy.array_equal(before, after)
