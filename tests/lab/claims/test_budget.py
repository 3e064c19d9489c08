"""How a budget is shared out, with costs that are easily added up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serverlab.claims.budget import RESERVE, Allotment, allot
from serverlab.claims.campaign import costs, deciding, plan_campaign
from serverlab.claims.excerpt import Excerpt
from serverlab.claims.needs import Place
from serverlab.claims.reports.catalog import all_claims, excerpts_of
from serverlab.design.catalog import catalog

TRIALS = 10  # of a block


def excerpt(name: str, *, blocks: int = 5, window_s: float = 4, shortest_s: float = 1) -> Excerpt:
    return Excerpt(name=name, file="", window_s=window_s, shortest_s=shortest_s, blocks=blocks)


def cost(one: Excerpt, blocks: int, window_s: float) -> float:
    """Ten trials a block, each as long as its window."""
    assert one.blocks_min <= blocks <= one.blocks
    return blocks * TRIALS * window_s


def shared(
    budget_s: float | None, *excerpts: Excerpt, claims: dict[str, int] | None = None
) -> Allotment:
    counts = {one.name: 1 for one in excerpts} | (claims or {})
    return allot(excerpts, counts, budget_s, cost)


def sizes(found: Allotment) -> list[tuple[str, int, float]]:
    return [(one.excerpt.name, one.blocks, one.window_s) for one in found.shares]


def needed(seconds: float) -> float:
    """The budget of which so much is left without the reserve."""
    return seconds / (1 - RESERVE) + 0.001


def test_without_a_budget_everything_is_whole() -> None:
    assert sizes(shared(None, excerpt("a"), excerpt("b"))) == [("a", 5, 4), ("b", 5, 4)]


def test_what_fits_is_whole() -> None:
    assert sizes(shared(needed(400), excerpt("a"), excerpt("b"))) == [("a", 5, 4), ("b", 5, 4)]


def test_blocks_go_before_windows_and_evenly() -> None:
    found = shared(needed(320), excerpt("a"), excerpt("b"))
    assert sizes(found) == [("a", 4, 4), ("b", 4, 4)]
    assert found.seconds == 320


def test_an_excerpt_of_few_blocks_keeps_them() -> None:
    found = shared(needed(160), excerpt("a"), excerpt("once", blocks=1))
    assert sizes(found) == [("a", 3, 4), ("once", 1, 4)]


def test_windows_get_shorter_where_three_blocks_are_too_many() -> None:
    found = shared(needed(120), excerpt("a"), excerpt("b"))
    assert sizes(found) == [("a", 3, 2), ("b", 3, 2)]


def test_no_window_gets_shorter_than_it_may() -> None:
    found = shared(needed(150), excerpt("a"), excerpt("b", shortest_s=3))
    assert sizes(found) == [("a", 3, 2), ("b", 3, 3)]


def test_what_does_not_fit_is_left_out_the_most_expensive_for_what_it_decides_first() -> None:
    both = [excerpt("expensive", shortest_s=2), excerpt("cheap", shortest_s=1)]
    assert [one.name for one in shared(needed(60), *both).left_out] == ["expensive"]
    found = shared(needed(60), *both, claims={"expensive": 9})
    assert [one.name for one in found.left_out] == ["cheap"]
    assert sizes(found) == [("expensive", 3, 2)]


def test_a_budget_for_nothing_leaves_everything_out() -> None:
    found = shared(1, excerpt("a"))
    assert found.shares == ()
    assert [one.name for one in found.left_out] == ["a"]


@given(
    budget_s=st.floats(min_value=1, max_value=3000),
    shortest=st.lists(st.floats(min_value=0.5, max_value=4), min_size=1, max_size=6),
)
def test_a_budget_is_never_exceeded_and_no_minimum_undercut(
    budget_s: float, shortest: list[float]
) -> None:
    found = shared(
        budget_s, *(excerpt(str(n), shortest_s=least) for n, least in enumerate(shortest))
    )
    assert found.seconds <= (1 - RESERVE) * budget_s + 1e-6
    assert len(found.shares) + len(found.left_out) == len(shortest)
    for share in found.shares:
        assert share.blocks >= 3
        assert share.window_s >= share.excerpt.shortest_s


@pytest.mark.parametrize("minutes", [20, 60])
def test_the_campaign_of_all_claims_fits_its_budget(minutes: int) -> None:
    planned = plan_campaign(all_claims(), budget_s=60 * minutes, seed=1, given=[])
    assert planned.seconds <= 60 * minutes
    left_out = set(planned.left_out)
    assert len(left_out) <= (0 if minutes == 60 else 6)


def test_the_cost_of_an_excerpt_is_that_of_its_plan() -> None:
    excerpts = {one.name: one for one in excerpts_of(all_claims(), Place(server_cpus=1))}
    one = excerpts["forum-mixes-of-three"]
    plan = one.plan(catalog(), blocks=7, window_s=2, seed=1)
    assert costs(1)(one, 7, 2) == pytest.approx(one.seconds(plan), abs=2)
    assert deciding(all_claims())[one.name] == 1
