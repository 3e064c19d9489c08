"""How numbers are written: no digit too many, a unit that suits, thousands apart."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serverlab.notation import (
    NARROW_SPACE,
    Unit,
    count,
    difference,
    listed,
    number,
    ratio_text,
    readable,
    unit_for,
)


def plain(text: str) -> str:
    return text.replace(NARROW_SPACE, " ")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (1, "1.00"),
        (9.996, "10.0"),
        (99.96, "100"),
        (999.6, "1 000"),
        (61_234, "61 200"),
        (12_345_678, "12 300 000"),
        (0.0005123, "0.000512"),
        (-4.096, "-4.10"),
    ],
)
def test_a_number_has_three_digits_that_mean_something(value: float, text: str) -> None:
    assert plain(number(value)) == text


@given(value=st.floats(1e-6, 1e12))
def test_a_number_is_within_half_a_step_of_its_third_digit(value: float) -> None:
    assert float(number(value).replace(NARROW_SPACE, "")) == pytest.approx(value, rel=0.0051)


@pytest.mark.parametrize(("value", "text"), [(8, "8"), (10_007, "10 007"), (1.5, "1.5")])
def test_what_is_counted_is_written_in_full(value: float, text: str) -> None:
    assert plain(count(value)) == text


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (812, "time", "0.812 µs"),
        (57_210, "time", "57.2 µs"),
        (3_160_895, "time", "3.16 ms"),
        (2.5e9, "time", "2.50 s"),
        (5 * 2**20, "memory", "5.00 MiB"),
        (61_234, "requests/s", "61 200 requests/s"),
        (12, "threads", "12 threads"),
    ],
)
def test_a_value_has_the_unit_that_suits_it(value: float, kind: str, text: str) -> None:
    assert plain(readable(value, kind)) == text


def test_values_that_are_compared_share_a_unit_in_which_the_largest_is_no_fraction() -> None:
    assert unit_for("time", [50_000, 21_000_000]).symbol == "ms"
    assert unit_for("time", [50_000, 2_100_000]).symbol == "µs"
    assert unit_for("CPUs busy", []) == Unit(symbol="CPUs busy")


@pytest.mark.parametrize(
    ("value", "text"), [(1.0004, "1.000"), (1.032, "1.032"), (0.969, "0.969"), (1.25, "1.25")]
)
def test_a_ratio_near_one_shows_on_which_side_it_lies(value: float, text: str) -> None:
    assert ratio_text(value) == text


@pytest.mark.parametrize(
    ("factor", "text"),
    [
        (1.0002, "less than 0.1 %"),
        (1.034, "3.4 %"),
        (1.65, "65 %"),
        (2.4, "a factor of 2.40"),
        (math.inf, "anything"),
    ],
)
def test_a_difference_is_a_share_until_it_is_a_factor(factor: float, text: str) -> None:
    assert plain(difference(factor)) == text


@pytest.mark.parametrize(
    ("names", "text"),
    [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")],
)
def test_names_stand_in_a_row(names: list[str], text: str) -> None:
    assert listed(names) == text
