"""Commands that measure on the same CPUs at the same time disturb each other, and say so.

Each announces its CPUs by the name of a socket, which the kernel lists and takes away when the
process ends.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from serverlab.quantities import cpu_set

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MARK = "serverlab-measures"
LISTED = Path("/proc/net/unix")


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Another command that measures now."""

    command: str
    pid: int
    cpus: frozenset[int]


def neighbours() -> Iterator[Neighbour]:
    """The other commands of this machine that measure now."""
    for line in LISTED.read_text(encoding="utf-8", errors="replace").splitlines():
        mark, *fields = line.partition("@")[2].split(":")
        if mark == MARK and len(fields) == 3 and fields[0] != str(os.getpid()):
            pid, cpus, command = fields
            yield Neighbour(command, int(pid), frozenset(cpu_set(cpus)))


def ranges(cpus: set[int]) -> str:
    """CPUs as a list for --cpus, as short as it can be: a socket's name has 107 bytes."""
    runs = itertools.groupby(enumerate(sorted(cpus)), key=lambda pair: pair[1] - pair[0])
    ends = [[cpu for _, cpu in run] for _, run in runs]
    return ",".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in ends)


@contextlib.contextmanager
def measuring(command: str, cpus: set[int], complain: Callable[[str], None]) -> Iterator[None]:
    """Announce a command, and complain of others on its CPUs: those before it, those after it."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sign:
        sign.bind(f"\0{MARK}:{os.getpid()}:{ranges(cpus)}:{command}")
        before = shared(cpus, complain, told=set())
        try:
            yield
        finally:
            shared(cpus, complain, told=before)


def shared(cpus: set[int], complain: Callable[[str], None], *, told: set[int]) -> set[int]:
    """Complain of neighbours on these CPUs but those already `told` of; returns their processes."""
    found = set()
    for one in neighbours():
        if both := sorted(one.cpus & cpus):
            found.add(one.pid)
            if one.pid not in told:
                complain(
                    f"{one.command} (pid {one.pid}) measures on CPU {', '.join(map(str, both))}, "
                    "too: both spoil each other's figures; let one end before the other begins"
                )
    return found
