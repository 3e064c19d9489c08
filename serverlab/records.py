"""What is on disk: the types by which it is written and read.

What may be absent has a default; docs/results-schema.md says of what it is absent, and when.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec import UNSET, UnsetType

from serverlab.documents import check_schema, check_trials, decode, decode_lines
from serverlab.quantities import Level  # noqa: TC001 - msgspec reads it
from serverlab.verdicts import VerdictName

if TYPE_CHECKING:
    from collections.abc import Container
    from pathlib import Path

SCHEMA = 1  # of every file; it grows when a name changes its meaning or goes away


class Verdict(msgspec.Struct, frozen=True):
    """Whether a trial counts, and the sentence with the number that decided it."""

    name: str
    reason: str = ""


class Shape(msgspec.Struct, frozen=True):
    """How the load was shaped: here begins the result of a load, as serverlab-load writes it."""

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


class Switches(msgspec.Struct, frozen=True):
    """Context switches."""

    voluntary: int = 0
    involuntary: int = 0

    def __add__(self, other: Switches) -> Switches:
        return Switches(self.voluntary + other.voluntary, self.involuntary + other.involuntary)

    def __sub__(self, other: Switches) -> Switches:
        return Switches(self.voluntary - other.voluntary, self.involuntary - other.involuntary)


class ServerSample(msgspec.Struct, frozen=True, kw_only=True):
    """A server at one instant of the window."""

    t_s: float  # since the window began, as the CPU time
    cpu_s: float
    rss_bytes: int
    threads: int
    descriptors: int


class Syscalls(msgspec.Struct, frozen=True):
    """System calls of a server's life."""

    receive: int = 0
    send: int = 0
    wait: int = 0
    change: int = 0
    wake: int = 0


class Stamps(msgspec.Struct, frozen=True):
    """Times of a server's life, by its own clock."""

    message_ns: Times = Times()  # the session's work on a message
    store_ns: Times = Times()  # of that, in the store
    lock_wait_ns: Times = Times()  # each wait for a lock of the service
    connection_ns: Times = Times()  # from open to close


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """The last that a server prints: counts of its life."""

    requests: int = 0
    accepts: int = 0
    unanswered: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    timed_out: int = 0
    failed_connections: int = 0
    syscalls: Syscalls | None = None  # None: a library makes the calls; so the next two
    events: int | None = None
    would_block: int | None = None
    service: dict[str, float] | None = None  # by name; None: its sessions were still at work
    stamps: Stamps | None = None  # None: not asked for, or the sessions were still at work


class ServerRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What the kernel and the server itself said of a server within the window."""

    cpu_s: float | None = None
    requests: int | None = None  # right replies in the time of `cpu_s`
    user_s: float | None = None
    system_s: float | None = None
    cpu_per_request_us: float | None = None
    cpus_busy: float | None = None
    rss_bytes_max: int | None = None
    threads_max: int | None = None
    descriptors_max: int | None = None
    samples_stopped: int = 0
    switches: Switches | None = None
    summary: Summary | None = None
    samples: list[ServerSample] = []


class PlannedTrial(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One execution of one cell: a fresh server, a warm-up, a measured window."""

    trial: str
    block: int
    order: int
    cell: dict[str, Level]
    engine: str
    service: str
    server_settings: dict[str, str]
    load_settings: dict[str, str]
    stop_after_s: float = 0  # how long its server stays when its load has ended
    repeats: str = ""  # the trial in place of which it is run, because that one was NOISY

    def ended(
        self,
        started_at: str,
        verdict: Verdict,
        *,
        load: LoadResult | None = None,
        server: ServerRecord | None = None,
        saturated: str | None = None,
        other_cpus_busy: float | None = None,
    ) -> Trial:
        """The record of its execution."""
        return Trial(
            **msgspec.structs.asdict(self),
            started_at=started_at,
            verdict=verdict,
            load=load,
            server=server,
            saturated=saturated,
            other_cpus_busy=other_cpus_busy,
        )


class Trial(PlannedTrial, frozen=True, kw_only=True, gc=False):
    """A line of trials.jsonl: a trial that has been run, or that this machine cannot run."""

    schema: int = SCHEMA
    started_at: str = ""
    verdict: Verdict
    load: LoadResult | None = None
    server: ServerRecord | None = None
    saturated: str | None = None
    other_cpus_busy: float | None = None  # by all but server, load and laboratory, of their CPUs

    @property
    def is_valid(self) -> bool:
        """Whether its figures count."""
        return self.verdict.name == VerdictName.VALID

    @property
    def is_noisy(self) -> bool:
        """Whether another trial is run in its place."""
        return self.verdict.name == VerdictName.NOISY


class Kin(msgspec.Struct, frozen=True):
    """The neighbour of an engine, and the one thing in which the two differ."""

    neighbour: str
    difference: str


CLASS = "class"  # in place of a factor: the classes of requests are compared


class Contrast(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is compared, and by which measures, the decisive one first."""

    by: list[str] = []  # empty: by the load model
    between: list[str] = []  # factors, or the classes of requests; empty: the engines
    baseline: str = ""  # empty: the first subject, or the plan's, where engines are compared


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """plan.json: all trials of an experiment, in the order of execution."""

    schema: int
    name: str
    question: str
    seed: int
    baseline: str
    twin: str | None = None
    factors: dict[str, list[Level]]
    trials: list[PlannedTrial]
    design: str = "separate"
    design_reason: str = ""  # why servers do not take turns, where the laboratory has chosen
    connection_log: bool = False
    family: dict[str, Kin] = {}
    contrast: Contrast = Contrast()
    precision: float | None = None  # half width of the headline intervals, as a share
    blocks_max: int = 0  # at most, if a precision is wanted

    @property
    def blocks(self) -> int:
        """How many blocks are planned so far."""
        return max(one.block for one in self.trials)


def read_plan(folder: Path) -> Plan:
    """The plan of a run. Raises UsageError that names the file."""
    path = folder / "plan.json"
    plan = decode(path, Plan, "run")
    check_schema(path, plan.schema, SCHEMA)
    return plan


def read_trials(path: Path, planned: Container[str] | None = None) -> list[Trial]:
    """The finished trials; a last line that was cut off is none.

    Raises UsageError for a line that is no trial, or one of a trial that is not `planned`.
    """
    trials = decode_lines(path, Trial)
    for trial in trials:
        check_schema(path, trial.schema, SCHEMA)
    check_trials(path, (trial.trial for trial in trials), planned)
    return trials
