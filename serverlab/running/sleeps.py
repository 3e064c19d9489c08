"""How often the threads of servers have gone to sleep in each slice, as procfs says to everybody.

A probe makes a server slower, and a slower server sleeps less or more often. So what the probe has
seen of sleeping is weighed by how often the server sleeps without it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from serverlab.machine import sampler

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

THREADS_MAX = 1000  # to look at each of them takes 25 µs


@dataclass(slots=True)
class Sleeps:
    """What is known of servers that take turns, by the process of each."""

    pids: Sequence[int]
    of_segments: list[int | None] = field(default_factory=list)
    before: dict[int, Mapping[str, int]] = field(default_factory=dict)  # by the server's number

    def begin(self) -> None:
        """The first segment begins."""
        self.before = {number: by_thread(pid) for number, pid in enumerate(self.pids)}

    def end(self, server: int) -> None:
        """A segment of this server ends; the others have done nothing meanwhile."""
        now, then = by_thread(self.pids[server]), self.before[server]
        known = now and now.keys() == then.keys()
        self.of_segments.append(sum(now.values()) - sum(then.values()) if known else None)
        self.before[server] = now


def by_thread(pid: int) -> Mapping[str, int]:
    """How often each thread of a process has gone to sleep so far; none if it has too many.

    A thread takes its count with it when it ends.
    """
    try:
        if sampler.of_all(pid, threads_of) > THREADS_MAX:
            return {}
        switches = sampler.switches_by_thread(pid)
    except OSError:  # it has just died, which the load says
        return {}
    return {name: one.voluntary for name, one in switches.items()}


def threads_of(pid: int) -> int:
    """How many threads a process has, by the 20th figure of proc(5)."""
    return sampler.stat(pid)[17]
