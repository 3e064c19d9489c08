"""System calls of a program that fail when a test says so: see failing_calls.cpp."""

from __future__ import annotations

import contextlib
import errno
import mmap
import os
import struct
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.conformance.programs import BUILD

LIBRARY = BUILD / "tests" / "libfailing_calls.so"
PLAN = struct.Struct("=40s128s40s5QqQ")  # as Plan in failing_calls.cpp, and then its rows
ROW = struct.Struct("=40sQ")
ROWS = 128
FAILED_AT = PLAN.size - 24
ERROR, KILL = 0, 1

# With which error a call fails: one that a machine short of something gives, or a faulty disk.
ERRORS = {
    "accept4": errno.EMFILE,
    "bind": errno.EADDRINUSE,
    "close": errno.EIO,
    "connect": errno.ECONNREFUSED,
    "dup": errno.EMFILE,
    "epoll_create1": errno.EMFILE,
    "epoll_ctl": errno.ENOMEM,
    "epoll_wait": errno.EINTR,
    "eventfd": errno.EMFILE,
    "fork": errno.EAGAIN,
    "fsync": errno.EIO,
    "ftruncate64": errno.EIO,
    "getpeername": errno.ENOTCONN,
    "io_uring_submit_and_wait_timeout": errno.EINTR,
    "listen": errno.EADDRINUSE,
    "mkdir": errno.ENOSPC,
    "poll": errno.EINTR,
    "ppoll": errno.EINTR,
    "pthread_create": errno.EAGAIN,
    "read": errno.EIO,
    "recv": errno.ECONNRESET,
    "rename": errno.EIO,
    "sched_setaffinity": errno.EINVAL,
    "select": errno.EINTR,
    "send": errno.ECONNRESET,
    "setrlimit64": errno.EPERM,
    "shutdown": errno.ENOTCONN,
    "socket": errno.EMFILE,
    "timer_create": errno.EAGAIN,
    "timerfd_create": errno.EMFILE,
    "unlink": errno.EIO,
    "waitid": errno.EINTR,
    "write": errno.ENOSPC,
}
OTHERWISE = errno.ENOMEM


class Calls:
    """The plan of failures that a program reads."""

    def __init__(self, path: str, memory: mmap.mmap, program: str, of_files: str) -> None:
        """The plan in a file, mapped here and in the program."""
        self._memory = memory
        self._program = program.encode()
        self._of_files = of_files.encode()
        self.environment = os.environ | {"LD_PRELOAD": str(LIBRARY), "FAILING_CALLS": path}
        self._write()

    def counted(self) -> dict[str, int]:
        """How often each call was made since the plan was written last."""
        rows = (ROW.unpack_from(self._memory, PLAN.size + ROW.size * row) for row in range(ROWS))
        return {name.rstrip(b"\0").decode(): calls for name, calls in rows if calls > 0}

    @contextlib.contextmanager
    def failing(self, call: str, number: int, action: int = ERROR) -> Iterator[None]:
        """Let that call fail, or the program be killed in it, until the block ends."""
        self._write(call, number, action)
        try:
            yield
        finally:
            self.disarm()

    def disarm(self) -> None:
        """Let nothing fail from now on."""
        self._memory[168:208] = bytes(40)  # the name of the call

    def failed(self) -> int:
        """How many calls failed since the plan was written last."""
        (failed,) = struct.unpack_from("=Q", self._memory, FAILED_AT)
        return int(failed)

    def step_clock(self, seconds: int) -> None:
        """Let the wall clock jump."""
        struct.pack_into("=q", self._memory, FAILED_AT + 8, seconds)

    def _write(self, call: str = "", number: int = 0, action: int = ERROR) -> None:
        error = ERRORS.get(call, OTHERWISE)
        texts = (self._program, self._of_files, call.encode())
        PLAN.pack_into(self._memory, 0, *texts, number, number, error, action, 0, 0, 0)
        for row in range(ROWS):
            struct.pack_into("=Q", self._memory, PLAN.size + ROW.size * row + 40, 0)


@contextlib.contextmanager
def calls(program: str | Path, of_files: str = "") -> Iterator[Calls]:
    """A plan for a program, which is to start with its `environment`.

    `of_files`, if it is not empty, limits the plan to calls about files that have it in their path.
    """
    with tempfile.NamedTemporaryFile() as file:
        size = PLAN.size + ROWS * ROW.size
        file.truncate(size)
        with mmap.mmap(file.fileno(), size) as memory:
            yield Calls(file.name, memory, Path(program).name[:31], of_files)


def cases(counted: dict[str, int]) -> list[tuple[str, int]]:
    """Which calls are to fail: of each kind the first three, and the last."""
    return [
        (call, number)
        for call, count in sorted(counted.items())
        for number in sorted({1, 2, 3, count})
        if number <= count
    ]
