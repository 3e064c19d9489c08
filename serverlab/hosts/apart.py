"""Keeps processes that stand beside a server off its CPUs, until the program that asks has ended.

As a program, it waits for the end of its standard input and lets a process run everywhere again:

    python -m serverlab.hosts.apart PID CPU,CPU…
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import psutil

from serverlab.quantities import cpu_set

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet

CPUS_MIN = 3  # fewer cannot spare one


def keep_to(pid: int, cpus: AbstractSet[int]) -> None:
    """Keep a process and its descendants, each with all its threads, to some CPUs."""
    with contextlib.suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        for one in (process, *process.children(recursive=True)):
            with contextlib.suppress(psutil.NoSuchProcess, ProcessLookupError):
                for thread in one.threads():
                    os.sched_setaffinity(thread.id, cpus)


@contextlib.contextmanager
def kept_apart(pid: int, cpu: int) -> Iterator[None]:
    """Keep a process and its descendants to one CPU, until the block or this process ends."""
    everywhere = os.sched_getaffinity(pid)
    told = [str(pid), ",".join(map(str, sorted(everywhere)))]
    # No child of ours: Ray kills those of a worker that ends.
    guard = ["setsid", "--fork", sys.executable, "-m", "serverlab.hosts.apart", *told]
    with subprocess.Popen(guard, stdin=subprocess.PIPE):
        keep_to(pid, {cpu})
        try:
            yield
        finally:
            keep_to(pid, everywhere)


@contextlib.contextmanager
def running_on(cpus: AbstractSet[int]) -> Iterator[None]:
    """Run this thread, and what it starts meanwhile, on some CPUs."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cpus)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


if __name__ == "__main__":
    sys.stdin.read()
    keep_to(int(sys.argv[1]), set(cpu_set(sys.argv[2])))
