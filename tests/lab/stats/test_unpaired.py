"""Two runs whose blocks are no pairs: Welch's interval of the logarithms."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_ind

from serverlab.stats.unpaired import unpaired_ratio

# From 0.01 to 10: of values that hardly differ scipy warns.
blocks = st.lists(
    st.integers(1, 1000).map(lambda hundredths: hundredths / 100),
    min_size=2,
    max_size=30,
    unique=True,
)


@given(a=blocks, b=blocks)
def test_the_interval_is_that_of_scipy(a: list[float], b: list[float]) -> None:
    logs = [[math.log(value) for value in values] for values in (a, b)]
    expected = ttest_ind(*logs, equal_var=False).confidence_interval()
    ratio = unpaired_ratio(a, b)
    assert ratio.low == pytest.approx(math.exp(expected.low), rel=1e-6)
    assert ratio.high == pytest.approx(math.exp(expected.high), rel=1e-6)


def test_blocks_without_noise_have_an_interval_without_width() -> None:
    ratio = unpaired_ratio([2.0, 2.0], [1.0, 1.0])
    assert (ratio.low, ratio.estimate, ratio.high) == pytest.approx((2, 2, 2))
