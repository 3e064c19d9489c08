"""A load that several generators share: its parts begin together, and it speaks as one program.

Each generator connects and says so. Once all have, each is told the same instant on its own clock;
so it is with each slice, once nothing is in flight anywhere. Their events become one of each kind:
the window begins and ends with the first of them, and what the parts counted is added up.
"""

from __future__ import annotations

import queue
import signal
import threading
import time
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from serverlab.design.plan import BORDER_S
from serverlab.errors import LabError
from serverlab.load_result import Interval
from serverlab.records import Generator
from serverlab.running.events import AtBorder, Connected, InTurns, LoadEnded
from serverlab.running.host_clock import offset_of
from serverlab.running.merging import interval_of, merged, merged_slices
from serverlab.running.program import Ending, Program

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from serverlab.load_result import LoadResult
    from serverlab.machine.sampler import Sample
    from serverlab.records import Switches
    from serverlab.running.events import Event
    from serverlab.running.host import Host
    from serverlab.running.host_clock import Offset

LEAD_NS = 200_000_000  # from telling when to begin until then
BORDER_LEAD_NS = round(1e9 * BORDER_S)  # the same of a slice
MEASURE_AGAIN_S = 10.0  # after which clocks that drift apart are compared again
READ_S = 0.2  # for which a reader waits at a time


class Segment(NamedTuple):
    """A slice, or a warm-up, and what its server has used in it."""

    target: int
    cpu_s: float = 0.0


class SharedLoad(Program):
    """Generators on several hosts."""

    name = "serverlab-load"

    def __init__(
        self,
        hosts: Sequence[Host],
        settings: Mapping[str, str],
        log: Path,
        servers: Sequence[Program] = (),
    ) -> None:
        """Start a generator on each host, with a log of its own.

        Where there are several targets, the CPU time of the `servers` is read between the slices.
        """
        self.hosts = hosts
        self.generators: list[list[Generator]] = []  # of each target, once the load has ended
        self._servers = servers
        self._segments: list[Segment] = []  # that have ended, warm-ups first
        self._segment = Segment(0)
        self._at_border = 0
        self._measured_s = 0.0  # when the clocks were compared
        self.parts: list[Program] = []
        self._seen: queue.SimpleQueue[tuple[int, Event | LabError]] = queue.SimpleQueue()
        self._connected: dict[int, int] = {}
        self._told: set[type[Event]] = set()  # what the load has said so far, of each part once
        self._series: list[list[Interval]] = [[] for _ in hosts]
        self._results: dict[int, list[LoadResult]] = {}
        self._offsets: list[Offset] = []
        self._first = self._offsets  # those by which the load began
        self._ended = False
        for number, host in enumerate(hosts, start=1):
            own = {**settings, "part": f"{number}/{len(hosts)}", "begin": "told"}
            part_log = log.with_stem(f"{log.stem}-{number}")
            try:
                self.parts.append(host.start(self.name, own, part_log))
            except LabError as error:
                self.stop()
                raise type(error)(f"{host.name}: {error}") from error
        self._readers = [
            threading.Thread(target=self._read, args=(number,), daemon=True)
            for number in range(len(hosts))
        ]
        for reader in self._readers:
            reader.start()

    def _read(self, number: int) -> None:
        while not self._ended:
            try:
                event = self.parts[number].next_event(READ_S)
            except LabError as error:
                self._seen.put((number, error))
                return
            if event is not None:
                self._seen.put((number, event))
            if isinstance(event, LoadEnded):
                return

    def next_event(self, limit_s: float) -> Event | None:
        """The next event of the load as a whole; None if the limit has passed."""
        deadline = time.monotonic() + limit_s
        while (left_s := deadline - time.monotonic()) > 0:
            try:
                number, seen = self._seen.get(timeout=left_s)
            except queue.Empty:
                return None
            if isinstance(seen, LabError):
                raise type(seen)(f"{self.hosts[number].name}: {seen}")
            if (event := self._of_all(number, seen)) is not None:
                return event
        return None

    def _of_all(self, number: int, event: Event) -> Event | None:
        """What the load says as a part says this."""
        match event:
            case Connected():
                self._connected[number] = event.established
                return self._begin() if len(self._connected) == len(self.parts) else None
            case AtBorder():
                self._at_border += 1
                if self._at_border == len(self.parts):
                    self._pass_border(event.target)
                return None
            case Interval():
                rows = self._series[number]
                rows.append(event)
                if any(len(series) < len(rows) for series in self._series):
                    return None  # another part has not come so far
                return interval_of([series[len(rows) - 1] for series in self._series])
            case LoadEnded():
                self._results[number] = event.results()
                return self._end() if len(self._results) == len(self.parts) else None
            case _:
                is_first = type(event) not in self._told
                self._told.add(type(event))
                return event if is_first else None

    def _begin(self) -> Connected:
        self._enter(target=0)
        self._tell_begin(LEAD_NS)
        self._first = self._offsets
        return Connected(sum(self._connected.values()))

    def _pass_border(self, target: int) -> None:
        self._at_border = 0
        self._leave()
        self._enter(target)
        self._tell_begin(BORDER_LEAD_NS)

    def _enter(self, target: int) -> None:
        self._segment = Segment(target, -self._cpu_s(target))

    def _leave(self) -> None:
        target, before_s = self._segment
        self._segments.append(Segment(target, self._cpu_s(target) + before_s))

    def _cpu_s(self, target: int) -> float:
        """What a server has used so far: at a border all of them have nothing to do."""
        return self._servers[target].look().cpu_s if self._servers else 0.0

    def _tell_begin(self, lead_ns: int) -> None:
        if time.monotonic() - self._measured_s > MEASURE_AGAIN_S:
            self._offsets = [offset_of(partial(host.ask, time.monotonic_ns)) for host in self.hosts]
            self._measured_s = time.monotonic()
        begin_ns = time.monotonic_ns() + lead_ns
        for part, offset in zip(self.parts, self._offsets, strict=True):
            part.tell(f"begin {begin_ns + offset.ns}")

    def _end(self) -> LoadEnded:
        by_part = [self._results[number] for number in range(len(self.parts))]
        names = [host.name for host in self.hosts]
        of_targets = list(zip(*by_part, strict=True))
        self.generators = [
            [
                generator(host.name, result, offset)
                for host, result, offset in zip(self.hosts, results, self._first, strict=True)
            ]
            for results in of_targets
        ]
        if len(of_targets) == 1:
            whole: LoadResult | InTurns = merged(of_targets[0], names, self._series)
        else:
            whole = in_turns(
                [
                    merged_slices(
                        results, names, self._told_of(target), self._cpu_of(target, len(of_targets))
                    )
                    for target, results in enumerate(of_targets)
                ]
            )
        return LoadEnded(msgspec.Raw(msgspec.json.encode(whole)))

    def _told_of(self, target: int) -> list[list[Interval]]:
        return [[row for row in rows if row.target == target] for rows in self._series]

    def _cpu_of(self, target: int, warmups: int) -> list[float]:
        return [one.cpu_s for one in self._segments[warmups:] if one.target == target]

    def tell(self, line: str) -> None:
        """Nobody tells a shared load when to begin: it tells its parts."""
        raise NotImplementedError

    def is_alive(self) -> bool:
        """Whether a part has not ended."""
        return any(part.is_alive() for part in self.parts)

    def ask_to_stop(self) -> None:
        """Let all parts drain and end."""
        for part in self.parts:
            part.ask_to_stop()

    def stop(self) -> None:
        """Ask the parts to stop, all before one is waited for."""
        self._ended = True
        for part in self.parts:
            if part.is_alive():
                part.ask_to_stop()
        for part in self.parts:
            part.stop()

    def ending(self) -> Ending:
        """How the part did end that made the others end, if one did."""
        self.ask_to_stop()
        endings = [part.ending() for part in self.parts]
        lacking = [one for one in endings if one.resource]
        killed = [one for one in endings if one.signal not in (None, signal.SIGTERM)]
        return next(chain(lacking, killed, endings))

    def expect_no_failure(self) -> None:
        """Wait for the end of all parts. Raises LabError with the host's name if one failed."""
        for host, part in zip(self.hosts, self.parts, strict=True):
            try:
                part.expect_no_failure()
            except LabError as error:
                raise LabError(f"{host.name}: {error}") from error

    def look(self) -> Sample:
        """What it uses is on several machines: each part's result has its CPU time."""
        raise LabError("a load on several hosts has no process")

    def count_switches(self) -> Switches | None:
        """A load says none."""
        return None


def in_turns(targets: Sequence[LoadResult]) -> InTurns:
    """The results of several targets as one generator says them."""
    return InTurns(
        service=str(targets[0].service or ""),
        targets=[msgspec.structs.replace(one, series=[]) for one in targets],
        slices=[
            msgspec.structs.replace(row, target=number)
            for number, one in enumerate(targets)
            for row in one.series
        ],
    )


def generator(host: str, result: LoadResult, offset: Offset) -> Generator:
    """What a part did, by the laboratory's clock."""
    began_ns = result.window.began_ns
    return Generator(
        host=host,
        verdict=result.verdict.name,
        goodput_per_s=result.rate.goodput_per_s,
        latency_p99_ns=result.latency_ns.p99,
        send_lag_p99_ns=result.send_lag_ns.p99,
        cpu_busiest=result.cpu.busiest_thread,
        began_ns=None if began_ns is None else began_ns - offset.ns,
        clock_uncertain_ns=offset.uncertain_ns,
    )
