"""How latency grows with the rate: loads from a tenth of what was found to a fifth above it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.search.goals import is_sustained

if TYPE_CHECKING:
    from collections.abc import Sequence

    from serverlab.records import Trial

SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2)
REFERENCE_SHARE = 0.2  # of the rate: there nothing queues yet
KNEE_FACTOR = 2.0
RULE = (
    f"The knee is the lowest load from which on the p99 of every load is more than "
    f"{KNEE_FACTOR:g} times that at {REFERENCE_SHARE:.0%}."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A load of the curve, and what became of it. A percentile that could not be had is None."""

    share: float  # of the rate that was found
    offered_per_s: float
    goodput_per_s: float
    p50_ns: float | None
    p99_ns: float | None
    p99_9_ns: float | None
    server_cpu_us: float | None
    is_sustained: bool
    unanswered: int
    verdict: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Knee:
    """Where latency begins to grow: at `after` not yet, from `at` on."""

    after: Point | None  # None if it is the first load
    at: Point


def point_of(share: float, trial: Trial) -> Point | None:
    """A trial as a point of the curve; None if it has no result."""
    load, server = trial.load, trial.server
    if load is None:
        return None
    latency, rate = load.latency_ns, load.rate
    return Point(
        share=share,
        offered_per_s=rate.offered_per_s,
        goodput_per_s=rate.goodput_per_s,
        p50_ns=latency.p50,
        p99_ns=latency.p99,
        p99_9_ns=latency.p99_9,
        server_cpu_us=server.cpu_per_request_us if server else None,
        is_sustained=is_sustained(rate),
        unanswered=latency.unanswered,
        verdict=trial.verdict.name,
        reason=trial.verdict.reason,
    )


def knee(points: Sequence[Point]) -> Knee | None:
    """By the rule; None if the p99 does not grow so much, or is not known at the reference.

    A p99 among the unanswered is more than any factor.
    """
    ordered = sorted(points, key=lambda point: point.share)
    reference = next((one.p99_ns for one in ordered if one.share == REFERENCE_SHARE), None)
    if reference is None:
        return None
    first = len(ordered)
    while first > 0 and grown(ordered[first - 1], KNEE_FACTOR * reference):
        first -= 1
    if first == len(ordered):
        return None
    return Knee(after=ordered[first - 1] if first else None, at=ordered[first])


def grown(point: Point, bound_ns: float) -> bool:
    """Whether its p99 is above a bound; too few requests for a p99 say nothing."""
    if point.p99_ns is None:
        return point.unanswered > 0 or not point.is_sustained
    return point.p99_ns > bound_ns
