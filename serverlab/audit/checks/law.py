"""Little's law, L = λW: requests in flight are rate times latency.

A closed loop has no more in flight than it has places; without a pause between requests it has as
many. Means and rates of one row may come from slightly different windows, hence the tolerances.
"""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

from serverlab.audit.finding import Finding, Judgement
from serverlab.notation import NARROW_SPACE, number
from serverlab.stats.little import in_flight

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from serverlab.audit.row import Row

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
    # At each end of the window, a place may have one request of which only a part is within it.
    at_ends = row.mean_s * row.places / row.duration_s if row.duration_s else 0
    allowed = ABOVE_MAX * row.places + at_ends
    if streams > 1:
        yield Finding(
            judgement=Judgement.UNEXPLAINED,
            check="Little's law",
            reason=f"{said}, where {row.places} are possible; all rows have about "
            f"{number(streams)} times as many as they say: streams of HTTP/2 may be the reason",
        )
    elif least > allowed:
        yield Finding(
            judgement=Judgement.IMPOSSIBLE,
            check="Little's law",
            reason=f"{said}, where {row.places} are possible",
        )
    elif (
        row.loop == "closed" and not row.has_think_time and most + at_ends < BELOW_MIN * row.places
    ):
        yield Finding(
            judgement=Judgement.UNEXPLAINED,
            check="Little's law",
            reason=f"{said}, where {row.places} should be: connections may not all have been "
            "served, or the client's own time between requests counts",
        )


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
