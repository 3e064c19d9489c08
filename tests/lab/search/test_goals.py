"""Service-level objectives: how they are written, and what a trial says of them."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy
import pytest

from serverlab.errors import UsageError
from serverlab.load_result import LoadResult, Verdict
from serverlab.records import PlannedTrial, Trial
from serverlab.search.curve import SHARES, Point, knee
from serverlab.search.goals import Bound, Goal, Outcome, judge, read_goal
from serverlab.stats.histogram import Histogram, encode
from tests.lab import report_data

GOAL = read_goal("p99 <= 5ms")
PLANNED = PlannedTrial(
    trial="001-full", block=1, order=1, cell={"length": "full", "rate": 1000.0}, engine="poll",
    service="echo", server_settings={}, load_settings={},
)  # fmt: skip
# Of a load's result: what a test may change.
PARTS = {
    "requests": {"errors", "unanswered"},
    "latency_ns": {"p99", "unanswered"},
    "rate": {"achieved_per_s"},
    "connections": {"established"},
}


def record(**changes: Any) -> Trial:  # noqa: ANN401 - any JSON
    """A trial of 10 000 requests that has kept the goal, but for changes: `p99=7_000_000`."""
    load = report_data.load(connections=8, goodput=1000.0)
    load["requests"] = {"intended": 10_000}
    load["latency_ns"] = {"p50": 1_000_000, "p90": 2_000_000, "p99": 4_000_000, "p99_9": 8_000_000}
    load["send_lag_ns"] = {"p99": changes.pop("lag", 10_000)}
    verdict = Verdict(changes.pop("verdict", "VALID"), changes.pop("reason", ""))
    for name, value in changes.items():
        holders = [part for part, names in PARTS.items() if name in names]
        assert holders, name
        for part in holders:
            load[part][name] = value
    return PLANNED.ended("", verdict, load=msgspec.convert(load, LoadResult))


def test_a_goal_is_bounds_on_percentiles() -> None:
    assert GOAL.bounds == [Bound(percentile="p99", limit_ns=5e6)]
    both = read_goal("p50 <= 1ms and p99.9 ≤ 20 ms")
    assert [(bound.percentile, bound.limit_ns) for bound in both.bounds] == [
        ("p50", 1e6),
        ("p99.9", 2e7),
    ]
    assert both.requests_min == pytest.approx(13_000)


def test_a_percentile_that_the_generator_does_not_give_is_that_of_its_histogram() -> None:
    goal = read_goal("p95 <= 5ms")
    assert goal.requests_min == pytest.approx(260)
    counts = numpy.zeros(40_000, dtype=numpy.int64)
    counts[[1000, 2000]] = [940, 60]
    slow_ns = Histogram(counts).quantile(0.95)
    assert slow_ns is not None
    kept = msgspec.json.decode(msgspec.json.encode(record()), type=Trial)
    assert kept.load is not None
    for limit_ns, outcome in ((slow_ns, Outcome.KEPT), (slow_ns - 1, Outcome.BROKEN)):
        latency = msgspec.structs.replace(
            kept.load.latency_ns, count=1000, hdr=encode(Histogram(counts))
        )
        load = msgspec.structs.replace(kept.load, latency_ns=latency)
        bound = Bound(percentile="p95", limit_ns=limit_ns)
        trial = msgspec.structs.replace(kept, load=load)
        assert judge(trial, Goal(text="", bounds=[bound]))[0] is outcome
    assert judge(kept, goal) == (Outcome.BROKEN, "p95 is not known: too few requests")


@pytest.mark.parametrize(
    "text",
    [
        "p99",
        "p99 < 5ms",
        "p100 <= 5ms",
        "p0 <= 5ms",
        "p9.9.9 <= 5ms",
        "p99 <= 5",
        "",
        "p99 <= 5ms,",
    ],
)
def test_a_goal_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        read_goal(text)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"p99": 6_000_000}, "p99 6 ms"),
        ({"p99": None, "unanswered": 300}, "300 of 10000 requests had no reply"),
        ({"errors": {"read_reset": 1}}, "1 × read_reset"),
        ({"achieved_per_s": 980.0}, "only 98.0% of the rate was sent"),
        ({"unanswered": 1}, "1 of 10000 requests had no reply"),
        ({"established": 7}, "7 of 8 connections were open"),
        ({"p99": None}, "p99 is not known: too few requests"),
    ],
)
def test_what_breaks_a_goal_is_said(changes: dict[str, Any], why: str) -> None:
    assert judge(record(**changes), GOAL) == (Outcome.BROKEN, why)


def test_a_goal_that_was_kept_by_a_late_generator_was_kept() -> None:
    assert judge(record(verdict="CLIENT-LIMITED", lag=3_000_000), GOAL) == (Outcome.KEPT, "")


@pytest.mark.parametrize(("lag", "outcome"), [(400_000, Outcome.BROKEN), (600_000, Outcome.LATE)])
def test_a_generator_that_is_late_by_a_tenth_of_the_bound_says_nothing_of_the_server(
    lag: int, outcome: Outcome
) -> None:
    assert judge(record(p99=9_000_000, verdict="CLIENT-LIMITED", lag=lag), GOAL)[0] is outcome


def test_a_generator_that_is_late_and_behind_says_nothing_of_the_server() -> None:
    behind = record(verdict="CLIENT-LIMITED", lag=100_000, achieved_per_s=980.0)
    assert judge(behind, GOAL)[0] is Outcome.LATE


@pytest.mark.parametrize(("p99", "outcome"), [(4_000_000, Outcome.KEPT), (9_000_000, Outcome.FULL)])
def test_what_breaks_a_goal_while_the_network_is_full_says_nothing_of_the_server(
    p99: int, outcome: Outcome
) -> None:
    full = record(p99=p99, verdict="NETWORK-BOUND", reason="95 of the 100 Mbit/s")
    assert judge(full, GOAL)[0] is outcome


def test_generators_that_began_apart_say_nothing_of_the_server() -> None:
    assert judge(record(verdict="APART"), GOAL)[0] is Outcome.LATE


def test_a_trial_without_a_result_has_not_kept_it() -> None:
    died = PLANNED.ended("", Verdict("FAILED", "the server died"))
    assert judge(died, GOAL) == (Outcome.BROKEN, "the server died")


def curve(*p99_ms: float | None, unanswered: int = 0) -> list[Point]:
    """A curve with these p99s from the lowest load on."""
    return [
        Point(
            share=share,
            offered_per_s=1000 * share,
            goodput_per_s=1000 * share,
            p50_ns=1_000_000,
            p99_ns=None if value is None else round(1e6 * value),
            p99_9_ns=None,
            server_cpu_us=None,
            is_sustained=True,
            unanswered=unanswered,
            verdict="VALID",
            reason="",
        )
        for share, value in zip(SHARES, p99_ms, strict=False)
    ]


def test_the_knee_is_where_p99_doubles_for_good() -> None:
    found = knee(curve(1, 1, 5, 1, 1.5, 1.9, 2.1, 3, 4, 9))
    assert found is not None
    assert found.after is not None
    assert (found.after.share, found.at.share) == (0.6, 0.7)


def test_a_curve_that_does_not_bend_has_no_knee() -> None:
    assert knee(curve(1, 1, 1, 1, 1.5)) is None
    assert knee(curve(1, None, 5, 9)) is None


def test_a_p99_among_the_unanswered_is_above_the_knee() -> None:
    found = knee(curve(1, 1, 1, None, None, unanswered=5))
    assert found is not None
    assert found.at.share == 0.4
