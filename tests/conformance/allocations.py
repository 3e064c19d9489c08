"""Allocations of a program that fail when a test says so: see failing_allocations.cpp."""

from __future__ import annotations

import contextlib
import mmap
import struct
import tempfile
from collections.abc import Iterator

from tests.conformance.programs import preloading

PLAN = struct.Struct("=5Q")  # first, last, last_after_write, asked, failed
EVERY = 2**64 - 1


class Allocations:
    """The plan of failures that a program reads."""

    def __init__(self, path: str, memory: mmap.mmap) -> None:
        """The plan in a file, mapped here and in the program."""
        self._memory = memory
        self.prefix = [*preloading("failing_allocations"), f"FAILING_ALLOCATIONS={path}"]

    @contextlib.contextmanager
    def failing(self, first: int, last: int = EVERY) -> Iterator[None]:
        """Let the allocations of these numbers fail, counted from 1, until the block ends."""
        self._fail_from(first)
        self._set_last(last)
        try:
            yield
        finally:
            self._set_last(0)

    @contextlib.contextmanager
    def failing_once_listening(self, first: int = 1, last: int = EVERY) -> Iterator[None]:
        """Let allocations fail as `failing` does, counted from the first line on stdout on."""
        self._fail_from(first, last_after_write=last)
        try:
            yield
        finally:
            self._set_last(0)

    def asked(self) -> int:
        """How many there were the last time."""
        (*_, asked, _) = PLAN.unpack_from(self._memory)
        return int(asked)

    def failed(self) -> int:
        """How many failed the last time."""
        (*_, failed) = PLAN.unpack_from(self._memory)
        return int(failed)

    def _fail_from(self, first: int, last_after_write: int = 0) -> None:
        PLAN.pack_into(self._memory, 0, first, 0, last_after_write, 0, 0)

    def _set_last(self, last: int) -> None:
        struct.pack_into("=Q", self._memory, 8, last)


@contextlib.contextmanager
def allocations() -> Iterator[Allocations]:
    """A plan for one program, whose command is to start with its `prefix`."""
    with tempfile.NamedTemporaryFile() as file:
        file.truncate(mmap.PAGESIZE)
        with mmap.mmap(file.fileno(), mmap.PAGESIZE) as memory:
            yield Allocations(file.name, memory)
