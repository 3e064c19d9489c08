"""Durations and lists of CPUs as people write them, read as the native programs read them."""

from __future__ import annotations

import re

from serverlab.errors import UsageError

SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}


def duration_s(text: str) -> float:
    """Seconds of "10s", "1.5 ms" or "2 min"."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*", text)
    if match is None or match[2] not in SECONDS:
        raise UsageError(f"'{text}' is not a duration such as 10s, 1.5ms or 250us")
    return float(match[1]) * SECONDS[match[2]]


def readable_duration(seconds: float) -> str:
    """A duration as one says it: "40 s", "3 min 20 s", "1 h 05 min"."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02} min"


def cpu_set(text: str) -> set[int]:
    """The CPUs of a --cpus list."""
    cpus: set[int] = set()
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        cpus.update(range(int(first), int(last or first) + 1))
    return cpus
