"""What a search answers when it could not settle: what its trials have seen, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from serverlab.load_result import LoadResult, Verdict
from serverlab.records import PlannedTrial, Trial
from serverlab.search.answer import Answer, result
from serverlab.search.goals import read_goal
from serverlab.search.search import next_trial
from serverlab.search.steps import Ending
from tests.lab import report_data
from tests.lab.search_data import ASKED

if TYPE_CHECKING:
    from collections.abc import Callable

    from serverlab.search.search import Asked

PEAK_PER_S, CAPACITY_PER_S = 17_450.0, 5200.0
FAST_NS, SLOW_NS = 8_000_000, 31_000_000
GOALS = [read_goal("p99 <= 20ms")]


def asked(budget: str, duration: str) -> Asked:
    """A search for p99 <= 20ms within this time."""
    return msgspec.structs.replace(ASKED, goals=GOALS, budget=budget, duration=duration)


def ended(planned: PlannedTrial, *, is_fast: bool, is_late: bool = False) -> Trial:
    """A trial whose p99 is far from the bound, of a generator that may be late by 10 ms."""
    rate_per_s = float(planned.cell["rate"])
    load = report_data.load(connections=64, goodput=rate_per_s or PEAK_PER_S)
    p99_ns = FAST_NS if is_fast else SLOW_NS
    load["latency_ns"] = {"p50": FAST_NS, "p90": FAST_NS, "p99": p99_ns, "p99_9": SLOW_NS}
    load["send_lag_ns"] = {"p99": 10_000_000 if is_late else 10_000}
    verdict = Verdict("CLIENT-LIMITED", "p99 send lag 10 ms") if is_late else Verdict("VALID", "")
    return planned.ended("", verdict, load=msgspec.convert(load, LoadResult))


def searched(what: Asked, take: Callable[[PlannedTrial], Trial]) -> tuple[Answer, list[Trial]]:
    """A whole search, and its answer."""
    records: list[Trial] = []
    while (planned := next_trial(what, records)) is not None:
        records.append(take(planned))
        assert len(records) < 200
    [found] = result(what, records).answers
    return found, records


def with_pauses(planned: PlannedTrial) -> Trial:
    """A trial of a server whose pauses are too rare for the short trials."""
    is_short = planned.cell["length"] in {"peak", "short"}
    capacity_per_s = 13_000 if is_short else CAPACITY_PER_S
    return ended(planned, is_fast=float(planned.cell["rate"]) <= capacity_per_s)


def test_a_search_comes_down_to_what_a_server_with_rare_pauses_sustains() -> None:
    found, records = searched(asked("150s", "5s"), with_pauses)
    assert found.highest_per_s is not None
    assert 0.9 * CAPACITY_PER_S < found.highest_per_s <= CAPACITY_PER_S
    full = [one for one in records if one.cell["length"] == "full"]
    assert sum(float(one.cell["rate"]) > 1.1 * CAPACITY_PER_S for one in full) <= 7


@pytest.mark.parametrize("budget", ["20s", "60s", "90s"])
def test_a_search_without_time_answers_with_what_its_curve_has_seen(budget: str) -> None:
    found, records = searched(asked(budget, "5s"), with_pauses)
    assert found.found.ending is Ending.OUT_OF_TIME
    assert found.highest_per_s is not None
    assert found.highest_per_s <= CAPACITY_PER_S
    assert found.headline.startswith("at least ")
    assert found.sentence.startswith("At least ")
    assert f"Not settled within {budget}: a longer --budget" in found.sentence
    assert "kept in " in found.sentence
    assert "no rate" not in found.sentence
    assert found.curve == ""
    curve = [float(one.cell["rate"]) for one in records if one.cell["length"] == "curve"]
    assert max(rate for rate in curve if rate <= CAPACITY_PER_S) <= found.highest_per_s


def test_a_generator_that_was_late_is_no_reason_for_a_longer_budget() -> None:
    def late(planned: PlannedTrial) -> Trial:
        return ended(planned, is_fast=False, is_late=bool(planned.cell["rate"]))

    found, _ = searched(asked("60s", "5s"), late)
    assert found.headline == "no rate"
    assert "the generator was late in" in found.sentence
    assert "--load-cpus" in found.sentence
    assert "--budget" not in found.sentence


def test_what_the_curve_has_seen_counts_where_the_generator_was_late_before() -> None:
    def late_at_first(planned: PlannedTrial) -> Trial:
        is_curve = planned.cell["length"] == "curve"
        return ended(planned, is_fast=is_curve, is_late=bool(planned.cell["rate"]) and not is_curve)

    found, records = searched(asked("", "1s"), late_at_first)
    assert found.found.ending is Ending.UNSETTLED
    curve = [float(one.cell["rate"]) for one in records if one.cell["length"] == "curve"]
    assert found.highest_per_s == max(curve)
    assert "the generator was late in" in found.sentence
    assert found.curve == ""


def test_a_server_that_keeps_nothing_in_time_has_no_rate() -> None:
    found, _ = searched(asked("20s", "5s"), lambda planned: ended(planned, is_fast=False))
    assert found.headline == "no rate"
    assert found.sentence.startswith("No rate was kept; ")
