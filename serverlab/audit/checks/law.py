"""Little's law, L = λW: requests in flight are rate times latency.

A closed loop has no more in flight than it has places; without a pause between requests it has as
many. A request of each place may begin before the window, or end after it: all latencies together
are places × (window + longest latency) at most. Means and rates of one row may come from slightly
different windows, hence the tolerances.

wrk adds latencies that no request had: below each one that took n intervals, a row of smaller ones
(an interval is the time from a reply of a connection to its next). That row is n / 2 times as long
as the latency at most. So the mean of real and added ones is at most an interval and half of the
longest latency, and in that bound the law holds for wrk, too.
"""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

from serverlab.audit.finding import Finding, Judgement
from serverlab.notation import NARROW_SPACE, count, number
from serverlab.stats.little import in_flight

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from serverlab.audit.row import Row

CHECK = "Little's law"
ABOVE_MAX = 1.10  # of the places: what tolerances of windows allow
STREAMS_MIN = 2
BELOW_MIN = 0.70  # of the places that a closed loop without pauses keeps busy


def littles_law(row: Row, streams: float = 1) -> Iterator[Finding]:
    """More in flight than there are places; or far fewer, although nothing pauses.

    `streams` are how many times the places the rows of a ranking have in flight in common.
    """
    if row.loop == "open" or not (row.places and row.rate_per_s and row.mean_s is not None):
        return
    least = in_flight(row.rate_per_s, max(0.0, row.mean_s - row.resolution_s))
    most = in_flight(row.rate_per_s, row.mean_s + row.resolution_s)
    said = (
        f"{number(row.rate_per_s)} requests/s that take {time(row.mean_s)} on average make "
        f"{number(in_flight(row.rate_per_s, row.mean_s))} in flight"
    )
    # Of one request of each place, only a part may be within the window. It may be the longest.
    longest_s = row.mean_s if row.max_s is None else max(row.mean_s, row.max_s)
    at_ends = longest_s * row.places / row.duration_s if row.duration_s else 0
    if streams > 1:
        yield unexplained(
            f"{said}, where {row.places} are possible; all rows have about {number(streams)} times "
            "as many as they say: streams of HTTP/2 may be the reason"
        )
    elif least > ABOVE_MAX * row.places + at_ends:
        yield above(row, row.places + at_ends, least, said)
    elif row.loop == "closed" and not row.has_think_time:
        yield from below(row, row.places, most + at_ends, said)


def above(row: Row, possible: float, least: float, said: str) -> Finding:
    """More in flight than there are places, and requests at the ends of the window."""
    beyond = f"{said}, where {row.places} are possible"
    if row.has_added and row.max_s is not None and row.rate_per_s and row.places:
        added = in_flight(row.rate_per_s, row.max_s + row.resolution_s) / 2 / row.places
        if least > ABOVE_MAX * possible * (1 + added):
            return impossible(
                f"{beyond}, and {number(possible * (1 + added))} with the latencies that wrk adds "
                f"below its longest, {time(row.max_s)}"
            )
    return unexplained(f"{beyond}: {row.beyond}") if row.beyond else impossible(beyond)


def below(row: Row, places: int, most: float, said: str) -> Iterator[Finding]:
    """Far fewer in flight than a closed loop keeps; or as many as had a reply at all."""
    expected = places if row.served is None else min(places, row.served)
    if most < BELOW_MIN * expected:
        yield unexplained(
            f"{said}, where {count(expected)} should be: connections may not all have been "
            "served, or the client's own time between requests counts"
        )


def impossible(reason: str) -> Finding:
    """A finding of this check that nothing explains."""
    return Finding(judgement=Judgement.IMPOSSIBLE, check=CHECK, reason=reason)


def unexplained(reason: str) -> Finding:
    """A finding of this check for which there may be a harmless reason."""
    return Finding(judgement=Judgement.UNEXPLAINED, check=CHECK, reason=reason)


def streams_of(rows: Sequence[Row]) -> float:
    """How many times its places the row in the middle has in flight, if that is several; else 1.

    A file that does not say how many requests a connection carries at once has this in common.
    """
    shares = [
        in_flight(row.rate_per_s, row.mean_s) / row.places
        for row in rows
        if row.may_have_streams and row.places and row.rate_per_s and row.mean_s
    ]
    middle = statistics.median(shares) if shares else 1
    return middle if middle >= STREAMS_MIN else 1


def time(seconds: float) -> str:
    """A time as one reads it."""
    for size, unit in ((1.0, "s"), (1e-3, "ms")):
        if seconds >= size:
            return f"{number(seconds / size)}{NARROW_SPACE}{unit}"
    return f"{number(seconds * 1e6)}{NARROW_SPACE}µs"
