"""Figures that single claims ask for, beyond those of every report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serverlab.measures import Measure
from serverlab.trial_figures import class_rate_per_s, of_load

if TYPE_CHECKING:
    from serverlab.records import LoadResult

NS_PER_S = 1e9


def reads_over_posts(load: LoadResult) -> float | None:
    """Answered READs over answered POSTs."""
    reads, posts = (class_rate_per_s(load, name) for name in ("read", "post"))
    return reads / posts if reads is not None and posts else None


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
