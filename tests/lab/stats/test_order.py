"""Intervals by order: as sure as they say, and no surer than the values allow."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from serverlab.stats.order import rank_interval, sign_test

counts = st.integers(1, 200)
shares = st.sampled_from([0.1, 0.5, 0.9, 0.99])


def chance(count: int, below: int, share: float) -> float:
    """That exactly so many of the values lie below the quantile."""
    return math.comb(count, below) * share**below * (1 - share) ** (count - below)


@given(count=counts, share=shares, confidence=st.floats(0.5, 0.999))
def test_the_quantile_lies_between_the_two_ranks_as_often_as_is_said(
    count: int, share: float, confidence: float
) -> None:
    low, high = rank_interval(count, share, confidence)
    assert 0 <= low < high <= count + 1
    assert sum(chance(count, below, share) for below in range(low, high)) >= confidence - 1e-9


@given(count=counts, share=shares, confidence=st.floats(0.5, 0.99))
def test_the_surer_the_wider(count: int, share: float, confidence: float) -> None:
    low, high = rank_interval(count, share, confidence)
    wider_low, wider_high = rank_interval(count, share, confidence + 0.009)
    assert wider_low <= low
    assert wider_high >= high


@pytest.mark.parametrize(
    ("count", "ranks"), [(5, (0, 6)), (6, (1, 6)), (10, (2, 9)), (100, (40, 61))]
)
def test_the_ranks_of_a_median_are_those_of_the_tables(count: int, ranks: tuple[int, int]) -> None:
    assert rank_interval(count, 0.5) == ranks


def test_a_far_percentile_needs_many_values_to_be_bounded_above() -> None:
    assert rank_interval(100, 0.99)[1] == 101
    assert rank_interval(1000, 0.99) == (983, 997)


@given(count=st.integers(1, 60), below=st.integers(0, 60))
def test_the_sign_test_and_the_interval_agree(count: int, below: int) -> None:
    below = min(below, count)
    low, high = rank_interval(count, 0.5)
    excludes_zero = below < low or below >= high
    assert (sign_test(below, count - below, 0) <= 0.05) == excludes_zero


@given(below=st.integers(0, 300), above=st.integers(0, 300))
def test_the_sign_test_is_that_of_scipy(below: int, above: int) -> None:
    expected = binomtest(below, below + above).pvalue if below + above > 0 else 1
    assert sign_test(below, above, 0) == pytest.approx(expected)
