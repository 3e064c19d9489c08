"""How often threads are switched in each slice, as procfs says to everybody.

A probe makes a server slower. A slower server sleeps less or more often, and so does the client
that waits for it. So what the probe has seen of switches is weighed by how many there are without.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from serverlab.machine import sampler
from serverlab.records import Switches
from serverlab.slices import SwitchCounts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Threads = Mapping[str, Switches]

THREADS_MAX = 1000  # to look at each of them takes 25 µs


@dataclass(slots=True)
class SwitchCounter:
    """Counts the switches of servers that take turns, and of their client, by their processes."""

    pids: Sequence[int]
    client: int
    of_segments: list[SwitchCounts] = field(default_factory=list)
    before: dict[int, Threads] = field(default_factory=dict)  # by the process

    def begin(self) -> None:
        """The first segment begins."""
        self.before = {pid: by_thread(pid) for pid in (*self.pids, self.client)}

    def end(self, server: int) -> None:
        """A segment of this server ends; the others have done nothing meanwhile."""
        sleeps, preemptions = self.since(self.pids[server])
        client_sleeps, _ = self.since(self.client)
        self.of_segments.append(
            SwitchCounts(sleeps=sleeps, preemptions=preemptions, client_sleeps=client_sleeps)
        )

    def since(self, pid: int) -> tuple[int, int] | tuple[None, None]:
        """How often threads of a process slept and were preempted since this was asked last.

        None if one has begun or ended: a thread takes its counts with it when it ends.
        """
        now, then = by_thread(pid), self.before[pid]
        self.before[pid] = now
        if not now or now.keys() != then.keys():
            return None, None
        more = sum(now.values(), Switches()) - sum(then.values(), Switches())
        return more.voluntary, more.involuntary


def by_thread(pid: int) -> Threads:
    """How often each thread of a process has been switched; none if it has too many."""
    try:
        if sampler.of_all(pid, threads_of) > THREADS_MAX:
            return {}
        return sampler.switches_by_thread(pid)
    except OSError:  # it has just died, which the load says
        return {}


def threads_of(pid: int) -> int:
    """How many threads a process has, by the 20th figure of proc(5)."""
    return sampler.stat(pid)[17]
