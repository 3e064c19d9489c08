"""What a stress has found, as JSON, and what a connection costs in memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from serverlab.stress.steps import TELLING, TELLING_OF_ALL, each_bytes, gave, held
from serverlab.running.study import SCHEMA

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
    """All of the kernel's, of both ends."""
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


def as_json(asked: Asked, steps: Sequence[Step]) -> dict[str, Any]:
    """The content of result.json (docs/results-schema.md)."""
    most, failed = held(steps), gave(steps)

    def each(when: str) -> dict[str, float | None]:
        return {
            "server_bytes": each_bytes(steps, server_bytes, when),
            "generator_bytes": each_bytes(steps, generator_bytes, when, TELLING_OF_ALL),
            "kernel_bytes": each_bytes(steps, kernel_bytes, when, TELLING_OF_ALL),
        }

    return {
        "schema": SCHEMA,
        "command": "stress",
        "subject": asked.subject,
        "server_limits": asked.server_limits,
        "held": most.connections if most else 0,
        "gave": failed
        and {
            "connections": failed.connections,
            "opened": failed.opened,
            "alive": failed.alive,
            "errors": failed.errors,
        },
        "limits": msgspec.to_builtins(failed.limits) if failed else [],
        "memory_per_connection": {when: each(when) for when in WHENS},
    }
