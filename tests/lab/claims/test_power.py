"""What a plan is expected to tell apart, and which tests ask for more."""

from __future__ import annotations

from serverlab.claims.needs import Place
from serverlab.claims.power import expected_reach, too_fine
from serverlab.claims.reports.catalog import chosen_claims, excerpts_of
from serverlab.design.catalog import catalog

SMALL = Place(server_cpus=1)


def reach(claim: str, name: str, *, blocks: int, window_s: float = 2) -> float | None:
    [one] = [one for one in excerpts_of(chosen_claims([claim]), SMALL) if one.name == name]
    return expected_reach(one.plan(catalog(), blocks=1, window_s=window_s, seed=1), blocks)


def test_more_blocks_tell_more_apart() -> None:
    few, many = (reach("T13", "thesis-one-thread", blocks=blocks) for blocks in (3, 9))
    assert few is not None
    assert many is not None
    assert 0.005 < many < few < 0.05


def test_longer_windows_of_slices_tell_more_apart() -> None:
    short, long = (
        reach("T13", "thesis-one-thread", blocks=5, window_s=window) for window in (1, 8)
    )
    assert short is not None
    assert long is not None
    assert long < short


def test_servers_that_take_turns_tell_more_apart_than_trials_of_their_own() -> None:
    turns, trials = reach("T13", "thesis-one-thread", blocks=5), reach("T9", "thesis", blocks=5)
    assert turns is not None
    assert trials is not None
    assert turns < trials / 2


def test_one_block_tells_nothing() -> None:
    assert reach("T11", "thesis-10000", blocks=1) is None


def test_a_border_that_is_nearer_than_a_run_can_tell_is_announced() -> None:
    claims = chosen_claims(["T13", "B6"])
    reaches = {"thesis-one-thread": 0.03, "bucket-counts": 0.02}
    [one] = too_fine(claims, reaches, SMALL)
    assert (one.claim, one.run, one.reach) == ("T13", "thesis-one-thread", 0.03)
    assert 0.0199 < one.border < 0.0201


def test_what_is_not_tested_here_is_not_announced() -> None:
    assert too_fine(chosen_claims(["T10"]), {"thesis": 0.5}, SMALL) == []
