"""Shares of cases: between the bounds of the tables, as often as is said."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from serverlab.stats.share import share_interval


@pytest.mark.parametrize(
    ("cases", "count", "low", "high"),
    [(0, 10, 0, 0.3085), (10, 10, 0.6915, 1), (5, 10, 0.1871, 0.8129), (4, 100, 0.0110, 0.0993)],
)
def test_the_bounds_are_those_of_the_tables(
    cases: int, count: int, low: float, high: float
) -> None:
    assert share_interval(cases, count) == pytest.approx((low, high), abs=1e-4)


@given(count=st.integers(1, 1000), share=st.floats(0, 1), confidence=st.floats(0.5, 0.999))
def test_the_bounds_are_those_of_scipy(count: int, share: float, confidence: float) -> None:
    cases = round(share * count)
    expected = binomtest(cases, count).proportion_ci(confidence, method="exact")
    assert share_interval(cases, count, confidence) == pytest.approx(tuple(expected), abs=1e-9)


@given(count=st.integers(1, 60), true=st.floats(0.01, 0.99))
def test_the_true_share_lies_within_at_least_as_often_as_is_said(count: int, true: float) -> None:
    held = sum(
        math.comb(count, cases) * true**cases * (1 - true) ** (count - cases)
        for cases in range(count + 1)
        if share_interval(cases, count)[0] <= true <= share_interval(cases, count)[1]
    )
    assert held >= 0.95 - 1e-9


def test_of_no_trial_nothing_is_known() -> None:
    assert share_interval(0, 0) == (0, 1)
