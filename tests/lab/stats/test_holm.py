"""Many comparisons at once: of equal things, hardly any time even one is called different."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serverlab.stats.holm import holm

LEVEL = 0.05
ROUNDS = 4000
p_values = st.lists(st.floats(0, 1), max_size=12)


def test_holm_steps_down() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


@given(values=p_values)
def test_a_correction_raises_keeps_the_order_and_ends_at_one(values: list[float]) -> None:
    adjusted = holm(values)
    for raw, one in zip(values, adjusted, strict=True):
        assert raw <= one <= min(1.0, raw * len(values) + 1e-12) or one == max(adjusted)
    ordered = sorted(zip(values, adjusted, strict=True))
    assert all(a[1] <= b[1] for a, b in itertools.pairwise(ordered))


@given(values=p_values, order=st.randoms(use_true_random=False))
def test_the_order_of_the_comparisons_does_not_matter(values: list[float], order: object) -> None:
    mixed = list(values)
    order.shuffle(mixed)  # type: ignore[attr-defined]  # hypothesis makes a Random
    assert sorted(holm(mixed)) == pytest.approx(sorted(holm(values)))


def test_a_share_decides_how_much_a_comparison_is_raised() -> None:
    assert holm([0.01, 0.5, 0.5], [3, 1, 1]) == pytest.approx([0.01 * 5 / 3, 1, 1])
    assert holm([0.5, 0.01, 0.5], [3, 1, 1]) == pytest.approx([0.5 * 4 / 3, 0.05, 0.5 * 4 / 3])


@pytest.mark.parametrize("shares", [(), (3.0, 1.0, 1.0)])
def test_of_equal_things_none_is_called_different_as_often_as_is_said(
    shares: tuple[float, ...],
) -> None:
    drawn = random.Random(1)
    alarms = sum(
        min(holm([drawn.random() for _ in range(3)], shares)) <= LEVEL for _ in range(ROUNDS)
    )
    assert 0.04 < alarms / ROUNDS < 0.055
