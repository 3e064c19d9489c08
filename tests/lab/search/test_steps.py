"""Which trial is next in a search, and when it is content: against servers that are arithmetic."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serverlab.search.goals import Outcome
from serverlab.search.steps import Ending, Found, Length, Step, Terms, Tried, next_step, so_far

PRECISION = 0.03
TRIALS_MAX = 200  # no search takes that many


def terms(
    *, start: float = 1000.0, lowest: float = 100.0, highest: float = math.inf, repeats: int = 3
) -> Terms:
    return Terms(
        lowest_per_s=lowest,
        highest_per_s=highest,
        start_per_s=start,
        precision=PRECISION,
        repeats=repeats,
    )


def searched(serve: Callable[[Step], Outcome], within: Terms) -> tuple[Found, list[Tried]]:
    """Search against a server that is a function."""
    tried: list[Tried] = []
    while len(tried) < TRIALS_MAX:
        step = next_step(tried, within)
        if isinstance(step, Found):
            return step, tried
        tried.append(
            Tried(rate_per_s=step.rate_per_s, length=step.length, outcome=serve(step), why="p99")
        )
    pytest.fail(f"no end after {TRIALS_MAX} trials: {tried[-10:]}")


def capacity(per_s: float) -> Callable[[Step], Outcome]:
    return lambda step: Outcome.KEPT if step.rate_per_s <= per_s else Outcome.BROKEN


@given(st.floats(200, 1e6), st.floats(100, 1e6))
def test_a_capacity_is_found_within_the_precision_wherever_it_begins(
    per_s: float, start: float
) -> None:
    found, _ = searched(capacity(per_s), terms(start=start))
    assert found.ending is Ending.FOUND
    assert found.kept is not None
    assert found.broken is not None
    assert found.kept.rate_per_s <= per_s < found.broken.rate_per_s
    assert found.broken.rate_per_s / found.kept.rate_per_s <= 1.002 * (1 + PRECISION)


def test_both_sides_are_settled_by_trials_of_full_length_that_agree() -> None:
    found, tried = searched(capacity(5000), terms(repeats=3))
    for side in (found.kept, found.broken):
        assert side is not None
        full = [
            one for one in tried if one.rate_per_s == side.rate_per_s and one.length is Length.FULL
        ]
        assert len(full) == 3
    assert len(tried) < 30


def test_a_side_on_which_a_trial_disagrees_takes_one_more() -> None:
    times = Counter[float]()
    strays = iter([True])

    def serve(step: Step) -> Outcome:
        times[step.rate_per_s] += step.length is Length.FULL
        if times[step.rate_per_s] == 2 and next(strays, False):  # the first that is to be settled
            return Outcome.BROKEN
        return capacity(5000)(step)

    _, tried = searched(serve, terms())
    full = Counter(one.rate_per_s for one in tried if one.length is Length.FULL)
    assert sorted(full.values())[-2:] == [3, 4]


@pytest.mark.parametrize("seed", range(20))
def test_a_machine_that_disturbs_one_trial_in_ten_is_no_obstacle(seed: int) -> None:
    drawn = random.Random(seed)

    def serve(step: Step) -> Outcome:
        return Outcome.BROKEN if drawn.random() < 0.1 else capacity(5000)(step)

    found, _ = searched(serve, terms())
    assert found.kept is not None
    assert found.kept.rate_per_s == pytest.approx(5000, rel=2 * PRECISION)


def test_short_trials_that_deceive_are_corrected_by_long_ones() -> None:
    def serve(step: Step) -> Outcome:
        return capacity(8000 if step.length is Length.SHORT else 5000)(step)

    found, _ = searched(serve, terms())
    assert found.kept is not None
    assert 5000 / 1.04 < found.kept.rate_per_s <= 5000

    def shy(step: Step) -> Outcome:
        return capacity(3000 if step.length is Length.SHORT else 5000)(step)

    found, _ = searched(shy, terms())
    assert found.kept is not None
    assert 5000 / 1.04 < found.kept.rate_per_s <= 5000


def test_a_search_whose_short_trials_deceive_comes_down_with_one_trial_of_each_rate() -> None:
    # As of a server with a garbage collector: its pauses come in long trials alone.
    def serve(step: Step) -> Outcome:
        return capacity(13_000 if step.length is Length.SHORT else 5200)(step)

    _, tried = searched(serve, terms(start=8700, lowest=260))
    full = [one for one in tried if one.length is Length.FULL]
    kept = next(place for place, one in enumerate(full) if one.outcome is Outcome.KEPT)
    assert kept <= 5
    assert {one.rate_per_s for one in full[:kept]} == {
        one.rate_per_s for one in full[: kept + 1] if one.outcome is Outcome.BROKEN
    }
    assert len({one.rate_per_s for one in full[: kept + 1]}) == kept + 1


def test_a_rate_that_one_trial_has_kept_by_chance_is_not_the_answer() -> None:
    votes = [
        (13_000.0, Outcome.BROKEN), (10_900.0, Outcome.KEPT), (8700.0, Outcome.BROKEN),
        (6251.0, Outcome.BROKEN), (5001.0, Outcome.KEPT), (3751.0, Outcome.KEPT),
    ]  # fmt: skip
    tried = [
        Tried(rate_per_s=rate, length=Length.FULL, outcome=outcome, why="p99")
        for rate, outcome in votes
    ]
    found = so_far(tried, 3)
    assert found.kept is not None
    assert found.broken is not None
    assert (found.kept.rate_per_s, found.broken.rate_per_s) == (5001, 6251)


def test_a_generator_that_cannot_offer_more_is_named_as_the_limit() -> None:
    found, _ = searched(
        lambda step: Outcome.KEPT if step.rate_per_s <= 5000 else Outcome.LATE, terms()
    )
    assert found.ending is Ending.CLIENT_LIMITED
    assert found.kept is not None
    assert found.kept.rate_per_s == pytest.approx(5000, rel=PRECISION)


def test_a_network_that_carries_no_more_is_named_as_the_limit() -> None:
    found, _ = searched(
        lambda step: Outcome.KEPT if step.rate_per_s <= 5000 else Outcome.FULL, terms(repeats=3)
    )
    assert found.ending is Ending.NETWORK_BOUND
    assert found.kept is not None
    assert found.kept.rate_per_s == pytest.approx(5000, rel=PRECISION)
    assert found.broken is not None
    assert (found.broken.trials, found.broken.full) == (3, 3)


def test_a_generator_that_is_late_now_and_then_is_no_obstacle() -> None:
    late = itertools.cycle([True, False, False])

    def serve(step: Step) -> Outcome:
        if step.length is Length.FULL and next(late):
            return Outcome.LATE
        return capacity(5000)(step)

    found, _ = searched(serve, terms())
    assert found.ending is Ending.FOUND
    assert found.kept is not None
    assert 5000 / 1.04 < found.kept.rate_per_s <= 5000
    assert found.kept.late > 0


def test_a_server_that_keeps_nothing_is_told_at_the_lowest_rate() -> None:
    found, _ = searched(lambda _: Outcome.BROKEN, terms(lowest=130))
    assert found.ending is Ending.NONE_KEPT
    assert found.kept is None
    assert found.broken is not None
    assert found.broken.rate_per_s == 130


def test_a_server_that_keeps_all_is_tried_up_to_the_highest_rate() -> None:
    found, tried = searched(lambda _: Outcome.KEPT, terms(highest=20_000))
    assert found.ending is Ending.ALL_KEPT
    assert found.kept is not None
    assert found.kept.rate_per_s == 20_000
    assert max(one.rate_per_s for one in tried) == 20_000


def test_a_machine_that_never_agrees_comes_to_an_end() -> None:
    drawn = random.Random(1)
    found, _ = searched(lambda _: drawn.choice([Outcome.KEPT, Outcome.BROKEN]), terms(highest=1e6))
    assert found.ending in {Ending.UNSETTLED, Ending.FOUND, Ending.NONE_KEPT, Ending.ALL_KEPT}


@given(st.floats(200, 1e5), st.integers(0, 10))
def test_a_search_that_was_stopped_goes_on_with_the_same_trial(per_s: float, at: int) -> None:
    _, tried = searched(capacity(per_s), terms())
    for kept in range(min(at, len(tried))):
        step = next_step(tried[:kept], terms())
        assert isinstance(step, Step)
        assert (step.rate_per_s, step.length) == (tried[kept].rate_per_s, tried[kept].length)


@given(st.floats(200, 1e6), st.integers(0, 60))
def test_a_search_whose_time_is_over_says_what_it_knows(per_s: float, trials: int) -> None:
    _, tried = searched(capacity(per_s), terms())
    found = so_far(tried[:trials], 3)
    assert found.ending is Ending.OUT_OF_TIME
    assert found.kept is None or found.kept.rate_per_s <= per_s
    assert found.broken is None or found.broken.rate_per_s > per_s
    assert trials == 0 or found.kept or found.broken


def test_where_the_time_is_over_a_settled_rate_is_worth_more_than_a_single_trial() -> None:
    votes = [(1000.0, Outcome.KEPT)] * 3 + [(1100.0, Outcome.BROKEN), (1060.0, Outcome.KEPT)]
    tried = [
        Tried(rate_per_s=rate, length=Length.FULL, outcome=outcome, why="p99")
        for rate, outcome in votes
    ]
    found = so_far(tried, 3)
    assert found.kept is not None
    assert found.kept.rate_per_s == 1000
    assert found.broken is not None
    assert found.broken.rate_per_s == 1100
