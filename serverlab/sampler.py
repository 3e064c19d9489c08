"""What the kernel knows of a server process, read from outside."""

from __future__ import annotations

import contextlib
import os
import time
from dataclasses import dataclass
from pathlib import Path

CLOCK_TICK_S = 1 / os.sysconf("SC_CLK_TCK")
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True, kw_only=True)
class Switches:
    """Context switches of one thread so far."""

    voluntary: int
    involuntary: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A server process at one instant."""

    t_s: float  # monotonic
    cpu_s: float  # exact: the process's CPU clock
    user_s: float  # the kernel's estimate of the split, in 4 ms ticks
    system_s: float
    rss_bytes: int
    threads: int
    descriptors: int


def cpu_s(pid: int) -> float:
    """User and system time of all threads of a process, those that have ended included."""
    cpu_clock = (~pid << 3) | 2  # clock_getcpuclockid(3), CPUCLOCK_SCHED
    return time.clock_gettime_ns(cpu_clock) / 1e9


def sample(pid: int) -> Sample:
    """Look at the process now.

    Raises ProcessLookupError or FileNotFoundError if it is gone.
    """
    process = Path("/proc", str(pid))
    instant_s, used_s = time.monotonic(), cpu_s(pid)
    fields = (
        (process / "stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
    )
    # proc(5), without the first two: utime is the 14th, stime 15th, num_threads 20th, rss 24th
    return Sample(
        t_s=instant_s,
        cpu_s=used_s,
        user_s=int(fields[11]) * CLOCK_TICK_S,
        system_s=int(fields[12]) * CLOCK_TICK_S,
        rss_bytes=int(fields[21]) * PAGE_BYTES,
        threads=int(fields[17]),
        descriptors=sum(1 for _ in (process / "fd").iterdir()),
    )


def switches(pid: int) -> dict[str, Switches]:
    """Context switches of the threads that are running now, by thread."""
    counts = {}
    for task in Path("/proc", str(pid), "task").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has just ended
            lines = (task / "status").read_text(encoding="ascii", errors="replace").splitlines()
            fields = dict(line.split(":", 1) for line in lines if ":" in line)
            counts[task.name] = Switches(
                voluntary=int(fields["voluntary_ctxt_switches"]),
                involuntary=int(fields["nonvoluntary_ctxt_switches"]),
            )
    return counts


def switches_between(before: dict[str, Switches], after: dict[str, Switches]) -> Switches:
    """What the threads that are there at the end have done since the beginning.

    A thread that has ended takes its count with it.
    """
    none = Switches(voluntary=0, involuntary=0)
    began = [before.get(thread, none) for thread in after]
    return Switches(
        voluntary=sum(count.voluntary for count in after.values())
        - sum(count.voluntary for count in began),
        involuntary=sum(count.involuntary for count in after.values())
        - sum(count.involuntary for count in began),
    )
