"""What is on disk: the types by which it is written and read.

What may be absent has a default; docs/results-schema.md says of what it is absent, and when.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import msgspec

from serverlab.bounds import (  # noqa: TC001 - msgspec reads them
    Amount,
    Blocks,
    Count,
    Figure,
    Seconds,
    Share,
    Whole,
)
from serverlab.contestant import Contestant  # noqa: TC001 - msgspec reads it
from serverlab.documents import check_schema, check_trials, decode, decode_lines
from serverlab.errors import UsageError
from serverlab.files import check_name
from serverlab.load_result import SCHEMA, LoadResult, Times, Verdict
from serverlab.quantities import Level, quoted
from serverlab.verdicts import VerdictName

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class Switches(msgspec.Struct, frozen=True):
    """Context switches."""

    voluntary: Whole = 0
    involuntary: Whole = 0

    def __add__(self, other: Switches) -> Switches:
        return Switches(self.voluntary + other.voluntary, self.involuntary + other.involuntary)

    def __sub__(self, other: Switches) -> Switches:
        return Switches(self.voluntary - other.voluntary, self.involuntary - other.involuntary)


class ServerSample(msgspec.Struct, frozen=True, kw_only=True):
    """A server at one instant of the window."""

    t_s: Figure  # since the window began, as the CPU time
    cpu_s: Figure
    rss_bytes: Count
    threads: Count
    descriptors: Count


class Syscalls(msgspec.Struct, frozen=True):
    """System calls of a server's life."""

    receive: Count = 0
    send: Count = 0
    wait: Count = 0
    change: Count = 0
    wake: Count = 0


class Stamps(msgspec.Struct, frozen=True):
    """Times of a server's life, by its own clock."""

    message_ns: Times = Times()  # the session's work on a message
    store_ns: Times = Times()  # of that, in the store
    lock_wait_ns: Times = Times()  # each wait for a lock of the service
    connection_ns: Times = Times()  # from open to close


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """The last that a server prints: counts of its life."""

    requests: Count = 0
    accepts: Count = 0
    unanswered: Count = 0
    bytes_in: Count = 0
    bytes_out: Count = 0
    timed_out: Count = 0
    failed_connections: Count = 0
    syscalls: Syscalls | None = None  # None: a library makes the calls; so the next two
    events: Count | None = None
    would_block: Count | None = None
    service: dict[str, Figure] | None = None  # by name; None: its sessions were still at work
    stamps: Stamps | None = None  # None: not asked for, or the sessions were still at work


class ServerRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What the kernel and the server itself said of a server within the window."""

    cpu_s: Figure | None = None
    requests: Count | None = None  # right replies in the time of `cpu_s`
    user_s: Figure | None = None
    system_s: Figure | None = None
    cpu_per_request_us: Figure | None = None
    cpus_busy: Figure | None = None
    rss_bytes_max: Count | None = None
    threads_max: Count | None = None
    descriptors_max: Count | None = None
    samples_stopped: Count = 0
    switches: Switches | None = None
    summary: Summary | None = None  # None: a contestant sums up nothing
    version: str = ""  # of a contestant, as its own command says it
    samples: list[ServerSample] = []


class Generator(msgspec.Struct, frozen=True, kw_only=True):
    """One of several generators that share a load: a row of a trial."""

    host: str
    verdict: str
    goodput_per_s: Amount
    latency_p99_ns: Count | None = None
    send_lag_p99_ns: Count | None = None
    cpu_busiest: Figure | None = None  # share of the window that its busiest thread was running
    began_ns: Whole | None = None  # by its first request, on the laboratory's monotonic clock
    clock_uncertain_ns: Count = 0  # how well its clock is known


class PlannedTrial(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One execution of one cell: a fresh server, a warm-up, a measured window."""

    trial: str
    block: Blocks
    order: Count
    cell: dict[str, Level]
    engine: str
    service: str
    server_settings: dict[str, str]
    load_settings: dict[str, str]
    stop_after_s: Seconds = 0  # how long its server stays when its load has ended
    repeats: str = ""  # the trial in place of which it is run, because that one was NOISY
    contestant: Contestant | None = None  # the server, if it is not one of our engines

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

    schema: Whole = SCHEMA
    started_at: str = ""
    verdict: Verdict
    load: LoadResult | None = None
    server: ServerRecord | None = None
    saturated: str | None = None
    other_cpus_busy: Figure | None = None  # by all but server, load and laboratory, of their CPUs
    generators: list[Generator] = []  # of a load that several share

    def __post_init__(self) -> None:
        if self.started_at and not is_instant(self.started_at):
            raise ValueError(f"started_at: {quoted(self.started_at)} is no date with a time zone")

    @property
    def is_valid(self) -> bool:
        """Whether its figures count."""
        return self.verdict.name == VerdictName.VALID

    @property
    def is_late_in_slices(self) -> bool:
        """Whether all that is wrong is that its generator was late, in turns with other servers."""
        late = self.verdict.name == VerdictName.CLIENT_LIMITED
        return late and self.load is not None and bool(self.load.slices)

    @property
    def is_noisy(self) -> bool:
        """Whether another trial is run in its place."""
        return self.verdict.name == VerdictName.NOISY


def is_instant(text: str) -> bool:
    """Whether it is a date and a time that can be told from another one."""
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False


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

    schema: Whole
    name: str
    question: str
    seed: Count
    baseline: str
    twin: str | None = None
    factors: dict[str, list[Level]]
    trials: list[PlannedTrial]
    design: str = "separate"
    design_reason: str = ""  # why servers do not take turns, where the laboratory has chosen
    connection_log: bool = False
    family: dict[str, Kin] = {}
    contrast: Contrast = Contrast()
    # Half width of the headline intervals, as a share; or of the ratios of each measure.
    precision: Share | dict[str, Share] | None = None
    blocks_max: Blocks = 0  # at most, if a precision is wanted
    time_max_s: Seconds = 0  # the same; 0: any time
    generators: Count = 0  # on hosts of their own; 0: one, beside the server
    explain: bool = False  # each engine beside its neighbour, in probed slices
    server_node: dict[str, Amount] = {}  # what the server's node has to have, as Ray counts it

    @property
    def blocks(self) -> int:
        """How many blocks are planned so far."""
        return max(one.block for one in self.trials)


def read_plan(folder: Path) -> Plan:
    """The plan of a run. Raises UsageError that names the file."""
    path = folder / "plan.json"
    plan = decode(path, Plan, "run")
    check_schema(path, plan.schema, SCHEMA)
    try:
        check_cells(plan)
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None
    return plan


def check_cells(plan: Plan) -> None:
    """Refuse a plan whose trials are not of its factors. Raises UsageError."""
    factors = list(plan.factors)
    if not plan.trials or factors[:1] != ["engine"]:
        raise UsageError("it plans no trial of an engine")
    if len({trial.trial for trial in plan.trials}) < len(plan.trials):
        raise UsageError("two of its trials have the same name")
    if strange := set(plan.contrast.between) - {CLASS, *factors}:
        raise UsageError(f"it compares {quoted(min(strange))}, which is no factor")
    for trial in plan.trials:
        check_name("trial", trial.trial)
        if list(trial.cell) != factors:
            raise UsageError(f"{trial.trial}: its cell does not have the factors of the plan")
        for name, level in trial.cell.items():
            if level not in plan.factors[name]:
                raise UsageError(f"{trial.trial}: {quoted(level)} is no level of {name!r}")


def read_trials(path: Path, planned: Sequence[PlannedTrial] | None = None) -> list[Trial]:
    """The finished trials; a last line that was cut off is none.

    Raises UsageError for a line that is no trial, and where they are `planned`, for one that is
    not, or whose percentiles are out of order.
    """
    trials = decode_lines(path, Trial)
    for trial in trials:
        check_schema(path, trial.schema, SCHEMA)
    if planned is None:
        check_trials(path, (trial.trial for trial in trials))
        return trials
    cells = {trial.trial: trial.cell for trial in planned}
    check_trials(path, (trial.trial for trial in trials), cells)
    for trial in trials:
        if trial.cell != cells[trial.trial]:
            raise UsageError(f"{path}: {trial.trial} does not have the cell of plan.json")
        if trial.load is not None and not trial.load.latency_ns.are_in_order:
            raise UsageError(
                f"{path}: the percentiles of {trial.trial} are out of order, so that they are not "
                "of one set of requests"
            )
    return trials
