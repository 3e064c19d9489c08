"""Equal engines, thousands of times over, and how often they are called different.

Blocks drift by a tenth, as a shared machine does; each trial adds noise of its own. The shapes: a
normal one, one with a tail on the side of the slow, one with outliers on both. `make check-alarms`
asks the real machine.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy
import pytest

from serverlab.running.more_blocks import BLOCKS_MIN
from serverlab.stats.holm import holm
from serverlab.stats.paired import ALARM, Ratio, pairing, shared_noise, sliced_pairing
from serverlab.stats.undisturbed import undisturbed

if TYPE_CHECKING:
    from numpy.typing import NDArray

Draw = Callable[[numpy.random.Generator, tuple[int, ...]], "NDArray[numpy.float64]"]

NOISE = 0.03  # of a trial, as a share
DRIFT = 0.1  # of a block
NOISES: dict[str, Draw] = {
    "normal": lambda drawn, shape: numpy.exp(NOISE * drawn.standard_normal(shape)),
    "skewed": lambda drawn, shape: 1 + NOISE * drawn.standard_exponential(shape),
    "heavy-tailed": lambda drawn, shape: numpy.exp(NOISE * drawn.standard_t(3, shape)),
}
EXPERIMENTS = 2000
LEVELS = 1000


def measured(noise: str, *, engines: int, blocks: int, experiments: int) -> NDArray[numpy.float64]:
    """A figure for each experiment, engine and block, of engines that are all equal."""
    drawn = numpy.random.default_rng([engines, blocks])
    drift = numpy.exp(DRIFT * drawn.standard_normal((experiments, 1, blocks)))
    return drift * NOISES[noise](drawn, (experiments, engines, blocks))


@pytest.mark.parametrize("blocks", [3, 5, 10])
@pytest.mark.parametrize("noise", NOISES)
def test_a_pair_of_equal_engines_is_called_different_as_often_as_is_said(
    noise: str, blocks: int
) -> None:
    trials = measured(noise, engines=2, blocks=blocks, experiments=EXPERIMENTS)
    alarms = sum(pairing(a, b).ratio().is_distinguishable for a, b in trials)
    assert 0.03 <= alarms / EXPERIMENTS <= 0.07


@pytest.mark.parametrize("blocks", [3, 5, 10])
def test_an_interval_holds_the_true_ratio_as_often_as_is_said(blocks: int) -> None:
    trials = measured("normal", engines=2, blocks=blocks, experiments=EXPERIMENTS)
    ratios = [pairing(1.25 * a, b).ratio() for a, b in trials]
    held = sum(ratio.low <= 1.25 <= ratio.high for ratio in ratios)
    assert 0.93 <= held / EXPERIMENTS <= 0.97


@pytest.mark.parametrize("blocks", [3, 5, 10])
def test_an_engine_beside_two_copies_of_another_is_called_different_as_often_as_is_said(
    blocks: int,
) -> None:
    trials = measured("normal", engines=3, blocks=blocks, experiments=EXPERIMENTS)
    beside_both = [pairing(one, *copies).ratio() for one, *copies in trials]
    alarms = sum(ratio.is_distinguishable for ratio in beside_both)
    assert 0.03 <= alarms / EXPERIMENTS <= 0.07
    beside_one = [pairing(one, copy).ratio() for one, copy, _ in trials]
    narrower = [a.half_width / b.half_width for a, b in zip(beside_both, beside_one, strict=True)]
    assert statistics.median(narrower) == pytest.approx(math.sqrt(3 / 4), abs=0.03)


@pytest.mark.parametrize("blocks", [3, 5, 10])
def test_a_claim_of_many_true_ratios_is_contradicted_no_more_often_than_is_said(
    blocks: int,
) -> None:
    """One engine and each of seven others, all equal; one ratio apart is enough."""
    experiments = measured("normal", engines=8, blocks=blocks, experiments=LEVELS)
    contradicted = sum(
        any(pairing(first, one).ratio(alarm=ALARM / 7).is_distinguishable for one in others)
        for first, *others in experiments
    )
    assert contradicted / LEVELS <= 0.07


def level_alarms(trials: NDArray[numpy.float64]) -> bool:
    """Whether any pair of a level's engines is called different, all pairs considered.

    The first two are the baseline and its twin: the others are compared with both.
    """
    baseline, twin, *others = trials
    beside_both = [pairing(one, baseline, twin) for one in others]
    pairs = beside_both + [pairing(a, b) for a, b in itertools.combinations(others, 2)]
    all_pairs = [*pairs, pairing(twin, baseline), *(pairing(one, twin) for one in others)]
    noise = shared_noise(all_pairs, len(trials))
    return min(holm([one.ratio(noise).p_value for one in pairs])) <= 0.05


@pytest.mark.parametrize("blocks", [3, 5, 10])
@pytest.mark.parametrize("noise", NOISES)
def test_a_level_of_equal_engines_has_a_false_alarm_no_more_often_than_is_said(
    noise: str, blocks: int
) -> None:
    levels = measured(noise, engines=6, blocks=blocks, experiments=LEVELS)
    assert sum(map(level_alarms, levels)) / LEVELS <= 0.07


def test_a_noisier_engine_among_others_raises_no_more_alarms() -> None:
    levels = measured("normal", engines=6, blocks=5, experiments=LEVELS)
    levels[:, 0] **= 3
    assert sum(map(level_alarms, levels)) / LEVELS <= 0.08


def sliced(drawn: numpy.random.Generator, *, blocks: int, slices: int = 20) -> Ratio:
    """Two equal engines in turns, of which each loses a third of its slices to other work.

    From the second block on, starts differ, too.
    """
    pairs = []
    for _ in range(blocks):
        starts = numpy.exp(0.01 * (blocks > 1) * drawn.standard_normal((2, 1)))
        drift = numpy.exp(DRIFT * numpy.cumsum(drawn.standard_normal(slices)))
        values = starts * drift * numpy.exp(NOISE * drawn.standard_t(3, (2, slices)))
        values[drawn.random((2, slices)) < 1 / 3] = math.nan
        pairs.append((values[0], values[1]))
    found = sliced_pairing(pairs)
    assert found is not None
    return found.ratio()


@pytest.mark.parametrize("blocks", [1, 3, 5])
def test_equal_engines_in_turns_are_called_different_as_often_as_is_said(blocks: int) -> None:
    drawn = numpy.random.default_rng(blocks)
    alarms = sum(sliced(drawn, blocks=blocks).is_distinguishable for _ in range(EXPERIMENTS))
    # The interval of a single block has whole pairs for ends, and so errs less often.
    assert (0.02 if blocks == 1 else 0.03) <= alarms / EXPERIMENTS <= 0.07


@pytest.mark.parametrize("own_cpus", [0, 0.05])
@pytest.mark.parametrize("blocks", [3, 5, 10])
def test_equal_engines_beside_bursts_are_called_different_as_often_as_is_said(
    blocks: int, own_cpus: float
) -> None:
    """One beside two copies, in slices of which some lose half a CPU and all lose a little.

    The one keeps `own_cpus` busy that are charged to nobody.
    """
    drawn = numpy.random.default_rng(blocks)
    shape = (blocks, 3, 12)
    alarms = 0
    for _ in range(LEVELS):
        lost = 0.02 + drawn.exponential(0.05 * drawn.standard_exponential((blocks, 1, 1)), shape)
        lost += numpy.where(drawn.random(shape) < 0.3, drawn.uniform(0.3, 0.7, shape), 0)
        drift = DRIFT * drawn.standard_normal((blocks, 1, 1))
        values = numpy.exp(drift + 4 * NOISE * drawn.standard_normal(shape) - 1.3 * lost)
        busy = lost + own_cpus * (numpy.arange(3) == 0)[:, None]
        found = sliced_pairing(undisturbed(list(map(list, values)), list(map(list, busy))))
        assert found is not None
        alarms += found.ratio().is_distinguishable
    assert 0.03 <= alarms / LEVELS <= 0.07


@pytest.mark.parametrize("noise", [0.02, 0.04])
def test_to_stop_when_the_interval_is_narrow_has_the_price_that_is_said(noise: float) -> None:
    """A look after each block from the fifth on, until ±3 % are reached, or thirty blocks."""
    drawn = numpy.random.default_rng(1)
    missed = 0
    for _ in range(EXPERIMENTS // 2):
        a, b = numpy.exp(noise / numpy.sqrt(2) * drawn.standard_normal((2, 30)))
        looks = (pairing(a[:blocks], b[:blocks]).ratio() for blocks in range(BLOCKS_MIN, 31))
        ratio = next((one for one in looks if one.half_width <= 0.03), pairing(a, b).ratio())
        missed += ratio.is_distinguishable
    assert missed / (EXPERIMENTS // 2) <= 0.095
