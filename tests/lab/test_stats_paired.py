"""Paired ratios: what must hold whatever the figures are."""

from __future__ import annotations

import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serverlab.stats.paired import Ratio, paired_ratio, sliced_ratio

figures = st.floats(0.001, 1e9)
pairs = st.lists(st.tuples(figures, figures), min_size=2, max_size=12)


def ratio_of(blocks: list[tuple[float, float]], scale: float = 1, *, seed: int = 1) -> Ratio:
    return paired_ratio([scale * a for a, _ in blocks], [b for _, b in blocks], seed=seed)


@given(blocks=pairs)
def test_a_thing_is_once_itself(blocks: list[tuple[float, float]]) -> None:
    same = [a for a, _ in blocks]
    assert paired_ratio(same, same) == Ratio(estimate=1, low=1, high=1, pairs=len(same))


@given(blocks=pairs)
def test_the_estimate_is_the_ratio_of_medians_and_in_its_interval(
    blocks: list[tuple[float, float]],
) -> None:
    ratio = ratio_of(blocks)
    medians = [statistics.median(side) for side in zip(*blocks, strict=True)]
    assert ratio.estimate == pytest.approx(medians[0] / medians[1])
    assert ratio.low <= ratio.estimate <= ratio.high


@given(blocks=pairs, scale=st.floats(0.01, 100))
def test_a_common_factor_moves_estimate_and_interval_alike(
    blocks: list[tuple[float, float]], scale: float
) -> None:
    plain, scaled = ratio_of(blocks), ratio_of(blocks, scale)
    for end in ("estimate", "low", "high"):
        assert getattr(scaled, end) == pytest.approx(scale * getattr(plain, end))


@given(blocks=pairs)
def test_the_interval_stays_within_what_the_blocks_allow(blocks: list[tuple[float, float]]) -> None:
    a, b = zip(*blocks, strict=True)
    ratio = ratio_of(blocks)
    assert ratio.low >= min(a) / max(b) * (1 - 1e-12)
    assert ratio.high <= max(a) / min(b) * (1 + 1e-12)


@given(blocks=pairs, seed=st.integers(0, 2**32))
def test_a_seed_gives_the_same_interval_again(blocks: list[tuple[float, float]], seed: int) -> None:
    assert ratio_of(blocks, seed=seed) == ratio_of(blocks, seed=seed)


def test_drift_that_both_share_does_not_widen_the_interval() -> None:
    drift = [1.0, 1.3, 0.8, 1.1, 0.9]
    ratio = paired_ratio([1.2 * luck for luck in drift], drift)
    assert [ratio.low, ratio.high] == pytest.approx([1.2, 1.2])
    assert ratio.is_distinguishable


def test_one_pair_gives_no_interval() -> None:
    ratio = paired_ratio([3], [1])
    assert (ratio.estimate, ratio.low, ratio.high) == (3, 0, math.inf)
    assert not ratio.is_distinguishable
    assert math.isinf(ratio.departure)


@pytest.mark.parametrize(
    ("ratio", "distance", "departure"),
    [
        (Ratio(estimate=1.25, low=1.2, high=1.3, pairs=3), 1.25, 1.3),
        (Ratio(estimate=0.8, low=0.5, high=0.9, pairs=3), 1.25, 2.0),
        (Ratio(estimate=1.0, low=0.8, high=1.1, pairs=3), 1.0, 1.25),
    ],
)
def test_distance_and_departure_are_the_same_on_both_sides_of_one(
    ratio: Ratio, distance: float, departure: float
) -> None:
    assert (ratio.distance, ratio.departure) == (distance, departure)


slices = st.lists(st.tuples(figures, figures), min_size=2, max_size=12)


@given(blocks=st.lists(slices, min_size=1, max_size=4))
def test_the_estimate_of_slices_is_the_median_of_medians_and_in_its_interval(
    blocks: list[list[tuple[float, float]]],
) -> None:
    ratio = sliced_ratio([([a for a, _ in block], [b for _, b in block]) for block in blocks])
    medians = [statistics.median(a / b for a, b in block) for block in blocks]
    assert ratio.estimate == pytest.approx(statistics.median(medians))
    assert ratio.low <= ratio.estimate <= ratio.high
    assert ratio.pairs == sum(map(len, blocks))


def test_drift_that_neighbouring_slices_share_does_not_widen_the_interval() -> None:
    drift = [1.0, 1.3, 0.8, 1.1, 0.9, 2.0]
    ratio = sliced_ratio([([1.2 * luck for luck in drift], drift)] * 2)
    assert [ratio.low, ratio.high] == pytest.approx([1.2, 1.2])


def test_the_interval_of_slices_covers_what_differs_between_starts() -> None:
    noise = [0.99, 1.0, 1.01] * 20
    same = [1.0] * len(noise)
    starts = [([start * luck for luck in noise], same) for start in (0.9, 1.0, 1.1)]
    one, three = sliced_ratio(starts[1:2]), sliced_ratio(starts)
    assert one.high - one.low < 0.03
    assert three.low < 0.92
    assert three.high > 1.08


@pytest.mark.parametrize(
    ("a", "b"),
    [([], []), ([1], [1, 2]), ([0, 1], [1, 1]), ([1, 1], [1, -1])],
    ids=["nothing", "no pairs", "zero above", "negative below"],
)
def test_what_makes_no_ratio_is_refused(a: list[float], b: list[float]) -> None:
    with pytest.raises(ValueError, match=r"pairs|positive"):
        paired_ratio(a, b)
