"""Listening sockets, as the kernel lists them: whose they are, and what can be set from outside."""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import socket
import struct
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LISTEN = "0A"  # a state in proc(5), of net/tcp
TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
SOCKET = re.compile(r"socket:\[(\d+)\]")
QUEUE = struct.Struct("24xII")  # of tcp_info: of a listening socket what waits, and its backlog
PIDFD_GETFD = 438  # pidfd_getfd(2), on every architecture


def listening() -> dict[str, int]:
    """The port of each listening socket of this network namespace, by the socket's inode."""
    ports = {}
    for table in TABLES:
        with contextlib.suppress(FileNotFoundError):  # a machine without IPv6
            for line in table.read_text(encoding="ascii").splitlines()[1:]:
                _, local, _, state, *rest = line.split()
                if state == LISTEN:
                    ports[rest[5]] = int(local.rpartition(":")[2], 16)
    return ports


def sockets(pid: int) -> Iterator[tuple[int, str]]:
    """The descriptors of a process that are sockets, with their inodes; none if it may not be seen.

    A process that ends meanwhile has no more of them.
    """
    with contextlib.suppress(OSError):
        for link in Path("/proc", str(pid), "fd").iterdir():
            with contextlib.suppress(OSError):
                if found := SOCKET.fullmatch(str(link.readlink())):
                    yield int(link.name), found[1]


def ports_of(pids: Iterable[int]) -> set[int]:
    """The ports on which these processes listen."""
    ports = listening()
    return {ports[inode] for pid in pids for _, inode in sockets(pid) if inode in ports}


def is_here(address: str) -> bool:
    """Whether an address is one of this machine's loopback."""
    host = address.rpartition(":")[0]
    return host.startswith("127.") or host in {"localhost", "[::1]"}


def process_of(address: str) -> int | None:
    """The process that listens at an address of this machine; None if there or it is unseen."""
    return process_at(int(address.rpartition(":")[2])) if is_here(address) else None


def process_at(port: int) -> int | None:
    """The process that listens on a port: the first of those that share it; None if unseen."""
    inodes = {inode for inode, own in listening().items() if own == port}
    pids = sorted(int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal())
    holders = [pid for pid in pids if inodes.intersection(inode for _, inode in sockets(pid))]
    return next((pid for pid in holders if parent_of(pid) not in holders), None)


def parent_of(pid: int) -> int:
    """The parent of a process; 0 if that has ended."""
    with contextlib.suppress(OSError):
        text = Path("/proc", str(pid), "stat").read_text(encoding="ascii", errors="replace")
        return int(text.rpartition(")")[2].split()[1])
    return 0


def descendants(pid: int) -> set[int]:
    """All that a process has forked and that has not ended, and what these have forked."""
    parents = {
        int(path.name): parent_of(int(path.name))
        for path in Path("/proc").iterdir()
        if path.name.isdecimal()
    }
    found, front = set[int](), {pid}
    while front := {child for child, parent in parents.items() if parent in front} - found:
        found |= front
    return found


def set_congestion(pids: Iterable[int], port: int, name: str) -> None:
    """Set the congestion control of the sockets on which these processes listen on a port.

    A connection has that of the socket which has accepted it. Raises OSError if the kernel does not
    allow it, as for a process of another user.
    """
    at_port = {inode for inode, own in listening().items() if own == port}
    for pid in pids:
        for descriptor, inode in sockets(pid):
            if inode in at_port:
                with copied(pid, descriptor) as copy:
                    copy.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, name.encode())


def backlog_of(pids: Iterable[int], port: int) -> int | None:
    """How many connections may wait at a port to be accepted; None if the kernel does not say it.

    It does not of a process of another user.
    """
    at_port = {inode for inode, own in listening().items() if own == port}
    backlogs = {}
    with contextlib.suppress(OSError):
        for pid in pids:
            for descriptor, inode in sockets(pid):
                if inode in at_port and inode not in backlogs:
                    with copied(pid, descriptor) as copy:
                        said = copy.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, QUEUE.size)
                    backlogs[inode] = int(QUEUE.unpack(said)[1])
    return sum(backlogs.values()) or None


@contextlib.contextmanager
def copied(pid: int, descriptor: int) -> Iterator[socket.socket]:
    """A socket of another process, as pidfd_getfd(2) copies its descriptor."""
    process = os.pidfd_open(pid)
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        own = libc.syscall(PIDFD_GETFD, process, descriptor, 0)
        if own < 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))
    finally:
        os.close(process)
    with socket.socket(fileno=own) as copy:
        yield copy
