"""Where an interval has to lie for a answer."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serverlab.claims.answer import Answer, together
from serverlab.claims.region import Region, above, below, beyond, within
from serverlab.stats.paired import Ratio

factors = st.floats(min_value=0.01, max_value=100)


def ratio(low: float, high: float) -> Ratio:
    return Ratio(estimate=math.sqrt(low * high), low=low, high=high, pairs=5)


@pytest.mark.parametrize(
    ("region", "low", "high", "answer"),
    [
        (above(1.02), 1.03, 1.2, Answer.YES),
        (above(1.02), 0.9, 1.01, Answer.NO),
        (above(1.02), 1.0, 1.1, Answer.UNDECIDED),
        (above(1.02), 1.001, 1.015, Answer.NO),  # a tie within what matters
        (below(0.98), 0.5, 0.6, Answer.YES),
        (below(0.98), 0.97, 0.99, Answer.UNDECIDED),
        (within(1.05), 0.97, 1.04, Answer.YES),
        (within(1.05), 1.06, 1.2, Answer.NO),
        (within(1.05), 1.0, 1.06, Answer.UNDECIDED),
        (within(1.05), 0.5, 2, Answer.UNDECIDED),
        (beyond(1.05), 1.06, 1.2, Answer.YES),
        (beyond(1.05), 0.97, 1.04, Answer.NO),
        (beyond(1.05), 1.0, 1.06, Answer.UNDECIDED),
        (above(1.02), 0.0001, math.inf, Answer.UNDECIDED),
    ],
)
def test_an_interval_decides_only_on_one_side_of_the_border(
    region: Region, low: float, high: float, answer: Answer
) -> None:
    assert region.answer(ratio(low, min(high, 1e9))) is answer


@given(border=factors, low=factors, width=st.floats(min_value=1, max_value=10))
def test_more_is_less_the_other_way_round(border: float, low: float, width: float) -> None:
    there = above(border).answer(ratio(low, low * width))
    back = below(1 / border).answer(ratio(1 / (low * width), 1 / low))
    assert there is back or math.isclose(low, border) or math.isclose(low * width, border)


@given(factor=st.floats(min_value=1.001, max_value=10), low=factors, width=factors)
def test_an_effect_and_none_are_never_both_true(factor: float, low: float, width: float) -> None:
    found = ratio(low, low * max(1.0, width))
    answers = {within(factor).answer(found), beyond(factor).answer(found)}
    assert answers in (
        {Answer.YES, Answer.NO},
        {Answer.UNDECIDED},
    )


@given(low=factors, width=st.floats(min_value=1, max_value=10), border=factors)
def test_a_wider_interval_never_turns_a_verdict_round(
    low: float, width: float, border: float
) -> None:
    narrow = above(border).answer(ratio(low, low * width))
    wide = above(border).answer(ratio(low / 2, low * width * 2))
    assert wide in (narrow, Answer.UNDECIDED)


def test_the_worst_part_decides() -> None:
    parts = [Answer.YES, Answer.UNDECIDED, Answer.NO, Answer.NOT_TESTABLE]
    assert together(parts) is Answer.NO
    assert together(parts[:2]) is Answer.UNDECIDED
    assert together([Answer.YES, Answer.NOT_TESTABLE]) is Answer.NOT_TESTABLE
    assert together([Answer.YES]) is Answer.YES


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
