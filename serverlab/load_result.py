"""The result of a load, as serverlab-load writes it: the types by which it is read.

What may be absent has a default; docs/results-schema.md says of what it is absent, and when.
"""

from __future__ import annotations

import msgspec
from msgspec import UNSET, UnsetType

from serverlab.bounds import (  # noqa: TC001 - msgspec reads them
    Amount,
    Count,
    Figure,
    Number,
    Seconds,
    Whole,
)

SCHEMA = 1  # of every file; it grows when a name changes its meaning or goes away


class Verdict(msgspec.Struct, frozen=True):
    """Whether a trial counts, and the sentence with the number that decided it."""

    name: str
    reason: str = ""


class Shape(msgspec.Struct, frozen=True):
    """How the load was shaped."""

    model: str = "closed"
    connections: Count = 0
    depth: Number = 1
    rate_per_s: Amount = 0
    workers: Number = 1
    part: Number = 1  # of a load that has several; workers are the part's
    parts: Number = 1


class Window(msgspec.Struct, frozen=True):
    """The measured part of a trial."""

    duration_s: Seconds
    warmup_s: Seconds = 0
    steady: bool | None = None  # None unless the warm-up was to find out
    all_done_s: Figure | None = None  # when the last client was done, if clients have an end
    # When the first request was sent, less its time in the schedule: on the machine's monotonic
    # clock. None if none was.
    began_ns: Whole | None = None


class WrongReply(msgspec.Struct, frozen=True):
    """The first wrong reply, with excerpts in printable ASCII."""

    error: str
    connection: Count
    expected: str
    received: str


class Requests(msgspec.Struct, frozen=True):
    """Counts of requests that were intended within the window."""

    intended: Count = 0
    sent: Count = 0
    completed: Count = 0
    received: Count = 0  # right replies that arrived during the window, whenever intended
    unanswered: Count = 0
    unsent: Count = 0
    dropped: Count = 0
    in_flight_at_end: Count = 0
    errors: dict[str, Count] = {}  # by class
    errors_before_window: dict[str, Count] = {}
    wrong_reply: WrongReply | None = None


class Rate(msgspec.Struct, frozen=True):
    """Requests per second: intended, sent, rightly answered."""

    offered_per_s: Amount
    achieved_per_s: Amount
    goodput_per_s: Amount


class Bytes(msgspec.Struct, frozen=True):
    """Payload bytes of the window, as the generator counts them."""

    sent: Count = 0
    received: Count = 0


class Times(msgspec.Struct, frozen=True):
    """A latency or another time of all requests, in ns; None is a figure that cannot be given."""

    count: Count = 0
    unanswered: Count = 0
    min: Count | None = None
    mean: Figure | None = None
    p50: Count | None = None
    p90: Count | None = None
    p99: Count | None = None
    p99_9: Count | None = None
    max: Count | None = None
    hdr: str = ""  # HdrHistogram V2 in base64

    @property
    def are_in_order(self) -> bool:
        """Whether the percentiles are: they are of one set of requests."""
        known = [one for one in (self.p50, self.p90, self.p99, self.p99_9) if one is not None]
        return known == sorted(known)


class Connections(msgspec.Struct, frozen=True):
    """What became of the connections."""

    requested: Count = 0
    established: Count = 0
    alive: Figure = 0
    asked: Figure = 0
    starved: Figure = 0
    lost: Count = 0
    reopened: Count = 0
    outage_s: Figure = 0


class Fairness(msgspec.Struct, frozen=True):
    """Requests per connection."""

    min: Figure | None = None
    mean: Figure | None = None
    max: Figure | None = None
    cv: Figure | None = None
    jain: Figure | None = None


class Pauses(msgspec.Struct, frozen=True):
    """When the generator's loop did not run, and when no reply came, of the worst worker."""

    stalled_s: Figure = 0
    stall_longest_s: Figure = 0
    silence_longest_s: Figure = 0


class InFlight(msgspec.Struct, frozen=True):
    """Requests in flight on average, by two counts that must agree."""

    by_gauge: Figure | None = None
    by_requests: Figure | None = None


class Cpu(msgspec.Struct, frozen=True):
    """CPU time of the generator within the window, and of the server as the generator reads it."""

    user_s: Figure = 0
    system_s: Figure = 0
    per_request_us: Figure | None = None
    busiest_thread: Figure | None = None  # as a share
    server_s: Figure | None = None
    server_per_request_us: Figure | None = None


class Interval(msgspec.Struct, frozen=True):
    """A second of a window; or a slice, of which the last fields are, each slice as a whole."""

    t_s: Figure = 0  # its end, since the window began
    duration_s: Seconds = 0
    completed: Count = 0
    errors: Count = 0
    mean_ns: Figure | None = None
    p50_ns: Count | None = None
    p99_ns: Count | None = None
    established: Count = 0
    target: Count | UnsetType = UNSET  # its number; in a trial's record there is one
    answered: Count | UnsetType = UNSET
    generator_cpu_s: Amount | UnsetType = UNSET
    server_cpu_s: Amount | UnsetType | None = UNSET
    other_cpus_busy: Figure | UnsetType | None = UNSET
    send_lag_p99_ns: Whole | UnsetType = UNSET  # -1: nothing was sent
    disturbed: bool | UnsetType = UNSET
    latency_hdr: str | UnsetType = UNSET  # as a part of a load tells it; merged rows have none


class LoadResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a load found of one target."""

    schema: Whole = SCHEMA
    verdict: Verdict
    load: Shape
    window: Window
    requests: Requests
    rate: Rate
    bytes: Bytes = Bytes()
    latency_ns: Times
    classes: dict[str, Times] = {}  # latency by the classes of requests, if there are some
    service_time_ns: Times = Times()
    send_lag_ns: Times = Times()
    connect_ns: Times = Times()
    session_ns: Times = Times()
    connections: Connections = Connections()
    fairness: Fairness = Fairness()
    pauses: Pauses = Pauses()
    in_flight: InFlight = InFlight()
    cpu: Cpu = Cpu()
    series: list[Interval] = []
    target: str | UnsetType = UNSET  # of a load that had several
    service: str | UnsetType = UNSET

    @property
    def slices(self) -> list[Interval]:
        """Its slices, in their order; none of a load that had one target."""
        return [row for row in self.series if row.answered is not UNSET]
