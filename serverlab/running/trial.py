"""Trials that are run together: fresh servers, one load, and what the kernel says of them.

In a separate design that is one trial. In an interleaved one it is a trial for each engine: the
load goes from server to server, slice by slice.
"""

from __future__ import annotations

import contextlib
import datetime
import time
from typing import TYPE_CHECKING

import msgspec

from serverlab.analysis.laws import checked
from serverlab.design.catalog import catalog
from serverlab.design.plan import told_load, told_server, trial_s
from serverlab.errors import LabError, UnsupportedError
from serverlab.load_result import Verdict
from serverlab.machine.machine import cpus_of, cpus_of_all
from serverlab.quantities import duration_s
from serverlab.records import Summary
from serverlab.running.connection_log import logged
from serverlab.running.events import Listening
from serverlab.running.observer import Observer
from serverlab.running.process import NativeProcess
from serverlab.verdicts import VerdictName

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from serverlab.load_result import LoadResult
    from serverlab.records import PlannedTrial, ServerRecord, Trial
    from serverlab.running.connection_log import LogSettings
    from serverlab.running.events import Event

START_LIMIT_S = 15.0
GRACE_S = 20.0  # beyond the times that the load itself keeps
DRAINS_SHARE = 0.5  # of all slices: what waiting for their last answers may take


def run_trials(
    trials: Sequence[PlannedTrial],
    logs: Path,
    connections: Path | None,
    on_event: Callable[[Event], None],
) -> list[Trial]:
    """Run trials under one load and return their records (docs/results-schema.md).

    `connections` is a folder for what was seen of each connection; None if it was not asked for.
    What goes wrong with a server or the load makes the trials FAILED, and what this machine cannot
    do makes them UNSUPPORTED; neither is an exception, so that the run goes on.
    """
    started_at = now()
    try:
        with logged(connections, trials) as settings:
            observed, other_cpus_busy = observe(trials, logs, settings, on_event)
        records = [
            record_of(trial, started_at, load, server, other_cpus_busy)
            for trial, (load, server) in zip(trials, observed, strict=True)
        ]
        for log in log_files(trials, logs):
            log.unlink()
    except LabError as error:
        return [trial.ended(started_at, verdict_of(error)) for trial in trials]
    return records


def now() -> str:
    """This instant, as records have it."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")


def verdict_of(error: LabError) -> Verdict:
    """The verdict of a trial that has no result."""
    name = VerdictName.UNSUPPORTED if isinstance(error, UnsupportedError) else VerdictName.FAILED
    return Verdict(name, str(error))


def log_files(trials: Sequence[PlannedTrial], logs: Path) -> list[Path]:
    """Where each server's stderr goes, and then the load's."""
    servers = [logs / f"{trial.trial}-server.log" for trial in trials]
    return [*servers, logs / f"{trials[0].trial}-load.log"]


def observe(
    trials: Sequence[PlannedTrial],
    logs: Path,
    connection_log: LogSettings,
    on_event: Callable[[Event], None],
) -> tuple[list[tuple[LoadResult, ServerRecord]], float | None]:
    """Serve, load, look.

    Return each trial's result of the load and record of the server, and how many of their CPUs
    other work kept busy; None where a kernel's work for a server cannot be told from others'.
    """
    *server_logs, load_log = log_files(trials, logs)
    with contextlib.ExitStack() as running:
        servers = [
            running.enter_context(
                NativeProcess("serverlab-server", {**told_server(trial), **own}, log)
            )
            for trial, own, log in zip(trials, connection_log.servers, server_logs, strict=True)
        ]
        addresses = [server.await_event(Listening, START_LIMIT_S).address for server in servers]
        pids = [server.pid for server in servers]
        programs = [one for trial in trials for one in (trial.server_settings, trial.load_settings)]
        observer = Observer(on_event, pids, cpus_of_all(programs))
        settings = {
            **told_load(trials[0], addresses),
            "server-pid": " ".join(map(str, pids)),
            **connection_log.load,
        }
        with NativeProcess("serverlab-load", settings, load_log) as load:
            try:
                results = observer.follow(load, limit_s(trials))
                load.expect_no_failure()
            except LabError:
                raise_if_server_died(trials, servers)
                raise
        in_kernel = [catalog().engines[trial.engine].in_kernel for trial in trials]
        results = [
            without_cpu(one) if unknown else one
            for one, unknown in zip(results, in_kernel, strict=True)
        ]
        time.sleep(trials[0].stop_after_s)
        for server in servers:
            server.process.terminate()
        said = [server.events_until(Summary, START_LIMIT_S) for server in servers]
        for server in servers:
            server.expect_no_failure()
        observed = [
            (one, watched.record(one, *events))
            for one, watched, events in zip(results, observer.watched, said, strict=True)
        ]
        return observed, None if any(in_kernel) else observer.other_cpus_busy()


def limit_s(trials: Sequence[PlannedTrial]) -> float:
    """When the load has certainly ended, if it ever does."""
    keeps = trials[0].load_settings
    planned_s = sum(map(trial_s, trials))
    if "slice" in keeps:
        planned_s *= 1 + DRAINS_SHARE
    waits_s = duration_s(keeps.get("timeout", "3s")) + duration_s(
        keeps.get("connect-timeout", "10s")
    )
    return planned_s + waits_s + GRACE_S


def raise_if_server_died(trials: Sequence[PlannedTrial], servers: Sequence[NativeProcess]) -> None:
    """Raise LabError if a server has died: then the load's trouble is only a consequence."""
    for trial, server in zip(trials, servers, strict=True):
        if server.process.poll() is None:
            continue
        server_name = "the server" if len(servers) == 1 else f"the server of {trial.cell['engine']}"
        raise LabError(f"{server_name} died: {server.ending().sentence}") from None


def without_cpu(load: LoadResult) -> LoadResult:
    """If the kernel replies, the server's CPU time says nothing of what a request costs."""
    replace = msgspec.structs.replace
    slices = [replace(row, server_cpu_s=None) for row in load.slices]
    return replace(
        load,
        cpu=replace(load.cpu, server_s=None, server_per_request_us=None),
        series=slices or load.series,
    )


# Verdicts of a load that a server which was stopped explains, or would make meaningless.
BY_A_STALL = {
    VerdictName.VALID,
    VerdictName.STARVED,
    VerdictName.UNSTEADY,
    VerdictName.CLIENT_LIMITED,
    VerdictName.NOT_SUSTAINED,
}


def record_of(
    trial: PlannedTrial,
    started_at: str,
    load: LoadResult,
    server: ServerRecord,
    other_cpus_busy: float | None,
) -> Trial:
    """The record of a trial with the load's verdict, unless the laboratory knows more.

    The server was stopped; or the load is valid, and breaks a law, or the two sides shared CPUs.
    """
    record = checked(
        trial.ended(
            started_at,
            load.verdict,
            load=load,
            server=server,
            saturated=saturated(trial, load, server),
            other_cpus_busy=other_cpus_busy,
        )
    )
    shared = cpus_of(trial.server_settings) & cpus_of(trial.load_settings)
    if server.samples_stopped and load.verdict.name in BY_A_STALL:
        verdict = Verdict(VerdictName.SERVER_STALLED, stalled(load, server))
    elif record.is_valid and shared:
        cpus = ", ".join(map(str, sorted(shared)))
        verdict = Verdict(VerdictName.SHARED_CPU, f"server and generator both ran on CPU {cpus}")
    else:
        return record
    return msgspec.structs.replace(record, verdict=verdict)


def stalled(load: LoadResult, server: ServerRecord) -> str:
    """That a server was stopped, and for how long at most."""
    return (
        f"the server was stopped (by a signal or a debugger) at {server.samples_stopped} of "
        f"{len(server.samples)} looks, and no reply came for {load.pauses.silence_longest_s:.2f} "
        "s; look for what stopped it, and measure again"
    )


def saturated(trial: PlannedTrial, load: LoadResult, server: ServerRecord) -> str:
    """Which side's CPUs were busy."""
    cpus = len(cpus_of(trial.server_settings))
    busy_share = catalog().bounds["cpu_share_max"]
    server_busy = (server.cpus_busy or 0) / cpus > busy_share
    generator_busy = (load.cpu.busiest_thread or 0) > busy_share
    return {(True, True): "both", (True, False): "server", (False, True): "generator"}.get(
        (server_busy, generator_busy), "neither"
    )
