"""serverlab's own: trials.jsonl of a run, and the JSON of one load."""

from __future__ import annotations

import io

import msgspec

from serverlab.audit.row import Row, Table
from serverlab.load_result import SCHEMA, LoadResult, Verdict
from serverlab.machine.machine import cpus_of
from serverlab.records import Trial
from serverlab.verdicts import VerdictName

# Settings by which connections have times without a request, or begin and end by themselves.
PAUSES = ("think", "throttle", "sessions", "start")
NO_PAUSES = {"0", "0s", "together"}
# Models without a schedule. A generator that keeps one may spin between its instants, and always
# be busy; whether it was late is in the load's own verdict.
UNSCHEDULED = {"closed", "churn"}


class WithSettings(msgspec.Struct):
    """The result of a load, for its settings."""

    settings: dict[str, str] = {}


def read_trials(content: bytes, path: str) -> Table:
    """The trials of a run that have a load's result. Raises ValueError."""
    rows = []
    for number, line in enumerate(io.BytesIO(content), start=1):
        if not line.strip() or not line.endswith(b"\n"):  # the last was cut off
            continue
        try:
            trial = msgspec.json.decode(line, type=Trial)
        except msgspec.DecodeError as error:
            raise ValueError(f"line {number}: {error}") from None
        if trial.schema != SCHEMA:
            raise ValueError(f"line {number} is of schema {trial.schema}, and {SCHEMA} is known")
        if trial.load is None:
            continue
        name = f"{trial.trial} {', '.join(map(str, trial.cell.values()))}"
        rows.append(row(trial.load, name, trial.load_settings, trial.verdict, server_busy(trial)))
    nothing = "" if rows else "no trial has a result of its load"
    return Table(path=path, tool="serverlab", rows=rows, nothing=nothing)


def read_steps(content: bytes, path: str) -> Table:  # noqa: ARG001 - as the others
    """The steps of a stress, which have no figures for these checks."""
    nothing = "a stress counts connections, and measures neither rate nor latency"
    return Table(path=path, tool="serverlab", rows=[], nothing=nothing)


def server_busy(trial: Trial) -> float | None:
    """How busy the server's CPUs were, as a share, if that is known."""
    cpus = len(cpus_of(trial.server_settings))
    if trial.server is None or trial.server.cpus_busy is None or cpus == 0:
        return None
    return trial.server.cpus_busy / cpus


def read_load(document: bytes, path: str) -> Table:
    """The result of a load. Raises ValueError or ValidationError."""
    found = msgspec.json.decode(document, type=LoadResult)
    if found.schema != SCHEMA:
        raise ValueError(f"it is of schema {found.schema}, and {SCHEMA} is known")
    settings = msgspec.json.decode(document, type=WithSettings).settings
    return Table(
        path=path, tool="serverlab", rows=[row(found, "load", settings, found.verdict, None)]
    )


def row(
    load: LoadResult,
    name: str,
    settings: dict[str, str],
    verdict: Verdict,
    server_busy: float | None,
) -> Row:
    """A load's figures. Of slices, goodput is that of those that count, and latency that of all."""
    latency, shape = load.latency_ns, load.load
    is_closed = shape.model == "closed"
    pauses = any(settings.get(one, "0") not in NO_PAUSES for one in PAUSES)
    shares = {0.5: latency.p50, 0.9: latency.p90, 0.99: latency.p99, 0.999: latency.p99_9}
    return Row(
        name=name,
        tool="serverlab",
        loop="closed" if is_closed else "open",
        places=shape.connections * shape.depth if is_closed and not load.slices else None,
        served=load.connections.alive * shape.depth or None,
        has_think_time=pauses or load.connections.outage_s > 0,
        rate_per_s=load.rate.goodput_per_s,
        offered_per_s=load.rate.offered_per_s if shape.rate_per_s else None,
        duration_s=load.window.duration_s,
        requests=None if load.slices else latency.count,
        errors=sum(load.requests.errors.values()),
        min_s=in_seconds(latency.min),
        mean_s=in_seconds(latency.mean),
        max_s=in_seconds(latency.max),
        percentiles_s={share: value / 1e9 for share, value in shares.items() if value is not None},
        counts_from_sent=False,
        generator_busy=load.cpu.busiest_thread if shape.model in UNSCHEDULED else None,
        server_busy=server_busy,
        own=None if verdict.name == VerdictName.VALID else (verdict.name, verdict.reason),
    )


def in_seconds(value_ns: float | None) -> float | None:
    """A time in seconds, if it is known."""
    return None if value_ns is None else value_ns / 1e9
