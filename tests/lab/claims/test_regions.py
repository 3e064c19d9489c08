"""Where an interval has to lie for a verdict."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serverlab.claims.region import Region, above, below, beyond, within
from serverlab.claims.verdict import Verdict, together
from serverlab.stats.paired import Ratio

factors = st.floats(min_value=0.01, max_value=100)


def ratio(low: float, high: float) -> Ratio:
    return Ratio(estimate=math.sqrt(low * high), low=low, high=high, pairs=5)


@pytest.mark.parametrize(
    ("region", "low", "high", "verdict"),
    [
        (above(1.02), 1.03, 1.2, Verdict.REPRODUCED),
        (above(1.02), 0.9, 1.01, Verdict.CONTRADICTED),
        (above(1.02), 1.0, 1.1, Verdict.UNDECIDED),
        (above(1.02), 1.001, 1.015, Verdict.CONTRADICTED),  # a tie within what matters
        (below(0.98), 0.5, 0.6, Verdict.REPRODUCED),
        (below(0.98), 0.97, 0.99, Verdict.UNDECIDED),
        (within(1.05), 0.97, 1.04, Verdict.REPRODUCED),
        (within(1.05), 1.06, 1.2, Verdict.CONTRADICTED),
        (within(1.05), 1.0, 1.06, Verdict.UNDECIDED),
        (within(1.05), 0.5, 2, Verdict.UNDECIDED),
        (beyond(1.05), 1.06, 1.2, Verdict.REPRODUCED),
        (beyond(1.05), 0.97, 1.04, Verdict.CONTRADICTED),
        (beyond(1.05), 1.0, 1.06, Verdict.UNDECIDED),
        (above(1.02), 0.0001, math.inf, Verdict.UNDECIDED),
    ],
)
def test_an_interval_decides_only_on_one_side_of_the_border(
    region: Region, low: float, high: float, verdict: Verdict
) -> None:
    assert region.verdict(ratio(low, min(high, 1e9))) is verdict


@given(border=factors, low=factors, width=st.floats(min_value=1, max_value=10))
def test_more_is_less_the_other_way_round(border: float, low: float, width: float) -> None:
    there = above(border).verdict(ratio(low, low * width))
    back = below(1 / border).verdict(ratio(1 / (low * width), 1 / low))
    assert there is back or math.isclose(low, border) or math.isclose(low * width, border)


@given(factor=st.floats(min_value=1.001, max_value=10), low=factors, width=factors)
def test_an_effect_and_none_are_never_both_true(factor: float, low: float, width: float) -> None:
    found = ratio(low, low * max(1.0, width))
    verdicts = {within(factor).verdict(found), beyond(factor).verdict(found)}
    assert verdicts in (
        {Verdict.REPRODUCED, Verdict.CONTRADICTED},
        {Verdict.UNDECIDED},
    )


@given(low=factors, width=st.floats(min_value=1, max_value=10), border=factors)
def test_a_wider_interval_never_turns_a_verdict_round(
    low: float, width: float, border: float
) -> None:
    narrow = above(border).verdict(ratio(low, low * width))
    wide = above(border).verdict(ratio(low / 2, low * width * 2))
    assert wide in (narrow, Verdict.UNDECIDED)


def test_the_worst_part_decides() -> None:
    parts = [Verdict.REPRODUCED, Verdict.UNDECIDED, Verdict.CONTRADICTED, Verdict.NOT_TESTABLE]
    assert together(parts) is Verdict.CONTRADICTED
    assert together(parts[:2]) is Verdict.UNDECIDED
    assert together([Verdict.REPRODUCED, Verdict.NOT_TESTABLE]) is Verdict.NOT_TESTABLE
    assert together([Verdict.REPRODUCED]) is Verdict.REPRODUCED


@pytest.mark.parametrize(
    ("region", "words"),
    [
        (above(1.02), "at least 1.020"),
        (below(0.5), "at most 0.500"),
        (within(1.25), "0.800 to 1.25"),
        (beyond(1.25), "a ratio outside of 0.800 to 1.25"),
    ],
)
def test_a_region_is_said_in_words(region: Region, words: str) -> None:
    assert region.words == words
