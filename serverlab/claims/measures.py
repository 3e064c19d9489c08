"""Figures that single claims ask for, beyond those of every report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serverlab.measure import Measure
from serverlab.trial_figures import of_load, over_mean

if TYPE_CHECKING:
    from serverlab.load_result import LoadResult

NS_PER_S = 1e9


def sessions_in_place(load: LoadResult) -> float | None:
    """Session time that a client's window holds, over the window: 1 if nothing else is in it."""
    times, requested = load.session_ns, load.connections.requested
    if times.mean is None or not requested or load.window.duration_s <= 0:
        return None
    return times.count * times.mean / NS_PER_S / requested / load.window.duration_s


def tail_over_median(load: LoadResult) -> float | None:
    """The p99.9 of the latency over its p50."""
    tail, middle = load.latency_ns.p99_9, load.latency_ns.p50
    return tail / middle if tail is not None and middle else None


TAIL = Measure(
    name="tail",
    title="p99.9 over p50",
    kind="",
    of=of_load(tail_over_median),
    note="1 where a server is as slow to all requests; stable is low",
    share=0.999,
)
AVERAGE_SERVED = Measure(
    name="average-served",
    title="Share of a connection on the average",
    kind="× the average",
    of=of_load(over_mean("mean")),
    note="1, to be drawn beside the least and the most served",
)
SESSIONS_IN_PLACE = Measure(
    name="sessions-in-place",
    title="all sessions of a client over the number of them times the mean session",
    kind="",
    of=of_load(sessions_in_place),
    note="1 where a client does nothing but its sessions",
    of_some_loads=True,
)
