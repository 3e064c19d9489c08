"""Many comparisons: corrected for their number, and an order that invents none."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serverlab.stats.holm import holm
from serverlab.stats.ranks import Group, tied_groups

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


def groups_of(values: dict[str, float], apart: float) -> list[Group[str]]:
    return tied_groups(list(values), lambda a, b: values[a] > values[b] + apart)


def test_what_cannot_be_told_apart_shares_its_ranks() -> None:
    groups = groups_of({"a": 10, "b": 20, "c": 9.5, "d": 1}, apart=1)
    assert [(group.members, group.first, group.last) for group in groups] == [
        (("b",), 1, 1), (("a", "c"), 2, 3), (("d",), 4, 4),
    ]  # fmt: skip


def test_a_tie_goes_on_from_one_to_the_next() -> None:
    assert [group.members for group in groups_of({"a": 3, "b": 2, "c": 1}, apart=1.5)] == [
        ("a", "b", "c")
    ]


def test_a_circle_is_a_tie() -> None:
    [group] = tied_groups("abc", lambda a, b: a + b in {"ab", "bc", "ca"})
    assert group.members == ("a", "b", "c")


@given(
    values=st.dictionaries(st.text("abcdefgh", min_size=1, max_size=2), st.floats(0, 100)),
    apart=st.floats(0, 50),
)
def test_each_group_beats_every_later_one_and_none_is_left_out(
    values: dict[str, float], apart: float
) -> None:
    groups = groups_of(values, apart)
    assert sorted(one for group in groups for one in group.members) == sorted(values)
    for better, worse in itertools.combinations(groups, 2):
        assert better.last < worse.first
        assert all(
            values[a] > values[b] + apart
            for a, b in itertools.product(better.members, worse.members)
        )
