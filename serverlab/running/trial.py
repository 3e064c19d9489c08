"""Trials that are run together: fresh servers, one load, and what the kernel says of them.

In a separate design that is one trial. In an interleaved one it is a trial for each engine: the
load goes from server to server, slice by slice.
"""

from __future__ import annotations

import contextlib
import datetime
from typing import TYPE_CHECKING, Any

from serverlab.design.catalog import catalog
from serverlab.running.connection_log import logged
from serverlab.errors import LabError, RefusedError
from serverlab.running.observer import Observer
from serverlab.running.process import NativeProcess
from serverlab.quantities import cpu_set, duration_s
from serverlab.stats.little import ClosedLoop, broken

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from serverlab.design.plan import Trial
    from serverlab.running.process import Event

SCHEMA = 1
START_LIMIT_S = 15.0
SATURATED_SHARE = 0.95
GRACE_S = 20.0  # beyond the times that the load itself keeps
DRAINS_SHARE = 0.5  # of all slices: what waiting for their last answers may take


def run_trials(
    trials: Sequence[Trial],
    logs: Path,
    connections: Path | None,
    on_event: Callable[[Event], None],
) -> list[dict[str, Any]]:
    """Run trials under one load and return their records (docs/results-schema.md).

    `connections` is a folder for what was seen of each connection; None if nobody asked for it.
    What goes wrong with a server or the load makes the trials FAILED, and what one of them refuses,
    as an engine that cannot do it or a machine that has too few CPUs, makes them NOT-OFFERED;
    neither is an exception, so that the run goes on.
    """
    started_at = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
    records = [blank_record(trial, started_at) for trial in trials]
    try:
        with logged(connections, trials) as settings:
            observed = observe(trials, logs, settings, on_event)
        for record, trial, (load, server) in zip(records, trials, observed, strict=True):
            record["load"], record["server"] = load, server
            record["verdict"] = verdict(trial, load)
            record["saturated"] = saturated(trial, record)
        for log in log_files(trials, logs):
            log.unlink()
    except LabError as error:
        name = "NOT-OFFERED" if isinstance(error, RefusedError) else "FAILED"
        for record in records:
            record["verdict"] = {"name": name, "reason": str(error)}
    return records


def blank_record(trial: Trial, started_at: str) -> dict[str, Any]:
    """The record of a trial of which nothing is known yet."""
    return {
        "schema": SCHEMA,
        "trial": trial.trial,
        "block": trial.block,
        "order": trial.order,
        "started_at": started_at,
        "cell": trial.cell,
        "engine": trial.engine,
        "service": trial.service,
        "server_settings": trial.server_settings,
        "load_settings": trial.load_settings,
        "verdict": None,
        "load": None,
        "server": None,
        "saturated": None,
    }


def log_files(trials: Sequence[Trial], logs: Path) -> list[Path]:
    """Where each server's stderr goes, and then the load's."""
    servers = [logs / f"{trial.trial}-server.log" for trial in trials]
    return [*servers, logs / f"{trials[0].trial}-load.log"]


def observe(
    trials: Sequence[Trial],
    logs: Path,
    further_settings: Mapping[str, str],
    on_event: Callable[[Event], None],
) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Serve, load, look; return each trial's result of the load and record of the server."""
    *server_logs, load_log = log_files(trials, logs)
    with contextlib.ExitStack() as running:
        servers = [
            running.enter_context(NativeProcess("serverlab-server", server_settings(trial), log))
            for trial, log in zip(trials, server_logs, strict=True)
        ]
        addresses = [
            server.await_event("listening", START_LIMIT_S)["address"] for server in servers
        ]
        pids = [server.pid for server in servers]
        observer = Observer(on_event, pids)
        settings = {
            "target": " ".join(addresses),
            "service": trials[0].service,
            "server-pid": " ".join(map(str, pids)),
            **trials[0].load_settings,
            **further_settings,
        }
        with NativeProcess("serverlab-load", settings, load_log) as load:
            try:
                result = observer.follow(load, limit_s(trials))
            except LabError:
                blame_the_dead(trials, servers)
                raise
        results = results_of(result)
        for trial, one in zip(trials, results, strict=True):
            if catalog().engines[trial.engine].in_kernel:
                forget_cpu(one)
        for server in servers:
            server.process.terminate()
        summaries = [server.await_event("summary", START_LIMIT_S) for server in servers]
        return [
            (one, server.record(one, summary))
            for one, server, summary in zip(results, observer.watched, summaries, strict=True)
        ]


def server_settings(trial: Trial) -> dict[str, str]:
    """What the server is told."""
    return {
        "engine": trial.engine,
        "service": trial.service,
        "listen": "127.0.0.1:0",
        **trial.server_settings,
    }


def limit_s(trials: Sequence[Trial]) -> float:
    """When the load has certainly ended, if it ever does."""
    keeps = trials[0].load_settings
    planned_s = sum(trial.duration_s for trial in trials)
    if "slice" in keeps:
        planned_s *= 1 + DRAINS_SHARE
    waits_s = duration_s(keeps.get("timeout", "3s")) + duration_s(
        keeps.get("connect-timeout", "10s")
    )
    return planned_s + waits_s + GRACE_S


def blame_the_dead(trials: Sequence[Trial], servers: Sequence[NativeProcess]) -> None:
    """Raise LabError if a server has died: then the load's trouble is only a consequence."""
    for trial, server in zip(trials, servers, strict=True):
        if server.process.poll() is None:
            continue
        who = "the server" if len(servers) == 1 else f"the server of {trial.cell['engine']}"
        raise LabError(f"{who} died: {server.ending()}") from None


def results_of(result: dict[str, Any]) -> list[dict[str, Any]]:
    """A load's result, one for each server; its slices are its series."""
    if "targets" not in result:
        return [{key: value for key, value in result.items() if key != "settings"}]
    return [
        {
            **target,
            "service": result["service"],
            "series": [
                {key: value for key, value in row.items() if key != "target"}
                for row in result["slices"]
                if row["target"] == number
            ],
        }
        for number, target in enumerate(result["targets"])
    ]


def forget_cpu(load: dict[str, Any]) -> None:
    """Where the kernel answers, the server's CPU time says nothing of what a request costs."""
    load["cpu"] |= {"server_s": None, "server_per_request_us": None}
    for row in load["series"]:
        if "server_cpu_s" in row:
            row["server_cpu_s"] = None


def verdict(trial: Trial, load: dict[str, Any]) -> dict[str, str]:
    """The load's verdict, unless it is valid and breaks a law, or the two sides shared CPUs."""
    if load["verdict"]["name"] == "VALID" and (reason := broken_law(trial, load)):
        return {"name": "IMPOSSIBLE", "reason": reason}
    shared = cpu_set(trial.server_settings["cpus"]) & cpu_set(trial.load_settings["cpus"])
    if load["verdict"]["name"] == "VALID" and shared:
        return {
            "name": "SHARED-CPU",
            "reason": f"server and generator both ran on CPU {', '.join(map(str, sorted(shared)))}",
        }
    return dict(load["verdict"])


def broken_law(trial: Trial, load: dict[str, Any]) -> str:
    """Whether a closed loop has answers that its connections had no time for."""
    shortest_ns = load["latency_ns"]["min"]
    if load["load"]["model"] != "closed" or not shortest_ns or load["window"]["duration_s"] <= 0:
        return ""
    keeps = trial.load_settings
    varies = keeps.get("think-varies") == "on"  # then there are requests without any
    loop = ClosedLoop(
        places=load["load"]["connections"] * load["load"]["depth"],
        shortest_s=shortest_ns / 1e9,
        think_s=0 if varies else duration_s(keeps.get("think", "0s")),
    )
    slices = [row for row in load["series"] if "answered" in row]
    goodput_per_s, window_s = load["rate"]["goodput_per_s"], load["window"]["duration_s"]
    return broken(loop, goodput_per_s, window_s, max(1, len(slices)))


def saturated(trial: Trial, record: dict[str, Any]) -> str:
    """Which side's CPUs were busy."""
    cpus = len(cpu_set(trial.server_settings["cpus"]))
    server_share = (record["server"]["cpus_busy"] or 0) / cpus
    server = server_share > SATURATED_SHARE
    generator = record["load"]["cpu"]["busiest_thread"] > SATURATED_SHARE
    return {(True, True): "both", (True, False): "server", (False, True): "generator"}.get(
        (server, generator), "neither"
    )
