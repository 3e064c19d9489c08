"""Follows a load to its end, and looks at the servers meanwhile."""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from serverlab.errors import LabError
from serverlab.machine import other_work
from serverlab.records import ServerRecord, ServerSample, Switches
from serverlab.running.events import LoadEnded, Usage, WindowBegan, WindowEnded

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from serverlab.load_result import LoadResult
    from serverlab.machine.sampler import Sample
    from serverlab.records import Summary
    from serverlab.running.events import Event
    from serverlab.running.program import Program

SAMPLE_INTERVAL_S = 0.5


@dataclass(slots=True, kw_only=True)
class Watched:
    """A server, and what was seen of it from the window's begin to its end."""

    program: Program
    samples: list[Sample] = field(default_factory=list)
    children: list[Switches] = field(default_factory=list)  # at the window's ends

    def look(self) -> None:
        """Take a sample."""
        if self.program.is_seen:
            self.samples.append(self.program.look())

    def count_switches(self) -> None:
        """Have the server say its context switches so far; `record` reads what it said."""
        if (of_children := self.program.count_switches()) is not None:
            self.children.append(of_children)

    def switches(self, events: Sequence[Event]) -> Switches | None:
        """Context switches within the window; None if the server did not say them at both ends."""
        said = [event.switches for event in events if isinstance(event, Usage)]
        if not len(said) == len(self.children) == 2:
            return None
        return said[1] + self.children[1] - (said[0] + self.children[0])

    def record(
        self, load: LoadResult, events: Sequence[Event], summary: Summary | None
    ) -> ServerRecord:
        """The server's part of a trial's record (docs/results-schema.md).

        `events` are what the server said between the time that it listened and its summary.
        """
        if not self.samples:
            return ServerRecord(requests=requests_of(load))
        first, last = self.samples[0], self.samples[-1]
        return ServerRecord(
            cpu_s=load.cpu.server_s,
            requests=requests_of(load),
            user_s=last.user_s - first.user_s,
            system_s=last.system_s - first.system_s,
            cpu_per_request_us=load.cpu.server_per_request_us,
            cpus_busy=cpus_busy(load),
            rss_bytes_max=max(sample.rss_bytes for sample in self.samples),
            threads_max=max(sample.threads for sample in self.samples),
            descriptors_max=max(sample.descriptors for sample in self.samples),
            samples_stopped=sum(sample.stopped for sample in self.samples),
            switches=self.switches(events),
            summary=summary,
            samples=[
                ServerSample(
                    t_s=sample.t_s - first.t_s,
                    cpu_s=sample.cpu_s - first.cpu_s,
                    rss_bytes=sample.rss_bytes,
                    threads=sample.threads,
                    descriptors=sample.descriptors,
                )
                for sample in self.samples
            ],
        )


def requests_of(load: LoadResult) -> int:
    """Right replies in the time of which the server's CPU clock was read: all of each slice."""
    slices = [row.answered or 0 for row in load.slices]
    return sum(slices) if slices else load.requests.received


def cpus_busy(load: LoadResult) -> float | None:
    """CPU time a second, within the windows: 1 is one CPU without a pause.

    Of slices the CPU time includes their warm-up, so it goes by what a request costs. None if the
    CPU time is not known.
    """
    if load.cpu.server_s is None:
        return None
    if load.cpu.server_per_request_us is None:
        return load.cpu.server_s / load.window.duration_s
    return 1e-6 * load.cpu.server_per_request_us * load.rate.goodput_per_s


class Observer:
    """Reads a load's events, and samples the servers in its window."""

    def __init__(
        self,
        on_event: Callable[[Event], None],
        servers: Sequence[Program],
        cpus: Collection[int] = (),
    ) -> None:
        """`on_event` is told each event of the load, for a display.

        `cpus` are all that servers and load use; none if they are not all of this machine.
        """
        self.on_event = on_event
        self.watched = [Watched(program=server) for server in servers]
        self.cpus = cpus
        self.borders: list[other_work.CpusLook] = []  # the window's begin and end
        self.in_window = False
        self.next_look_s = 0.0

    def follow(self, load: Program, limit_s: float) -> list[LoadResult]:
        """Read the load's events to its end, and return the result of each of its targets.

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
            match event:
                case WindowBegan():
                    self.border(load)
                    self.in_window = True
                case WindowEnded():
                    self.border(load)
                    self.in_window = False
                case LoadEnded():
                    return event.results()
        raise LabError(f"serverlab-load has not ended within {limit_s:.0f} s")

    def border(self, load: Program) -> None:
        """The window begins, or ends."""
        self.look()
        if self.cpus:
            with contextlib.suppress(LabError):  # the load has just died, as its next event says
                own_s = load.look().cpu_s + sum(one.samples[-1].cpu_s for one in self.watched)
                self.borders.append(other_work.look_at(self.cpus, own_s))
        for server in self.watched:
            server.count_switches()

    def other_cpus_busy(self) -> float | None:
        """CPUs that other work kept busy within the window; None if it has not been seen whole."""
        if not self.cpus or len(self.borders) < 2:
            return None
        return other_work.other_cpus_busy(self.borders[0], self.borders[-1], self.cpus)

    def look(self) -> None:
        """Sample all servers."""
        for server in self.watched:
            server.look()
        self.next_look_s = time.monotonic() + SAMPLE_INTERVAL_S
