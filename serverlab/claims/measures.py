"""Figures that single claims ask for, beyond those of every report."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from serverlab.measures import Measure, of_load

if TYPE_CHECKING:
    from serverlab.records import LoadResult

NS_PER_S = 1e9


@functools.cache
def latency_of(name: str) -> Measure:
    """Median latency of one class of requests: half of them took longer."""
    return Measure(
        name=f"latency-p50-{name}",
        title=f"p50 latency of {name.upper()}",
        kind="time",
        of=of_load(lambda load: load.classes[name].p50 if name in load.classes else None),
        note="answered requests only",
        of_some_loads=True,
    )


@functools.cache
def answered_of(name: str) -> Measure:
    """Answers to one class of requests per second."""
    return Measure(
        name=f"answered-{name}",
        title=f"answered {name.upper()}s",
        kind="requests/s",
        of=of_load(lambda load: class_rate_per_s(load, name)),
        note="of all connections together",
        of_some_loads=True,
    )


def class_rate_per_s(load: LoadResult, name: str) -> float | None:
    """Answered requests of a class over the window; None if the load has no such class."""
    times = load.classes.get(name)
    return times.count / load.window.duration_s if times and load.window.duration_s > 0 else None


def reads_over_posts(load: LoadResult) -> float | None:
    """Answered READs over answered POSTs."""
    reads, posts = (class_rate_per_s(load, name) for name in ("read", "post"))
    return reads / posts if reads is not None and posts else None


def favoured(load: LoadResult) -> float | None:
    """What the most served connection has, over what the average one has."""
    most, mean = load.fairness.max, load.fairness.mean
    return most / mean if most is not None and mean else None


def neglected(load: LoadResult) -> float | None:
    """What the least served connection has, over what the average one has."""
    least, mean = load.fairness.min, load.fairness.mean
    return least / mean if least is not None and mean else None


def share_of_law(load: LoadResult) -> float | None:
    """Goodput times the mean time of a request in flight, over connections.

    The times are the requests' own, as far as they lie within the window. The mean latency leaves
    out requests that were under way at the window's ends, which are the longest ones.
    """
    in_flight, requested = load.in_flight.by_requests, load.connections.requested
    return in_flight / requested if in_flight is not None and requested else None


def sessions_in_place(load: LoadResult) -> float | None:
    """Session time that a client's window holds, over the window: 1 if nothing else is in it."""
    times, requested = load.session_ns, load.connections.requested
    if times.mean is None or not requested or load.window.duration_s <= 0:
        return None
    return times.count * times.mean / NS_PER_S / requested / load.window.duration_s


MOST_SERVED = Measure(
    name="most-served",
    title="share of the most served connection",
    kind="× the average",
    of=of_load(favoured),
    note="requests of the connection that had most, over the average; 1 is even",
)
LEAST_SERVED = Measure(
    name="least-served",
    title="share of the least served connection",
    kind="× the average",
    of=of_load(neglected),
    note="requests of the connection that had fewest, over the average; 1 is even",
)
READERS_SHARE = Measure(
    name="readers-share",
    title="answered READs over POSTs",
    kind="",
    of=of_load(reads_over_posts),
    note="1 where as many readers as posters get as much",
    of_some_loads=True,
)
LITTLE = Measure(
    name="little",
    title="mean time in flight over connections ÷ goodput",
    kind="",
    of=of_load(share_of_law),
    note="1 where Little's law alone makes the latency",
)
SESSIONS_IN_PLACE = Measure(
    name="sessions-in-place",
    title="all sessions of a client over the number of them times the mean session",
    kind="",
    of=of_load(sessions_in_place),
    note="1 where a client does nothing but its sessions",
    of_some_loads=True,
)
