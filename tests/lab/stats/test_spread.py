"""Spreads over blocks, and the blocks that stand apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serverlab.stats.spread import Spread, outliers, spread_of


def test_a_spread_is_the_median_with_the_extremes() -> None:
    assert spread_of([5, 1, 2]) == Spread(median=2, low=1, high=5)


@given(values=st.lists(st.floats(0, 1e9), min_size=1))
def test_the_median_lies_between_the_extremes(values: list[float]) -> None:
    spread = spread_of(values)
    assert spread.low <= spread.median <= spread.high


@pytest.mark.parametrize(
    ("values", "places"),
    [
        ([10, 11, 10.5, 9.5, 30], [4]),
        ([10, 11, 10.5, 9.5, 10.2], []),
        ([10, 10, 10, 10, 30], []),
        ([10, 10.1, 30], []),
    ],
    ids=["one apart", "none apart", "no deviation to measure by", "too few to tell"],
)
def test_a_value_far_from_the_median_is_flagged(values: list[float], places: list[int]) -> None:
    assert outliers(values) == places


@given(values=st.lists(st.integers(1, 1000), min_size=5), scale=st.sampled_from([0.25, 2, 1024]))
def test_the_unit_does_not_decide_what_is_an_outlier(values: list[int], scale: float) -> None:
    assert outliers([scale * value for value in values]) == outliers(values)
