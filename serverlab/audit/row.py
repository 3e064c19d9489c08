"""A result of any tool, in the terms that the checks know."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Loop = Literal["closed", "open", "unknown"]


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
