"""Runs a contestant's server, and leaves no process of it behind, however either of them ends.

This is a program of its own, between the laboratory and the server:

    guard.py REPORT STOP LIMIT_S CPUS PARENT COMMAND...

It writes the server's process to the descriptor REPORT. SIGTERM, which the kernel also sends when
the laboratory is killed, makes it send the signal STOP to the server, and SIGKILL after LIMIT_S.
All that the server has forked becomes a child of the guard if its own parent ends, and is killed.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
from pathlib import Path

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36  # prctl(2)
NOT_STARTED = 127  # as a shell says of a command that it cannot run
BY_SIGNAL = 128

libc = ctypes.CDLL(None, use_errno=True)


def start(command: list[str], stop: int, cpus: set[int]) -> int:
    """Fork the server: it is killed if the guard is."""
    pid = os.fork()
    if pid:
        return pid
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM, signal.SIGALRM, stop})
    if cpus:
        os.sched_setaffinity(0, cpus)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.stderr.write(f"cannot start {command[0]}: {os.strerror(error.errno or 0)}\n")
        sys.stderr.flush()
    os._exit(NOT_STARTED)


def wait_for(server: int, stop: int, limit_s: float) -> int:
    """The status with which the server ends; it is told to when the guard is."""

    def ask(*_: object) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(server, stop)
        signal.setitimer(signal.ITIMER_REAL, limit_s)

    def end(*_: object) -> None:
        name = signal.Signals(stop).name
        sys.stderr.write(f"killed, as it had not ended {limit_s:g} s after {name}\n")
        with contextlib.suppress(ProcessLookupError):
            os.kill(server, signal.SIGKILL)

    signal.signal(signal.SIGTERM, ask)
    signal.signal(signal.SIGALRM, end)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM, signal.SIGALRM})
    while True:
        pid, status = os.waitpid(-1, 0)
        if pid == server:
            return os.waitstatus_to_exitcode(status)


def end_the_rest() -> None:
    """Kill what is left; what a killed process leaves behind is a child here next."""
    task = Path("/proc/self/task", str(os.getpid()), "children")
    while children := task.read_text(encoding="ascii").split():
        for pid in map(int, children):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)


def main() -> int:
    """Guard a server to its end, which is also the guard's."""
    report, stop, limit_s, cpus, parent, *command = sys.argv[1:]
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGALRM})
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1)
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != int(parent):
        return 0  # the laboratory has ended meanwhile
    os.set_inheritable(int(report), False)  # noqa: FBT003 - it takes no name
    server = start(command, int(stop), {int(cpu) for cpu in cpus.split(",") if cpu})
    os.write(int(report), f"{server}\n".encode())
    os.close(int(report))
    status = wait_for(server, int(stop), float(limit_s))
    signal.setitimer(signal.ITIMER_REAL, 0)
    end_the_rest()
    return BY_SIGNAL - status if status < 0 else status


if __name__ == "__main__":
    sys.exit(main())
