"""What memory connections take, in user space and in the kernel, at one instant."""

from __future__ import annotations

import contextlib
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from serverlab.machine.machine import descriptor_limit
from serverlab.machine.sampler import PAGE_BYTES, processes, pss_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable

DESCRIPTORS_SPARE = 100  # of a process, for what is no connection


class Memory(msgspec.Struct, frozen=True, kw_only=True):
    """What is used, in bytes. The kernel's is of the whole machine: both ends, and all others."""

    generator: int
    servers: int
    slab: int  # the kernel's objects: sockets, files, entries of epoll
    buffers: int  # of all TCP sockets
    stacks: int  # of all threads, in the kernel
    page_tables: int

    @property
    def kernel(self) -> int:
        """All of the kernel's."""
        return self.slab + self.buffers + self.stacks + self.page_tables

    @staticmethod
    def now(generators: Iterable[int], servers: Iterable[int]) -> Memory:
        """Measure the generators and the servers, with those that they have forked; the machine."""
        kernel = kilobytes(Path("/proc/meminfo").read_text(encoding="ascii"))
        return Memory(
            generator=sum(map(proportional_bytes, generators)),
            servers=sum(map(proportional_bytes, servers)),
            slab=kernel["Slab"],
            buffers=socket_buffer_bytes(),
            stacks=kernel["KernelStack"],
            page_tables=kernel["PageTables"],
        )


def proportional_bytes(pid: int) -> int:
    """Resident memory of a process and its children; of what is shared with others, its share."""
    total = 0
    for one in processes(pid):
        with contextlib.suppress(OSError):  # it has just ended
            total += pss_bytes(one)
    return total


def socket_buffer_bytes() -> int:
    """What the kernel holds in TCP's buffers."""
    sockstat = Path("/proc/net/sockstat").read_text(encoding="ascii")
    pages = re.findall(r"^TCP:.* mem (\d+)", sockstat, re.MULTILINE)
    return int(pages[0]) * PAGE_BYTES


def kilobytes(text: str) -> dict[str, int]:
    """The rows of a file of /proc that are given in kB, in bytes."""
    words = (line.split() for line in text.splitlines())
    return {row[0].rstrip(":"): 1024 * int(row[1]) for row in words if row[-1] == "kB"}


def processes_for(connections: int) -> int:
    """How many processes a side may hold so many, each with its limit of open files."""
    return math.ceil(connections / (descriptor_limit() - DESCRIPTORS_SPARE))
