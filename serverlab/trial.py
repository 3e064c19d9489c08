"""One trial: a fresh server, its load, and what the kernel says of the server meanwhile."""

from __future__ import annotations

import datetime
import time
from typing import TYPE_CHECKING, Any

from serverlab import sampler
from serverlab.errors import LabError
from serverlab.process import Event, NativeProcess
from serverlab.quantities import duration_s

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from serverlab.plan import Trial

SCHEMA = 1
START_LIMIT_S = 15.0
SAMPLE_INTERVAL_S = 0.5
SATURATED_SHARE = 0.95
GRACE_S = 20.0  # beyond the times that the load itself keeps


def run_trial(trial: Trial, logs: Path, on_event: Callable[[Event], None]) -> dict[str, Any]:
    """Run one trial and return its record (docs/results-schema.md).

    What goes wrong with the server or the load makes the trial FAILED; it is no exception, so that
    the run goes on.
    """
    record: dict[str, Any] = {
        "schema": SCHEMA,
        "trial": trial.trial,
        "block": trial.block,
        "order": trial.order,
        "started_at": datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds"),
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
    observer = Observer(on_event)
    server_log, load_log = logs / f"{trial.trial}-server.log", logs / f"{trial.trial}-load.log"
    try:
        record["load"] = observe(trial, observer, server_log, load_log)
        record["server"] = observer.server_record(record["load"])
        record["verdict"] = verdict(trial, record["load"])
        record["saturated"] = saturated(trial, record)
        server_log.unlink()
        load_log.unlink()
    except LabError as error:
        record["verdict"] = {"name": "FAILED", "reason": str(error)}
    return record


def observe(trial: Trial, observer: Observer, server_log: Path, load_log: Path) -> dict[str, Any]:
    """Serve, load, look; return the load's result."""
    server_settings = {
        "engine": trial.engine,
        "service": trial.service,
        "listen": "127.0.0.1:0",
        **trial.server_settings,
    }
    with NativeProcess("serverlab-server", server_settings, server_log) as server:
        address = server.await_event("listening", START_LIMIT_S)["address"]
        observer.pid = server.pid
        load_settings = {
            "target": address,
            "service": trial.service,
            "server-pid": str(server.pid),
            **trial.load_settings,
        }
        with NativeProcess("serverlab-load", load_settings, load_log) as load:
            try:
                result = observer.follow(load, trial)
            except LabError:
                if (
                    server.process.poll() is not None
                ):  # then the load's trouble is only a consequence
                    raise LabError(f"the server died: {server.ending()}") from None
                raise
        server.process.terminate()
        observer.summary = server.await_event("summary", START_LIMIT_S)
    return {key: value for key, value in result.items() if key != "settings"}


class Observer:
    """Follows a load's events and samples the server in its window."""

    def __init__(self, on_event: Callable[[Event], None]) -> None:
        """`on_event` is told each event of the load, for a display."""
        self.pid = 0
        self.summary: Event = {}
        self.samples: list[sampler.Sample] = []
        self.in_window = False
        self.switches: list[dict[str, sampler.Switches]] = []
        self.on_event = on_event

    def follow(self, load: NativeProcess, trial: Trial) -> dict[str, Any]:
        """Read the load's events to its end.

        Raises LabError if it ends before its time, or never.
        """
        keeps = trial.load_settings
        limit_s = trial.duration_s + GRACE_S
        limit_s += duration_s(keeps.get("timeout", "3s")) + duration_s(
            keeps.get("connect-timeout", "10s")
        )
        deadline_s = time.monotonic() + limit_s
        while time.monotonic() < deadline_s:
            event = load.next_event(SAMPLE_INTERVAL_S)
            if event is None:
                self.look()
                continue
            self.on_event(event)
            match event.get("event"):
                case "window":
                    self.begin_window()
                case "drain":
                    self.end_window()
                case "end":
                    result: dict[str, Any] = event["result"]
                    return result
        raise LabError(f"serverlab-load has not ended within {limit_s:.0f} s")

    def begin_window(self) -> None:
        """Take the first sample."""
        self.in_window = True
        self.look()
        self.count_switches()

    def end_window(self) -> None:
        """Take the last sample."""
        self.look()
        self.count_switches()
        self.in_window = False

    def look(self) -> None:
        """Sample the server, within the window."""
        if self.in_window:
            try:
                self.samples.append(sampler.sample(self.pid))
            except OSError as error:
                raise LabError("the server is gone") from error

    def count_switches(self) -> None:
        """Context switches so far; not part of a sample, as it reads a file per thread."""
        self.switches.append(sampler.switches(self.pid))

    def server_record(self, load: dict[str, Any]) -> dict[str, Any]:
        """What the window has shown of the server."""
        first, last = self.samples[0], self.samples[-1]
        switches = sampler.switches_between(*self.switches)
        return {
            "cpu_s": load["cpu"]["server_s"],
            "user_s": last.user_s - first.user_s,
            "system_s": last.system_s - first.system_s,
            "cpu_per_request_us": load["cpu"]["server_per_request_us"],
            "cpus_busy": load["cpu"]["server_s"] / load["window"]["duration_s"],
            "rss_bytes_max": max(sample.rss_bytes for sample in self.samples),
            "threads_max": max(sample.threads for sample in self.samples),
            "descriptors_max": max(sample.descriptors for sample in self.samples),
            "switches": {
                "voluntary": switches.voluntary,
                "involuntary": switches.involuntary,
            },
            "summary": {key: value for key, value in self.summary.items() if key != "event"},
            "samples": [
                {
                    "t_s": sample.t_s - first.t_s,
                    "cpu_s": sample.cpu_s - first.cpu_s,
                    "rss_bytes": sample.rss_bytes,
                    "threads": sample.threads,
                    "descriptors": sample.descriptors,
                }
                for sample in self.samples
            ],
        }


def cpu_set(text: str) -> set[int]:
    """The CPUs of a --cpus list."""
    cpus: set[int] = set()
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        cpus.update(range(int(first), int(last or first) + 1))
    return cpus


def verdict(trial: Trial, load: dict[str, Any]) -> dict[str, str]:
    """The load's verdict, unless it is valid and the two sides shared CPUs."""
    shared = cpu_set(trial.server_settings["cpus"]) & cpu_set(trial.load_settings["cpus"])
    if load["verdict"]["name"] == "VALID" and shared:
        return {
            "name": "SHARED-CPU",
            "reason": f"server and generator both ran on CPU {', '.join(map(str, sorted(shared)))}",
        }
    return dict(load["verdict"])


def saturated(trial: Trial, record: dict[str, Any]) -> str:
    """Which side's CPUs were busy."""
    server_share = record["server"]["cpus_busy"] / len(cpu_set(trial.server_settings["cpus"]))
    server = server_share > SATURATED_SHARE
    generator = record["load"]["cpu"]["busiest_thread"] > SATURATED_SHARE
    return {(True, True): "both", (True, False): "server", (False, True): "generator"}.get(
        (server, generator), "neither"
    )
