"""An order that invents none: what cannot be told apart shares its rank."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from serverlab.stats.ranks import Group, tied_groups


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
