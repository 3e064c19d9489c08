"""The server of a step, and what is seen of it and of memory while a load holds its connections."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.load_result import Interval
from serverlab.machine.memory import Memory
from serverlab.running.events import Connected
from serverlab.stress.kernel_snapshot import Look, look
from serverlab.stress.steps import BEFORE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from serverlab.running.events import Event
    from serverlab.running.host import Host
    from serverlab.running.program import Program
    from serverlab.stress.kernel_snapshot import ProcessLook


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
        self.port = int(server.address.rpartition(":")[2]) if server.pid is not None else None
        self.before = self.look_now()
        self.after = self.before
        self.opened = 0
        self.awaits_probes = True
        self.generators: list[int] = []  # their processes, as far as they share its machine
        self.memory = {BEFORE: self.memory_now()}

    def event(self, event: Event) -> None:
        """The load says something."""
        self.on_event(event)
        match event:
            case Connected():
                self.opened = event.established
                self.look("idle")
            case Interval() if round(event.t_s) >= self.probed_s and self.awaits_probes:
                self.awaits_probes = False  # when the window has ended, it is too late
                self.look("probed")

    def look(self, when: str) -> None:
        """Look at everything; of the server's processes and port, what was fullest is kept.

        On a busy machine a look may come late, when the load has closed its connections already.
        """
        seen = self.look_now()
        self.after = Look(
            processes=max(seen.processes, self.after.processes, key=descriptors_of),
            machine=seen.machine,
            waiting=max(filter(None, (seen.waiting, self.after.waiting)), default=None),
        )
        with contextlib.suppress(OSError):  # the server has just died
            self.memory[when] = self.memory_now()

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
