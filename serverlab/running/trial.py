"""Trials that are run together: fresh servers, one load, and what the kernel says of them.

In a separate design that is one trial. In an interleaved one it is a trial for each engine: the
load goes from server to server, slice by slice.
"""

from __future__ import annotations

import contextlib
import datetime
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from serverlab.analysis.laws import checked
from serverlab.contestants.building import version_of
from serverlab.design.catalog import catalog
from serverlab.design.plan import told_load, told_server, trial_s, warmup_s
from serverlab.errors import LabError, OwnError, UnsupportedError
from serverlab.load_result import Verdict
from serverlab.machine.machine import cpus_of, cpus_of_all
from serverlab.quantities import duration_s
from serverlab.running.connection_log import logged
from serverlab.running.contestant_process import OutsideView, program_of
from serverlab.running.events import Listening
from serverlab.running.host import HERE
from serverlab.running.network import network_bound
from serverlab.running.observer import Observer
from serverlab.running.process import NativeProcess
from serverlab.running.program import START_LIMIT_S
from serverlab.running.shared_load import SharedLoad
from serverlab.verdicts import VerdictName

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from serverlab.load_result import LoadResult
    from serverlab.records import Generator, PlannedTrial, ServerRecord, Trial
    from serverlab.running.connection_log import LogSettings
    from serverlab.running.events import Event
    from serverlab.running.host import Hosts
    from serverlab.running.observer import Watched
    from serverlab.running.program import Program

GRACE_S = 20.0  # beyond the times that the load itself keeps
# Between the first requests of generators that share a load: so much, or a share of the warm-up.
SPREAD_MAX_NS, SPREAD_SHARE_MAX = 5_000_000, 0.1
DRAINS_SHARE = 0.5  # of all slices: what waiting for their last answers may take
SERVER_DIED = "the server died"  # the reason of a trial that failed by that begins so


def run_trials(
    trials: Sequence[PlannedTrial],
    logs: Path,
    connections: Path | None,
    on_event: Callable[[Event], None],
    hosts: Hosts = HERE,
) -> list[Trial]:
    """Run trials under one load and return their records (docs/results-schema.md).

    `connections` is a folder for what was seen of each connection; None if it was not asked for.
    What goes wrong with a server or the load makes the trials FAILED, and what this machine cannot
    do makes them UNSUPPORTED; neither is an exception, so that the run goes on. Raises OwnError if
    the laboratory cannot go on itself.
    """
    started_at = now()
    try:
        with logged(connections, trials) as settings:
            seen = observe(trials, logs, settings, on_event, hosts)
        records = [
            record_of(trial, started_at, load, server, generators, seen)
            for trial, load, server, generators in zip(
                trials, seen.loads, seen.servers, seen.generators, strict=True
            )
        ]
        for log in log_files(trials, logs):
            log.unlink(missing_ok=True)
    except LabError as error:
        return [trial.ended(started_at, verdict_of(error)) for trial in trials]
    return records


def now() -> str:
    """This instant, as records have it."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")


def verdict_of(error: LabError) -> Verdict:
    """The verdict of a trial that has no result.

    Raises the error if it is the laboratory's own: the trial is then run when the run goes on.
    """
    if isinstance(error, OwnError):
        raise error
    name = VerdictName.UNSUPPORTED if isinstance(error, UnsupportedError) else VerdictName.FAILED
    return Verdict(name, str(error))


def log_files(trials: Sequence[PlannedTrial], logs: Path) -> list[Path]:
    """Where each server's stderr goes, and then the load's; a part of it has a number, too."""
    servers = [logs / f"{trial.trial}-server.log" for trial in trials]
    load = logs / f"{trials[0].trial}-load.log"
    return [*servers, load, *sorted(logs.glob(f"{load.stem}-*{load.suffix}"))]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What was seen of trials that ran together."""

    loads: list[LoadResult]  # of each trial
    servers: list[ServerRecord]
    # Of the CPUs of servers and load: how many other work kept busy. None where a kernel's work for
    # a server cannot be told from others', or where they are not all of one machine.
    other_cpus_busy: float | None
    generators: list[list[Generator]]  # of each trial, if there are several
    wire_bytes_per_s: float | None  # that the network between the hosts carries, if measured


def observe(
    trials: Sequence[PlannedTrial],
    logs: Path,
    connection_log: LogSettings,
    on_event: Callable[[Event], None],
    hosts: Hosts,
) -> Seen:
    """Serve, load, look."""
    *server_logs, load_log = log_files(trials, logs)[: len(trials) + 1]
    with contextlib.ExitStack() as running:
        servers = [
            running.enter_context(start_server(hosts, trial, own, log))
            for trial, own, log in zip(trials, connection_log.servers, server_logs, strict=True)
        ]
        addresses = [server.await_event(Listening, START_LIMIT_S).address for server in servers]
        programs = [one for trial in trials for one in (trial.server_settings, trial.load_settings)]
        are_seen = hosts.are_one and pids_of(servers) is not None
        observer = Observer(on_event, servers, cpus_of_all(programs) if are_seen else ())
        settings = {**told_load(trials[0], addresses), **connection_log.load}
        with start_load(hosts, settings, servers, load_log) as load:
            try:
                results = observer.follow(load, limit_s(trials))
                load.expect_no_failure()
            except LabError:
                raise_if_server_died(trials, servers)
                raise
        in_kernel = [is_in_kernel(trial) for trial in trials]
        generators = load.generators if isinstance(load, SharedLoad) else []
        if generators:
            results = [
                one if one.slices else with_cpu(one, watched)
                for one, watched in zip(results, observer.watched, strict=True)
            ]
        results = [
            without_cpu(one) if unknown else one
            for one, unknown in zip(results, in_kernel, strict=True)
        ]
        time.sleep(trials[0].stop_after_s)
        for server in servers:
            server.ask_to_stop()
        said = [server.last_words(START_LIMIT_S) for server in servers]
        for server in servers:
            server.expect_no_failure()
        records = [
            with_version(watched.record(one, *events), trial)
            for one, watched, events, trial in zip(
                results, observer.watched, said, trials, strict=True
            )
        ]
        return Seen(
            loads=results,
            servers=records,
            other_cpus_busy=None if any(in_kernel) else observer.other_cpus_busy(),
            generators=generators or [[] for _ in trials],
            wire_bytes_per_s=hosts.wire_bytes_per_s,
        )


def start_server(hosts: Hosts, trial: PlannedTrial, own: Mapping[str, str], log: Path) -> Program:
    """The server of a trial: an engine's, with settings of its `own`, or a contestant's."""
    if trial.contestant is None:
        told = {**told_server(trial, hosts.server.address), **own}
        return hosts.server.start("serverlab-server", told, log)
    if not hosts.are_one:
        raise UnsupportedError(
            f"{trial.contestant.name} is no engine: on a cluster serverlab starts its own alone"
        )
    return program_of(trial.contestant, trial.service, trial.server_settings, log)


def is_in_kernel(trial: PlannedTrial) -> bool:
    """Whether the kernel replies, and no server does."""
    return trial.contestant is None and catalog().engines[trial.engine].in_kernel


def with_version(record: ServerRecord, trial: PlannedTrial) -> ServerRecord:
    """The record of a server, with its version if it is a contestant's."""
    if trial.contestant is None:
        return record
    return msgspec.structs.replace(record, version=version_of(trial.contestant))


def pids_of(servers: Sequence[Program]) -> list[int] | None:
    """The processes of servers on this machine; None if one of them cannot be seen."""
    pids = [server.pid for server in servers if isinstance(server, NativeProcess | OutsideView)]
    known = [pid for pid in pids if pid is not None]
    return known if len(known) == len(servers) else None


def start_load(
    hosts: Hosts, settings: dict[str, str], servers: Sequence[Program], log: Path
) -> Program:
    """One generator beside the servers, which can read their CPU clocks; or parts of a load."""
    are_here = all(isinstance(server, NativeProcess | OutsideView) for server in servers)
    if not hosts.are_one or not are_here:
        return SharedLoad(hosts.generators, settings, log, servers)
    pids = pids_of(servers)
    told = {**settings, "server-pid": " ".join(map(str, pids))} if pids else settings
    return hosts.server.start("serverlab-load", told, log)


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


def raise_if_server_died(trials: Sequence[PlannedTrial], servers: Sequence[Program]) -> None:
    """Raise LabError if a server has died: then the load's trouble is only a consequence."""
    for trial, server in zip(trials, servers, strict=True):
        if server.is_alive():
            continue
        died = SERVER_DIED if len(servers) == 1 else f"the server of {trial.cell['engine']} died"
        raise LabError(f"{died}: {server.ending().sentence}") from None


def with_cpu(load: LoadResult, server: Watched) -> LoadResult:
    """Generators elsewhere cannot read the server's CPU clock: what was seen there, instead."""
    if len(server.samples) < 2:
        return load
    server_s = server.samples[-1].cpu_s - server.samples[0].cpu_s
    received = load.requests.received
    cpu = msgspec.structs.replace(
        load.cpu,
        server_s=server_s,
        server_per_request_us=1e6 * server_s / received if received else None,
    )
    return msgspec.structs.replace(load, cpu=cpu)


def without_cpu(load: LoadResult) -> LoadResult:
    """If the kernel replies, the server's CPU time says nothing of what a request costs."""
    replace = msgspec.structs.replace
    slices = [replace(row, server_cpu_s=None) for row in load.slices]
    return replace(
        load,
        cpu=replace(load.cpu, server_s=None, server_per_request_us=None),
        series=slices or load.series,
    )


# Verdicts of a load that a stopped server or a full network explains, or would make meaningless.
EXPLAINED = {
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
    generators: list[Generator],
    seen: Seen,
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
            other_cpus_busy=seen.other_cpus_busy,
        )
    )
    if generators:
        record = msgspec.structs.replace(record, generators=generators)
        return of_several(record, seen.wire_bytes_per_s)
    shared = cpus_of(trial.server_settings) & cpus_of(trial.load_settings)
    if server.samples_stopped and load.verdict.name in EXPLAINED:
        verdict = Verdict(VerdictName.SERVER_STALLED, stalled(load, server))
    elif record.is_valid and shared:
        cpus = ", ".join(map(str, sorted(shared)))
        verdict = Verdict(VerdictName.SHARED_CPU, f"server and generator both ran on CPU {cpus}")
    else:
        return record
    return msgspec.structs.replace(record, verdict=verdict)


def of_several(record: Trial, wire_bytes_per_s: float | None) -> Trial:
    """The same record, unless the generators did not begin together, or the network was full."""
    load = record.load
    if load is None or record.verdict.name not in EXPLAINED:
        return record
    if record.is_valid and (apart := not_together(record, record.generators)):
        verdict = Verdict(VerdictName.APART, apart)
    elif wire_bytes_per_s is not None and (full := network_bound(load, wire_bytes_per_s)):
        verdict = Verdict(VerdictName.NETWORK_BOUND, full)
    else:
        return record
    return msgspec.structs.replace(record, verdict=verdict)


def not_together(trial: PlannedTrial, generators: Sequence[Generator]) -> str:
    """How far apart generators began, if that is too far.

    Their windows begin at one instant. A long warm-up has made up for a late beginning by then.
    """
    began = [one.began_ns for one in generators if one.began_ns is not None]
    spread_ns = max(began, default=0) - min(began, default=0)
    spread_max_ns = max(
        SPREAD_MAX_NS, 1e9 * SPREAD_SHARE_MAX * warmup_s(trial.load_settings["warmup"])
    )
    if spread_ns <= spread_max_ns:
        return ""
    last = max(generators, key=lambda one: one.began_ns or 0)
    return (
        f"the generators began {spread_ns / 1e6:.1f} ms apart, {last.host} last; at most "
        f"{spread_max_ns / 1e6:g} ms are allowed"
    )


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
