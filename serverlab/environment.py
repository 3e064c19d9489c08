"""The machine of a run, as its environment.json has it."""

from __future__ import annotations

import msgspec

from serverlab.load_result import SCHEMA


class Environment(msgspec.Struct, frozen=True, kw_only=True):
    """environment.json: all of the machine that a result may depend on; None if unknown."""

    schema: int = SCHEMA
    cpu: str | None = None
    cpus: int | None = None
    governor: str | None = None
    memory_bytes: int | None = None
    kernel: str | None = None
    system: str | None = None
    virtualized: bool | None = None
    sysctls: dict[str, str | None] = {}
    congestion_used: str | None = None
    descriptors_max: int | None = None
    load_average: float | None = None
    steal_ticks: int | None = None
    python: str | None = None
    server: str | None = None
    load: str | None = None
    commit: str | None = None
    dirty: bool | None = None
    warnings: list[str] = []
