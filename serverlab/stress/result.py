"""What a stress has found, as it is written, and what a connection costs in memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from serverlab.design.subject import Subject  # noqa: TC001 - msgspec reads it
from serverlab.load_result import SCHEMA
from serverlab.stress.limits import Limit  # noqa: TC001 - likewise
from serverlab.stress.steps import (
    TELLING,
    TELLING_OF_ALL,
    accepted_per_s,
    each_bytes,
    gave,
    held,
    overflowed_per_s,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from serverlab.machine.memory import Memory
    from serverlab.stress.steps import Asked, Step

WHENS = {"idle": "idle", "probed": "probed once"}


def server_bytes(memory: Memory) -> int:
    """The server's, in user space."""
    return memory.servers


def generator_bytes(memory: Memory) -> int:
    """The generator's, in user space."""
    return memory.generator


def kernel_bytes(memory: Memory) -> int:
    """All of the kernel's, of both ends where they share a machine."""
    return memory.kernel


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of the table of memory."""

    label: str
    figure: Callable[[Memory], int]
    telling: int = TELLING_OF_ALL

    def each_bytes(self, steps: Sequence[Step], when: str) -> float | None:
        """Memory of a connection, if one can tell."""
        return each_bytes(steps, self.figure, when, self.telling)


ROWS = (
    Row(label="server", figure=server_bytes, telling=TELLING),
    Row(label="generator", figure=generator_bytes),
    Row(label="kernel, both ends", figure=kernel_bytes),
    Row(label="  sockets, files, epoll (slab)", figure=lambda memory: memory.slab),
    Row(label="  TCP buffers", figure=lambda memory: memory.buffers),
    Row(label="  stacks of threads", figure=lambda memory: memory.stacks),
    Row(label="  page tables", figure=lambda memory: memory.page_tables),
)


class EachBytes(msgspec.Struct, frozen=True, kw_only=True):
    """Memory of a connection; None if one cannot tell."""

    server_bytes: float | None
    generator_bytes: float | None
    kernel_bytes: float | None


class Gave(msgspec.Struct, frozen=True, kw_only=True):
    """The step in which something gave."""

    connections: int
    opened: int
    alive: int
    errors: dict[str, int]


class Accepts(msgspec.Struct, frozen=True, kw_only=True):
    """How fast the server accepts connections, apart from how many it holds. Unknown is None."""

    accepted_per_s: float | None  # at least
    overflowed_per_s: float | None  # too fast for it
    backlog: int | None


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """result.json (docs/results-schema.md)."""

    schema: int = SCHEMA
    command: str = "stress"
    subject: Subject
    server_limits: dict[str, int]
    held: int
    gave: Gave | None
    limits: list[Limit]
    accepts: Accepts
    memory_per_connection: dict[str, EachBytes]  # by when


def gave_in(step: Step) -> Gave:
    """A step in which something gave, without why."""
    return Gave(
        connections=step.connections, opened=step.opened, alive=step.alive, errors=step.errors
    )


def accepts(steps: Sequence[Step]) -> Accepts:
    """What the steps say of how fast the server accepts."""
    return Accepts(
        accepted_per_s=accepted_per_s(steps),
        overflowed_per_s=overflowed_per_s(steps),
        backlog=next((step.backlog for step in reversed(steps)), None),
    )


def result(asked: Asked, steps: Sequence[Step]) -> Result:
    """What the steps say together."""
    most, failed = held(steps), gave(steps)
    return Result(
        subject=asked.subject,
        server_limits=asked.server_limits,
        held=most.connections if most else 0,
        gave=None if failed is None else gave_in(failed),
        limits=failed.limits if failed else [],
        accepts=accepts(steps),
        memory_per_connection={
            when: EachBytes(
                server_bytes=each_bytes(steps, server_bytes, when),
                generator_bytes=each_bytes(steps, generator_bytes, when, TELLING_OF_ALL),
                kernel_bytes=each_bytes(steps, kernel_bytes, when, TELLING_OF_ALL),
            )
            for when in WHENS
        },
    )
