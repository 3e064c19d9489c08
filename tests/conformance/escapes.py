"""What somebody would attempt who has taken a server over, attempted: see escape_attempts.cpp."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import select
import signal
import socket
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from serverlab.machine import sampler
from tests.conformance.programs import preloading
from tests.conformance.server import Server, serving
from tests.conformance.sockets import HOST
from tests.waiting import until

TGKILL = {"x86_64": 234, "aarch64": 131}  # no thread of another process by Python alone

FEW = 8  # threads are attempted one after the other

# By Landlock, on a kernel that has all of it (ABI 6).
LANDLOCK = {
    "connect",
    "make-file",
    "open-memory",
    "read-file",
    "read-memory",
    "run-program",
    "signal-process",
    "take-descriptor",
    "trace-process",
    "truncate-file",
}
# By any kernel, to who cannot see all of the machine's files.
IN_A_CHROOT = {"user-namespace-clone", "user-namespace-clone3", "user-namespace-unshare"}
# By the filter of system calls; the ring's own engines need a ring.
FILTER = {
    "change-mode",
    "connect",
    "datagram",
    "fast-open-sendmmsg",
    "fast-open-sendmsg",
    "fast-open-sendto",
    "limit-process",
    "read-memory",
    "ring",
    "run-program",
    "socket",
    "socket-pair",
    "take-descriptor",
    "trace-process",
    "truncate-file",
    *IN_A_CHROOT,
}


@dataclass(frozen=True, slots=True)
class Escaping:
    """A server whose threads attempt to escape, and what they would reach."""

    server: Server
    log: Path
    listener: socket.socket
    receiver: socket.socket
    other: Server

    def refused(self) -> Mapping[int, set[str]]:
        """What each thread attempts in vain, thread after thread."""
        until(self.server.sleeps, "no thread is about to end")
        return {
            tid: {name for name, error in self._attempts(process, tid).items() if error}
            for process, tid in threads_of(self.server)
        }

    def nothing_has_come(self) -> bool:
        """Whether no connection and no datagram has reached the host."""
        return select.select([self.listener, self.receiver], [], [], 0)[0] == []

    def _attempts(self, process: int, tid: int) -> dict[str, int]:
        libc = ctypes.CDLL(None, use_errno=True)
        sent = libc.syscall(TGKILL[os.uname().machine], process, tid, int(signal.SIGRTMAX))
        assert sent == 0, errno.errorcode[ctypes.get_errno()]
        until(lambda: f"{tid} end 0\n" in self._text(), f"thread {tid} has attempted everything")
        rows = [line.split() for line in self._text().splitlines()]
        return {name: int(error) for by, name, error in rows if int(by) == tid and name != "end"}

    def _text(self) -> str:
        return self.log.read_text(encoding="ascii") if self.log.exists() else ""


def threads_of(server: Server) -> list[tuple[int, int]]:
    """Processes and threads of a server that take the signal; the kernel's own do not."""
    found = []
    for process in sampler.processes(server.pid):
        for task in sampler.tasks(process):
            status = dict(
                line.split(":\t", 1)
                for line in (task / "status").read_text(encoding="ascii").splitlines()
                if ":\t" in line
            )
            is_blocked = int(status["SigBlk"], 16) >> (signal.SIGRTMAX - 1) & 1
            if not is_blocked and not status["Name"].startswith("iou-"):
                found.append((process, int(task.name)))
    return found


@contextlib.contextmanager
def escaping(
    folder: Path, engine: str, *settings: str, prefix: Sequence[str] = ()
) -> Iterator[Escaping]:
    """Serve, with what attempts to escape loaded into the server; another one is beside it."""
    log, file = folder / "attempts", folder / "of-the-user"
    file.write_text("precious", encoding="ascii")
    with (
        serving("epoll-level", *settings, prefix=prefix) as other,
        socket.create_server((HOST, 0)) as listener,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver,
    ):
        receiver.bind(listener.getsockname())
        variables = {
            "ATTEMPTS": log,
            "FILE": file,
            "FRESH_FILE": folder / "fresh",
            "HOST": HOST,
            "PORT": listener.getsockname()[1],
            "PROCESS": other.pid,
        }
        given = [f"ESCAPE_{name}={value}" for name, value in variables.items()]
        loaded = preloading("escape_attempts")
        command = [*loaded, *given, *prefix]
        with serving(engine, *settings, prefix=command, connections=FEW) as server:
            yield Escaping(server, log, listener, receiver, other)
