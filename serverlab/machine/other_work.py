"""How busy everything else kept some CPUs: other processes, and under a hypervisor other guests."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from serverlab.machine.sampler import CLOCK_TICK_S

if TYPE_CHECKING:
    from collections.abc import Collection

IDLE, IOWAIT = 4, 5  # columns of a CPU's line in /proc/stat; see proc(5)


@dataclass(frozen=True, slots=True, kw_only=True)
class CpusLook:
    """Some CPUs at one instant."""

    t_s: float  # monotonic
    idle_s: float  # since the start of the machine, of all of them together
    own_s: float  # CPU time so far of what is measured and of what measures


def look_at(cpus: Collection[int], own_s: float) -> CpusLook:
    """Look at these CPUs now; `own_s` is without the laboratory's own process, which is added."""
    names = {f"cpu{number}" for number in cpus}
    lines = [line.split() for line in Path("/proc/stat").read_text(encoding="ascii").splitlines()]
    ticks = sum(int(line[IDLE]) + int(line[IOWAIT]) for line in lines if line[0] in names)
    return CpusLook(
        t_s=time.monotonic(), idle_s=ticks * CLOCK_TICK_S, own_s=own_s + time.process_time()
    )


def other_cpus_busy(begin: CpusLook, end: CpusLook, cpus: Collection[int]) -> float:
    """How many of these CPUs everything else kept busy on average; exact to a tick of each."""
    elapsed_s = end.t_s - begin.t_s
    if elapsed_s <= 0:
        return 0.0
    busy_s = len(cpus) * elapsed_s - (end.idle_s - begin.idle_s)
    return max(0.0, busy_s - (end.own_s - begin.own_s)) / elapsed_s
