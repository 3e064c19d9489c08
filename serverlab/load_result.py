"""The result of a load, as serverlab-load writes it: the types by which it is read.

What may be absent has a default; docs/results-schema.md says of what it is absent, and when.
"""

from __future__ import annotations

import msgspec
from msgspec import UNSET, UnsetType

SCHEMA = 1  # of every file; it grows when a name changes its meaning or goes away


class Verdict(msgspec.Struct, frozen=True):
    """Whether a trial counts, and the sentence with the number that decided it."""

    name: str
    reason: str = ""


class Shape(msgspec.Struct, frozen=True):
    """How the load was shaped."""

    model: str = "closed"
    connections: int = 0
    depth: int = 1
    rate_per_s: float = 0
    workers: int = 1
    part: int = 1  # of a load that has several; workers are the part's
    parts: int = 1


class Window(msgspec.Struct, frozen=True):
    """The measured part of a trial."""

    duration_s: float
    warmup_s: float = 0
    steady: bool | None = None  # None unless the warm-up was to find out
    all_done_s: float | None = None  # when the last client was done, if clients have an end
    # When the first request was sent, less its time in the schedule: on the machine's monotonic
    # clock. None if none was.
    began_ns: int | None = None


class WrongReply(msgspec.Struct, frozen=True):
    """The first wrong reply, with excerpts in printable ASCII."""

    error: str
    connection: int
    expected: str
    received: str


class Requests(msgspec.Struct, frozen=True):
    """Counts of requests that were intended within the window."""

    intended: int = 0
    sent: int = 0
    completed: int = 0
    received: int = 0  # right replies that arrived during the window, whenever intended
    unanswered: int = 0
    unsent: int = 0
    dropped: int = 0
    in_flight_at_end: int = 0
    errors: dict[str, int] = {}  # by class
    errors_before_window: dict[str, int] = {}
    wrong_reply: WrongReply | None = None


class Rate(msgspec.Struct, frozen=True):
    """Requests per second: intended, sent, rightly answered."""

    offered_per_s: float
    achieved_per_s: float
    goodput_per_s: float


class Bytes(msgspec.Struct, frozen=True):
    """Payload bytes of the window, as the generator counts them."""

    sent: int = 0
    received: int = 0


class Times(msgspec.Struct, frozen=True):
    """A latency or another time of all requests, in ns; None is a figure that cannot be given."""

    count: int = 0
    unanswered: int = 0
    min: int | None = None
    mean: float | None = None
    p50: int | None = None
    p90: int | None = None
    p99: int | None = None
    p99_9: int | None = None
    max: int | None = None
    hdr: str = ""  # HdrHistogram V2 in base64


class Connections(msgspec.Struct, frozen=True):
    """What became of the connections."""

    requested: int = 0
    established: int = 0
    alive: float = 0
    asked: float = 0
    starved: float = 0
    lost: int = 0
    reopened: int = 0
    outage_s: float = 0


class Fairness(msgspec.Struct, frozen=True):
    """Requests per connection."""

    min: float | None = None
    mean: float | None = None
    max: float | None = None
    cv: float | None = None
    jain: float | None = None


class Pauses(msgspec.Struct, frozen=True):
    """When the generator's loop did not run, and when no reply came, of the worst worker."""

    stalled_s: float = 0
    stall_longest_s: float = 0
    silence_longest_s: float = 0


class InFlight(msgspec.Struct, frozen=True):
    """Requests in flight on average, by two counts that must agree."""

    by_gauge: float | None = None
    by_requests: float | None = None


class Cpu(msgspec.Struct, frozen=True):
    """CPU time of the generator within the window, and of the server as the generator reads it."""

    user_s: float = 0
    system_s: float = 0
    per_request_us: float | None = None
    busiest_thread: float | None = None  # as a share
    server_s: float | None = None
    server_per_request_us: float | None = None


class Interval(msgspec.Struct, frozen=True):
    """A second of a window; or a slice, of which the last fields are, each slice as a whole."""

    t_s: float = 0  # its end, since the window began
    duration_s: float = 0
    completed: int = 0
    errors: int = 0
    mean_ns: float | None = None
    p50_ns: int | None = None
    p99_ns: int | None = None
    established: int = 0
    target: int | UnsetType = UNSET  # its number; in a trial's record there is one
    answered: int | UnsetType = UNSET
    generator_cpu_s: float | UnsetType = UNSET
    server_cpu_s: float | UnsetType | None = UNSET
    other_cpus_busy: float | UnsetType | None = UNSET
    send_lag_p99_ns: int | UnsetType = UNSET
    disturbed: bool | UnsetType = UNSET
    latency_hdr: str | UnsetType = UNSET  # as a part of a load tells it; merged rows have none


class LoadResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a load found of one target."""

    schema: int = SCHEMA
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
