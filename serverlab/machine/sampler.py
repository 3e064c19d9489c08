"""What the kernel knows of a server, read from outside: of its process and those it has forked."""

from __future__ import annotations

import contextlib
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from serverlab.records import Switches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

CLOCK_TICK_S = 1 / os.sysconf("SC_CLK_TCK")
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A server at one instant: its process, and those that it has forked."""

    t_s: float  # monotonic
    cpu_s: float  # exact, from the processes' CPU clocks; of children that have ended, in ticks
    user_s: float  # the kernel's estimate of the split, in 4 ms ticks
    system_s: float
    rss_bytes: int
    threads: int
    descriptors: int
    stopped: bool  # by a signal or a debugger: one of the processes at least


def processes(pid: int) -> list[int]:
    """A process and those that it has forked, of which each has a first thread of its own."""
    children = Path("/proc", str(pid), "task", str(pid), "children").read_text(encoding="ascii")
    found = [pid]
    for child in map(int, children.split()):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has just ended
            found += processes(child)
    return found


def of_all(pid: int, figure: Callable[[int], float]) -> float:
    """The sum of a figure over a process, which must be there, and those that it has forked."""
    total = figure(pid)
    for child in processes(pid)[1:]:
        with contextlib.suppress(OSError):  # it has just ended
            total += figure(child)
    return total


def cpu_s(pid: int) -> float:
    """User and system time of all threads of a process, those that have ended included."""
    cpu_clock = (~pid << 3) | 2  # clock_getcpuclockid(3), CPUCLOCK_SCHED
    return time.clock_gettime_ns(cpu_clock) / 1e9


def rss_bytes(pid: int) -> int:
    """The memory that a process and those that it has forked hold, what they share counted once."""
    if len(processes(pid)) == 1:
        pages = Path("/proc", str(pid), "statm").read_text(encoding="ascii").split()[1]
        return int(pages) * PAGE_BYTES
    return int(of_all(pid, pss_bytes))


def pss_bytes(pid: int) -> int:
    """The memory of a process, and its share in what it has together with others."""
    lines = Path("/proc", str(pid), "smaps_rollup").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


def descriptors(pid: int) -> int:
    """How many files a process has open."""
    return sum(1 for _ in Path("/proc", str(pid), "fd").iterdir())


def sample(pid: int) -> Sample:
    """Look at the server now.

    Raises ProcessLookupError or FileNotFoundError if it is gone.
    """
    instant_s, used_s = time.monotonic(), of_all(pid, cpu_s)
    # proc(5), without the first two: utime is the 14th, stime 15th, cutime 16th, cstime 17th,
    # num_threads 20th
    ended_s = of_all(pid, lambda one: stat(one)[13] + stat(one)[14]) * CLOCK_TICK_S
    return Sample(
        t_s=instant_s,
        cpu_s=used_s + ended_s,
        user_s=of_all(pid, lambda one: stat(one)[11] + stat(one)[13]) * CLOCK_TICK_S,
        system_s=of_all(pid, lambda one: stat(one)[12] + stat(one)[14]) * CLOCK_TICK_S,
        rss_bytes=rss_bytes(pid),
        threads=int(of_all(pid, lambda one: stat(one)[17])),
        descriptors=int(of_all(pid, descriptors)),
        stopped=any(is_stopped(one) for one in processes(pid)),
    )


def is_stopped(pid: int) -> bool:
    """Whether a process does not run because a signal (T) or a debugger (t) has stopped it."""
    return state(Path("/proc", str(pid))) in {"T", "t"}


def state(task: Path) -> str:
    """The state of the thread or process with this folder: a letter of proc(5), X if it is gone."""
    try:
        text = (task / "stat").read_text(encoding="ascii", errors="replace")
    except OSError:  # it has just ended
        return "X"
    return text.rpartition(")")[2].split()[0]


def stat(pid: int) -> list[int]:
    """The figures of /proc/PID/stat, from the third one on, which is a letter and here 0."""
    text = Path("/proc", str(pid), "stat").read_text(encoding="ascii", errors="replace")
    return [0, *map(int, text.rpartition(")")[2].split()[1:])]


def switches_by_thread(pid: int) -> dict[str, Switches]:
    """Context switches of each thread of a process and of those that it has forked, so far."""
    found = [task for one in processes(pid) for task in tasks(one)]
    return {task.name: switches_of([task]) for task in found}


def switches_of_children(pid: int) -> Switches:
    """Context switches of the threads that run in the processes which this one has forked.

    A thread takes its count with it when it ends. So a server tells of itself, by the event
    `usage`, and this adds the children that it has not waited for yet, whose threads do not end.
    """
    return switches_of([task for child in processes(pid)[1:] for task in tasks(child)])


def switches_of(threads: Iterable[Path]) -> Switches:
    """Context switches of threads, given by their folders."""
    total = Switches()
    for task in threads:
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has just ended
            lines = (task / "status").read_text(encoding="ascii", errors="replace").splitlines()
            fields = dict(line.split(":", 1) for line in lines if ":" in line)
            total += Switches(
                voluntary=int(fields["voluntary_ctxt_switches"]),
                involuntary=int(fields["nonvoluntary_ctxt_switches"]),
            )
    return total


def tasks(pid: int) -> list[Path]:
    """The folders of a process's threads."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has just ended
        return list(Path("/proc", str(pid), "task").iterdir())
    return []
