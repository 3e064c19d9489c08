"""What a run's folder says, decoded: the plan, the machine, the trials.

Only what the report shows is named here. Fields that a newer program adds are ignored; fields that
it leaves out, because a trial never got that far, are None.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from serverlab.documents import check_schema, decode
from serverlab.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = 1

Level = str | int | float


class Verdict(msgspec.Struct, frozen=True):
    """Whether a trial counts, and the sentence with the number that decided it."""

    name: str
    reason: str = ""


class Shape(msgspec.Struct, frozen=True):
    """How the load was shaped."""

    model: str = "closed"
    connections: int = 0
    depth: int = 1
    threads: int = 1


class Window(msgspec.Struct, frozen=True):
    """The measured part of a trial."""

    duration_s: float
    warmup_s: float = 0


class Requests(msgspec.Struct, frozen=True):
    """Counts of the window."""

    intended: int = 0
    sent: int = 0
    completed: int = 0
    received: int = 0
    unanswered: int = 0
    in_flight_at_end: int = 0
    errors: dict[str, int] = {}
    errors_before_window: dict[str, int] = {}


class Rate(msgspec.Struct, frozen=True):
    """Requests per second: asked, sent, rightly answered."""

    offered_per_s: float
    achieved_per_s: float
    goodput_per_s: float


class Bytes(msgspec.Struct, frozen=True):
    """Payload bytes of the window, as the generator counts them."""

    sent: int = 0
    received: int = 0


class Times(msgspec.Struct, frozen=True):
    """A latency or another time of all requests; a percentile that could not be had is None."""

    count: int = 0
    unanswered: int = 0
    min: float | None = None
    mean: float | None = None
    p50: float | None = None
    p90: float | None = None
    p99: float | None = None
    p99_9: float | None = None
    max: float | None = None
    hdr: str = ""


class Connections(msgspec.Struct, frozen=True):
    """What became of the connections."""

    requested: int = 0
    established: int = 0
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


class InFlight(msgspec.Struct, frozen=True):
    """Requests in flight on the average, by two book-keepings that must agree."""

    by_gauge: float | None = None
    by_requests: float | None = None


class GeneratorCpu(msgspec.Struct, frozen=True):
    """What the load itself cost."""

    user_s: float = 0
    system_s: float = 0
    per_request_us: float | None = None
    busiest_thread: float | None = None


class Interval(msgspec.Struct, frozen=True):
    """A second of a window; or a slice, of which one knows what the server has used."""

    duration_s: float = 0
    completed: int = 0
    answered: int | None = None
    server_cpu_s: float | None = None


class LoadResult(msgspec.Struct, frozen=True):
    """The result of a load."""

    load: Shape
    window: Window
    requests: Requests
    rate: Rate
    latency_ns: Times
    service_time_ns: Times = Times()
    send_lag_ns: Times = Times()
    connect_ns: Times = Times()
    session_ns: Times = Times()
    classes: dict[str, Times] = {}  # latency by the classes of requests, where there are some
    bytes: Bytes = Bytes()
    connections: Connections = Connections()
    fairness: Fairness = Fairness()
    in_flight: InFlight = InFlight()
    cpu: GeneratorCpu = GeneratorCpu()
    series: list[Interval] = []

    @property
    def slices(self) -> list[Interval]:
        """Its slices, in their order; none of a load that had one target."""
        return [row for row in self.series if row.answered is not None]


class Switches(msgspec.Struct, frozen=True):
    """Context switches within the window."""

    voluntary: int = 0
    involuntary: int = 0


class ServerResult(msgspec.Struct, frozen=True):
    """What the kernel said of the server process."""

    cpu_s: float | None = None
    cpus_busy: float | None = None
    requests: int | None = None  # right replies in the time of `cpu_s`
    cpu_per_request_us: float | None = None
    rss_bytes_max: int | None = None
    threads_max: int | None = None
    descriptors_max: int | None = None
    switches: Switches | None = None
    summary: dict[str, Any] | None = None


class Trial(msgspec.Struct, frozen=True):
    """A line of trials.jsonl."""

    schema: int
    trial: str
    block: int
    order: int
    cell: dict[str, Level]
    engine: str
    service: str
    verdict: Verdict
    started_at: str = ""
    server_settings: dict[str, Any] = {}
    load_settings: dict[str, Any] = {}
    load: LoadResult | None = None
    server: ServerResult | None = None
    saturated: str | None = None

    @property
    def is_valid(self) -> bool:
        """Whether its figures count."""
        return self.verdict.name == "VALID"


class PlannedTrial(msgspec.Struct, frozen=True):
    """A trial of the plan, run or not."""

    trial: str
    block: int
    cell: dict[str, Level]


class Kin(msgspec.Struct, frozen=True):
    """The neighbour of an engine, and the one thing in which the two differ."""

    neighbour: str
    difference: str


class Plan(msgspec.Struct, frozen=True):
    """What was to be run."""

    schema: int
    name: str
    question: str
    seed: int
    baseline: str | None
    factors: dict[str, list[Level]]
    trials: list[PlannedTrial]
    twin: str | None = None
    design: str = "separate"
    precision: float | None = None
    blocks_max: int = 0
    family: dict[str, Kin] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunData:
    """A run, as far as it has come."""

    folder: Path
    plan: Plan
    environment: dict[str, Any]
    trials: list[Trial]
    experiment: str  # the text of the experiment file; empty if it is not there


def read_run(folder: Path) -> RunData:
    """Read a run's folder. @raises UsageError that names the file."""
    plan = decode(folder / "plan.json", Plan, "run")
    check_schema(folder / "plan.json", plan.schema, SCHEMA)
    environment = folder / "environment.json"
    experiment = folder / "experiment.toml"
    return RunData(
        folder=folder,
        plan=plan,
        environment=decode(environment, dict[str, Any], "run") if environment.exists() else {},
        trials=read_trials(folder / "trials.jsonl"),
        experiment=experiment.read_text(encoding="utf-8") if experiment.exists() else "",
    )


def read_trials(path: Path) -> list[Trial]:
    """The finished trials; a last line without its end was cut off, and is none."""
    if not path.exists():
        return []
    decoder = msgspec.json.Decoder(Trial)
    trials = []
    for number, line in enumerate(path.read_bytes().splitlines(keepends=True), start=1):
        if not line.endswith(b"\n") or not line.strip():
            continue
        try:
            trial = decoder.decode(line)
        except msgspec.DecodeError as error:
            raise UsageError(f"{path}, line {number}: {error}") from error
        check_schema(path, trial.schema, SCHEMA)
        trials.append(trial)
    return trials
