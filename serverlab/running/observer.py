"""Follows a load to its end, and looks at the servers meanwhile."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from serverlab.machine import sampler
from serverlab.errors import LabError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from serverlab.running.process import Event, NativeProcess

SAMPLE_INTERVAL_S = 0.5


@dataclass(slots=True, kw_only=True)
class Watched:
    """A server, and what was seen of it from the window's begin to its end."""

    pid: int
    samples: list[sampler.Sample] = field(default_factory=list)
    switches: list[dict[str, sampler.Switches]] = field(default_factory=list)

    def look(self) -> None:
        """Take a sample."""
        try:
            self.samples.append(sampler.sample(self.pid))
        except OSError as error:
            raise LabError("the server is gone") from error

    def count_switches(self) -> None:
        """Context switches so far; not part of a sample, as it reads a file per thread."""
        self.switches.append(sampler.switches(self.pid))

    def record(self, load: dict[str, Any], summary: Event) -> dict[str, Any]:
        """The server's part of a trial's record (docs/results-schema.md)."""
        first, last = self.samples[0], self.samples[-1]
        switches = sampler.switches_between(self.switches[0], self.switches[-1])
        return {
            "cpu_s": load["cpu"]["server_s"],
            "requests": requests_of(load),
            "user_s": last.user_s - first.user_s,
            "system_s": last.system_s - first.system_s,
            "cpu_per_request_us": load["cpu"]["server_per_request_us"],
            "cpus_busy": cpus_busy(load),
            "rss_bytes_max": max(sample.rss_bytes for sample in self.samples),
            "threads_max": max(sample.threads for sample in self.samples),
            "descriptors_max": max(sample.descriptors for sample in self.samples),
            "switches": {
                "voluntary": switches.voluntary,
                "involuntary": switches.involuntary,
            },
            "summary": {key: value for key, value in summary.items() if key != "event"},
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


def requests_of(load: dict[str, Any]) -> int:
    """Right replies in the time of which the server's CPU clock was read: all of each slice."""
    slices: list[int] = [row["answered"] for row in load["series"] if "answered" in row]
    received: int = load["requests"]["received"]
    return sum(slices) if slices else received


def cpus_busy(load: dict[str, Any]) -> float | None:
    """CPU time a second, within the windows: 1 is one CPU without a pause.

    Of slices the CPU time includes their warm-up, so it goes by what a request costs. None if the
    CPU time is not known.
    """
    cpu, duration_s = load["cpu"], load["window"]["duration_s"]
    if cpu["server_s"] is None:
        return None
    if cpu["server_per_request_us"] is None:
        return float(cpu["server_s"] / duration_s)
    return float(1e-6 * cpu["server_per_request_us"] * load["rate"]["goodput_per_s"])


class Observer:
    """Reads a load's events, and samples the servers in its window."""

    def __init__(self, on_event: Callable[[Event], None], pids: Sequence[int]) -> None:
        """`on_event` is told each event of the load, for a display."""
        self.on_event = on_event
        self.watched = [Watched(pid=pid) for pid in pids]
        self.in_window = False
        self.next_look_s = 0.0

    def follow(self, load: NativeProcess, limit_s: float) -> dict[str, Any]:
        """Read the load's events to its end, and return its result.

        Raises LabError if it ends before its time, or never.
        """
        deadline_s = time.monotonic() + limit_s
        while time.monotonic() < deadline_s:
            event = load.next_event(SAMPLE_INTERVAL_S)
            if self.in_window and time.monotonic() >= self.next_look_s:
                self.look()
            if event is None:
                continue
            self.on_event(event)
            match event.get("event"):
                case "window":
                    self.border()
                    self.in_window = True
                case "drain":
                    self.border()
                    self.in_window = False
                case "end":
                    result: dict[str, Any] = event["result"]
                    return result
        raise LabError(f"serverlab-load has not ended within {limit_s:.0f} s")

    def border(self) -> None:
        """The window begins, or ends."""
        self.look()
        for server in self.watched:
            server.count_switches()

    def look(self) -> None:
        """Sample all servers."""
        for server in self.watched:
            server.look()
        self.next_look_s = time.monotonic() + SAMPLE_INTERVAL_S
