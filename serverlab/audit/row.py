"""A result of any tool, in the terms that the checks know."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Loop = Literal["closed", "open", "unknown"]
TAIL_MIN = 0.9  # of the percentiles that are one


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What one load found. What its tool does not say is None."""

    name: str
    tool: str
    group: str = ""  # rows of one table are compared if they have the same
    loop: Loop = "unknown"
    places: int | None = None  # requests in flight at most: connections, times the depth
    has_think_time: bool = False  # then fewer are in flight than there are places
    may_have_streams: bool = False  # a connection may have more in flight than the tool says
    served: float | None = None  # of the places, if it is known that some had no reply at all
    rate_per_s: float | None = None  # of replies
    offered_per_s: float | None = None  # what was asked for
    duration_s: float | None = None
    requests: int | None = None
    errors: int = 0
    min_s: float | None = None
    mean_s: float | None = None
    max_s: float | None = None
    percentiles_s: dict[float, float] = field(default_factory=dict)  # by share: 0.99
    share_max: float = 1  # of them; the tool prints higher ones however few requests there were
    resolution_s: float = 0.0  # half a unit of the last digit of times
    counts_from_sent: bool = True  # latency; else from when the request was due
    has_added: bool = False  # the tool adds latencies that no request had, to the mean as well
    beyond: str = ""  # a harmless reason why more may be in flight than there are places
    generator_busy: float | None = None  # its busiest thread, as a share
    server_busy: float | None = None  # its CPUs, as a share
    own: tuple[str, str] | None = None  # what the tool itself says against it: verdict, reason

    @property
    def tail(self) -> float | None:
        """The share of the percentile that is quoted of it: p99, or the nearest that it has."""
        high = [share for share in self.percentiles_s if TAIL_MIN <= share < 1]
        return min(high, key=lambda share: abs(share - 0.99), default=None)

    @property
    def tail_s(self) -> float | None:
        """The longest latency that is known."""
        known = [*self.percentiles_s.values(), *([self.max_s] if self.max_s is not None else [])]
        return max(known, default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The results of a file."""

    path: str
    tool: str
    rows: list[Row]
    is_ranking: bool = False  # of different servers, which are compared by their rates
    nothing: str = ""  # why there are no rows, if that is as it should be

    @property
    def advice(self) -> list[str]:
        """What is not to be quoted of the rows, whether their figures fit each other or not."""
        closed = [row for row in self.rows if row.loop == "closed" and row.tail is not None]
        return [not_to_be_quoted(self.tool, closed)] if closed else []


def not_to_be_quoted(tool: str, rows: list[Row]) -> str:
    """Why the tail of a closed loop says nothing of what users of the server would see."""
    tails = {f"p{100 * row.tail:g}" for row in rows if row.tail is not None}
    tail = tails.pop() if len(tails) == 1 else "tails"
    adds = any(row.has_added for row in rows)
    return (
        f"Do not quote {'this' if len(rows) == 1 else 'these'} {tail}: the loop of {tool} is "
        "closed, so a connection whose reply is slow sends nothing until it comes, and the "
        "requests that are delayed by it are missing"
        + (f"; and {tool} adds latencies of requests that it did not send" if adds else "")
        + ". Measure latency at a fixed rate below the highest: `wrk2 -R`, or `serverlab-load "
        "--model=open --rate`."
    )
