"""The machine of a run, as its environment.json has it."""

from __future__ import annotations

import msgspec

from serverlab.bounds import (  # noqa: TC001 - msgspec reads them
    Count,
    Figure,
    Whole,
)
from serverlab.load_result import SCHEMA


class Environment(msgspec.Struct, frozen=True, kw_only=True):
    """environment.json: all of the machine that a result may depend on; None if unknown."""

    schema: Whole = SCHEMA
    cpu: str | None = None
    cpus: Count | None = None
    governor: str | None = None
    memory_bytes: Count | None = None
    kernel: str | None = None
    system: str | None = None
    virtualized: bool | None = None
    sysctls: dict[str, str | None] = {}
    congestion_used: str | None = None
    descriptors_max: Whole | None = None  # -1: as many as it likes
    load_average: Figure | None = None
    steal_ticks: Count | None = None
    python: str | None = None
    server: str | None = None
    load: str | None = None
    commit: str | None = None
    dirty: bool | None = None
    warnings: list[str] = []
