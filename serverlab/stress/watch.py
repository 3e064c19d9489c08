"""The server of a step, and what is seen of it and of memory while a load holds its connections."""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.contestants.listeners import is_here
from serverlab.load_result import Interval
from serverlab.machine.memory import Memory
from serverlab.running.events import Connected, Started
from serverlab.stress.kernel_snapshot import Look, backlog_at, look
from serverlab.stress.steps import BEFORE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from serverlab.running.events import Event
    from serverlab.running.host import Host
    from serverlab.running.program import Program
    from serverlab.stress.kernel_snapshot import ProcessLook

ACCEPTS_WITHIN_S = 0.3  # one connection, if it accepts any
AT_REST_WITHIN_S = 3.0  # or it does not accept what waits


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A server that listens."""

    host: Host
    address: str
    pid: int | None  # on that host
    process: Program | None  # None if it was there already


class Watch:
    """Looks at the server and at memory when the load has opened its connections, and later."""

    def __init__(self, server: Served, probed_s: float, on_event: Callable[[Event], None]) -> None:
        """Every connection is probed `probed_s` after the window began.

        `on_event` is told each event of the load, for a display.
        """
        self.server, self.probed_s, self.on_event = server, probed_s, on_event
        is_seen = server.pid is not None or is_here(server.address)
        self.port = int(server.address.rpartition(":")[2]) if is_seen else None
        self.backlog = server.host.ask(backlog_at, server.pid, self.port)
        self.before = self.look_at_rest()
        self.after = self.before
        self.opened = 0
        self.accepts = False  # connections that wait in its accept queue
        self.began_at = self.connected_at = time.monotonic()
        self.awaits_probes = True
        self.generators: list[int] = []  # their processes, as far as they share its machine
        self.memory = {BEFORE: self.memory_now()}

    def event(self, event: Event) -> None:
        """The load says something."""
        self.on_event(event)
        match event:
            case Started():
                self.began_at = self.connected_at = time.monotonic()
            case Connected():
                self.connected_at = time.monotonic()
                self.opened = event.established
                self.look("idle")
            case Interval() if round(event.t_s) >= self.probed_s and self.awaits_probes:
                self.awaits_probes = False  # when the window has ended, it is too late
                self.look("probed")
                self.look_whether_it_accepts()

    def look(self, when: str) -> None:
        """Look at everything; of the server's processes, what was fullest is kept.

        Of the port, what is there in the end: what waits then, long after it came, is not accepted.

        On a busy machine a look may come late, when the load has closed its connections already.
        """
        seen = self.look_now()
        self.after = Look(
            processes=max(seen.processes, self.after.processes, key=descriptors_of),
            machine=seen.machine,
            waiting=seen.waiting,
        )
        with contextlib.suppress(OSError):  # the server has just died
            self.memory[when] = self.memory_now()

    def look_at_rest(self) -> Look:
        """Everything, once the server has accepted what an earlier step has left in its queue."""
        deadline_s = time.monotonic() + AT_REST_WITHIN_S
        while (seen := self.look_now()).waiting and time.monotonic() < deadline_s:
            time.sleep(AT_REST_WITHIN_S / 100)
        return seen

    def look_whether_it_accepts(self) -> None:
        """Whether a server whose accept queue is not empty takes any out of it."""
        first = self.look_now()
        if first.waiting:
            time.sleep(ACCEPTS_WITHIN_S)
            then = self.look_now()
            self.accepts = then.waiting is None or then.waiting < first.waiting
            self.accepts |= descriptors_of(then.processes) > descriptors_of(first.processes)

    def look_now(self) -> Look:
        """Everything, as it is now."""
        return self.server.host.ask(look, self.server.pid, self.port)

    def memory_now(self) -> Memory:
        """What is used now."""
        servers = [] if self.server.pid is None else [self.server.pid]
        return self.server.host.ask(Memory.now, self.generators, servers)


def descriptors_of(processes: Sequence[ProcessLook]) -> int:
    """How many files the processes of a server have open together."""
    return sum(one.descriptors for one in processes)
