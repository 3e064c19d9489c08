"""Paired ratios: what must hold whatever the figures are."""

from __future__ import annotations

import math
import statistics
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serverlab.stats.paired import (
    Ratio,
    median_ratio,
    pairing,
    shared_noise,
    sliced_pairing,
)
from serverlab.stats.shift import ROUNDS_APART_MAX

figures = st.floats(0.001, 1e9)
pairs = st.lists(st.tuples(figures, figures), min_size=2, max_size=12)
close = st.floats(0.8, 1.25)
Block = tuple[float, float]


def ratio_of(blocks: list[Block], scale: float = 1) -> Ratio:
    return pairing([scale * a for a, _ in blocks], [b for _, b in blocks]).ratio()


def ends(ratio: Ratio) -> list[float]:
    return [ratio.estimate, ratio.low, ratio.high]


@given(blocks=pairs)
def test_a_thing_is_once_itself(blocks: list[Block]) -> None:
    same = [a for a, _ in blocks]
    assert pairing(same, same).ratio() == Ratio(estimate=1, low=1, high=1, pairs=len(same))


@given(blocks=pairs)
def test_the_estimate_is_the_geometric_mean_of_the_ratios_and_in_its_interval(
    blocks: list[Block],
) -> None:
    ratio = ratio_of(blocks)
    assert ratio.estimate == pytest.approx(statistics.geometric_mean(a / b for a, b in blocks))
    assert ratio.low <= ratio.estimate <= ratio.high
    assert 0 <= ratio.p_value <= 1


@given(blocks=pairs, scale=st.floats(0.01, 100))
def test_a_common_factor_moves_estimate_and_interval_alike(
    blocks: list[Block], scale: float
) -> None:
    moved = [scale * end for end in ends(ratio_of(blocks))]
    assert ends(ratio_of(blocks, scale)) == pytest.approx(moved)


@given(blocks=pairs)
def test_the_other_over_the_one_is_the_inverse(blocks: list[Block]) -> None:
    ratio, turned = ratio_of(blocks), ratio_of([(b, a) for a, b in blocks])
    assert ends(ratio.inverse()) == pytest.approx(ends(turned))
    assert ratio.p_value == pytest.approx(turned.p_value)


@given(blocks=pairs, order=st.randoms(use_true_random=False))
def test_the_order_of_the_blocks_does_not_matter(blocks: list[Block], order: object) -> None:
    mixed = list(blocks)
    order.shuffle(mixed)  # type: ignore[attr-defined]  # hypothesis makes a Random
    assert ends(ratio_of(mixed)) == pytest.approx(ends(ratio_of(blocks)))


@given(blocks=pairs, drift=st.lists(st.floats(0.1, 10), min_size=12, max_size=12))
def test_drift_that_both_share_changes_nothing(blocks: list[Block], drift: list[float]) -> None:
    drifted = [(a * luck, b * luck) for (a, b), luck in zip(blocks, drift, strict=False)]
    assert ends(ratio_of(drifted)) == pytest.approx(ends(ratio_of(blocks)), rel=1e-6)


@given(blocks=st.lists(st.tuples(close, close), min_size=2, max_size=6))
def test_blocks_that_say_the_same_again_narrow_the_interval(blocks: list[Block]) -> None:
    assert ratio_of(blocks * 2).half_width <= ratio_of(blocks).half_width * (1 + 1e-9)


@given(blocks=st.lists(st.tuples(close, close), min_size=2, max_size=12))
def test_the_interval_excludes_1_where_the_p_value_is_below_the_level(blocks: list[Block]) -> None:
    ratio = ratio_of(blocks)
    if abs(ratio.p_value - 0.05) > 1e-6:
        assert ratio.is_distinguishable == (ratio.p_value < 0.05)


def test_the_interval_is_students() -> None:
    logs = [0.10, 0.12, 0.17]
    ratio = pairing([math.exp(log) for log in logs], [1, 1, 1]).ratio()
    reach = 4.302653 * statistics.stdev(logs) / math.sqrt(3)  # the table's t for two degrees
    middle = statistics.mean(logs)
    assert ends(ratio) == pytest.approx(
        [math.exp(middle), math.exp(middle - reach), math.exp(middle + reach)], rel=1e-6
    )
    assert ratio.half_width == pytest.approx(math.exp(reach) - 1, rel=1e-6)


def test_one_pair_gives_no_interval() -> None:
    ratio = pairing([3], [1]).ratio()
    assert ends(ratio) == pytest.approx([3, 0, math.inf])
    assert not ratio.is_distinguishable
    assert ratio.p_value == 1
    assert math.isinf(ratio.half_width)


@pytest.mark.parametrize(("estimate", "distance"), [(1.25, 1.25), (0.8, 1.25), (1.0, 1.0)])
def test_the_distance_is_the_same_on_both_sides_of_one(estimate: float, distance: float) -> None:
    assert Ratio(estimate=estimate, low=0.5, high=2, pairs=3).distance == distance


def read_twice(again: float) -> Ratio:
    """Three times as much by one reading, and so many times by another one."""
    logs = [0.99, 1.0, 1.01]
    second = pairing([again * log for log in logs], [1, 1, 1])
    return replace(pairing([3 * log for log in logs], [1, 1, 1]), again=second).ratio()


@pytest.mark.parametrize(("again", "differs"), [(2, True), (1.001, False), (0.5, False)])
def test_a_verdict_needs_both_readings_of_the_same(again: float, *, differs: bool) -> None:
    assert (read_twice(again).chance < 0.05) is differs
    assert (read_twice(again).inverse().chance < 0.05) is differs
    assert read_twice(again).is_by_one_reading is not differs


slices = st.lists(st.tuples(figures, figures), min_size=2, max_size=12)


def sliced_ratio(blocks: list[tuple[list[float], list[float]]]) -> Ratio:
    found = sliced_pairing(blocks)
    assert found is not None
    return found.ratio()


def in_columns(blocks: list[list[Block]]) -> list[tuple[list[float], list[float]]]:
    return [([a for a, _ in block], [b for _, b in block]) for block in blocks]


@given(blocks=st.lists(slices, min_size=2, max_size=4))
def test_the_estimate_of_slices_comes_from_the_shifts_of_the_blocks(
    blocks: list[list[Block]],
) -> None:
    ratio = sliced_ratio(in_columns(blocks))
    shifts = [
        statistics.median(
            math.log(a / b)
            for place, (a, _) in enumerate(block)
            for other, (_, b) in enumerate(block)
            if abs(place - other) <= ROUNDS_APART_MAX
        )
        for block in blocks
    ]
    assert math.log(ratio.estimate) == pytest.approx(statistics.mean(shifts), abs=1e-9)
    assert ratio.low <= ratio.estimate * (1 + 1e-12)
    assert ratio.high >= ratio.estimate * (1 - 1e-12)
    assert ratio.pairs == sum(map(len, blocks))


@given(blocks=st.lists(slices, min_size=1, max_size=4), scale=close)
def test_slices_of_a_server_that_is_so_many_times_another_say_so(
    blocks: list[list[Block]], scale: float
) -> None:
    own = [[(scale * a, a) for a, _ in block] for block in blocks]
    assert sliced_ratio(in_columns(own)).estimate == pytest.approx(scale)


def test_slices_that_do_not_count_change_nothing() -> None:
    nan = math.nan
    drift = [1.0, 1.1, 0.9, 1.0, 1.05, 0.95, 1.0]
    doubled = [2 * luck for luck in drift]
    lost = [([nan, *doubled[1:]], drift), (doubled, [*drift[:5], nan, nan])]
    assert sliced_ratio(lost).estimate == pytest.approx(2, rel=0.05)
    assert sliced_ratio(lost).pairs == 6 + 5
    assert sliced_ratio([(lost[0])]).pairs == 6
    assert sliced_pairing([([nan, nan], [1.0, 1.0])]) is None
    assert sliced_pairing([([nan, nan], [1.0, 1.0])] * 2) is None


def test_one_slice_in_four_that_lost_its_cpu_moves_the_estimate_by_less_than_the_noise() -> None:
    noise = [1.0, 1.01, 0.99, 1.005, 0.995, 1.0, 1.01, 0.99]
    halved = [luck / 2 if place in {1, 6} else luck for place, luck in enumerate(noise)]
    assert sliced_ratio([(halved, noise)] * 3).estimate == pytest.approx(1, abs=0.01)


@given(values=st.lists(close, min_size=1, max_size=40))
def test_slices_of_one_start_are_compared_by_order(values: list[float]) -> None:
    ratio = median_ratio(values, [1.0] * len(values))
    assert math.isinf(ratio.high) == (len(values) < 6)
    assert ratio.is_distinguishable == (ratio.p_value <= 0.05)


def test_drift_that_neighbouring_slices_share_does_not_widen_the_interval() -> None:
    drift = [1.0, 1.3, 0.8, 1.1, 0.9, 2.0]
    ratio = median_ratio([1.2 * luck for luck in drift], drift)
    assert [ratio.low, ratio.high] == pytest.approx([1.2, 1.2])


def test_the_interval_of_slices_covers_what_differs_between_starts() -> None:
    noise = [0.99, 1.0, 1.01] * 20
    same = [1.0] * len(noise)
    starts = [([start * luck for luck in noise], same) for start in (0.9, 1.0, 1.1)]
    one, three = sliced_ratio(starts[1:2]), sliced_ratio(starts)
    assert one.high - one.low < 0.03
    assert three.low < 0.9
    assert three.high > 1.1


def test_what_other_pairs_show_makes_an_interval_surer_but_never_narrower_than_its_own() -> None:
    steps = [0.01, 0.004, 0.012, 0.002, 0.015, 0.008]
    usual, *others = [pairing([1 + step, 1, 1 - step], [1, 1, 1]) for step in steps]
    noise = shared_noise([usual, *others], engines=4)
    assert usual.ratio(noise).half_width < usual.ratio().half_width / 1.5
    noisy = pairing([1.5, 1, 0.7], [1, 1, 1])
    assert noise.widened(noisy.variance, noisy.degrees)[0] == noisy.variance
    assert noise.widened(0.0, 2)[0] > 0


@pytest.mark.parametrize("engines", [2, 3])
def test_without_other_pairs_there_is_nothing_to_learn(engines: int) -> None:
    alone = pairing([1.1, 1.2, 1.3], [1, 1, 1])
    assert alone.ratio(shared_noise([alone], engines)) == alone.ratio()


@pytest.mark.parametrize(
    ("a", "b"),
    [([], []), ([1], [1, 2]), ([0, 1], [1, 1]), ([1, 1], [1, -1])],
    ids=["nothing", "no pairs", "zero above", "negative below"],
)
def test_what_makes_no_ratio_is_refused(a: list[float], b: list[float]) -> None:
    with pytest.raises(ValueError, match=r"pairs|positive"):
        pairing(a, b).ratio()
