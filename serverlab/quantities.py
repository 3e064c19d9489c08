"""Levels, durations and lists of CPUs as people write them and the native programs read them."""

from __future__ import annotations

import functools
import re
from typing import TypeAlias

from serverlab.bounds import SECONDS_MAX, Figure, Whole
from serverlab.errors import UsageError

Level = str | Whole | Figure  # of a factor, as an experiment has it
# A value of a TOML file, and a table of it; dates are none of ours, and are refused as any other.
TomlValue: TypeAlias = "str | int | float | bool | list[TomlValue] | dict[str, TomlValue]"
TomlTable: TypeAlias = "dict[str, TomlValue]"

NUMBER_MAX = 2**63  # beyond it neither JSON nor the programs know an integer
KEPT_MAX = 1024  # durations: a plan has few that differ, in many trials
QUOTED_MAX = 80  # characters
SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}


@functools.lru_cache(maxsize=KEPT_MAX)
def duration_s(text: str) -> float:
    """Seconds of "10s", "1.5 ms" or "2 min"."""
    match = re.fullmatch(r" *([0-9]+\.?[0-9]*|\.[0-9]+) *([a-z]+) *", text)
    if match is None or match[2] not in SECONDS:
        raise UsageError(f"{quoted(text)} is not a duration such as 10s, 1.5ms or 250us")
    seconds = float(match[1]) * SECONDS[match[2]]
    if seconds > SECONDS_MAX:
        raise UsageError(f"{quoted(text)} is longer than a century")
    return seconds


def budget_s(text: str) -> float:
    """Seconds of how long a command may take, of which minutes are also written "5m"."""
    return duration_s(re.sub(r"m$", "min", text))


def share_of(text: str) -> float | None:
    """The share that "50%" or "50 %" is: 0.5. None of another text."""
    match = re.fullmatch(r" *([0-9]+\.?[0-9]*) *% *", text)
    return float(match[1]) / 100 if match is not None else None


def quoted(value: object) -> str:
    """A value as a message shows it: not more of it than one wants to read."""
    text = f"'{value}'" if isinstance(value, str) else safe_repr(value)
    return text if len(text) <= QUOTED_MAX else f"{text[:QUOTED_MAX]}…"


def safe_repr(value: object) -> str:
    """How Python writes a value; of a number with thousands of digits, what it is."""
    try:
        return repr(value)
    except (ValueError, RecursionError):
        return f"a {type(value).__name__} too long to be shown"


def readable_duration(seconds: float) -> str:
    """A duration as one says it: "40 s", "3 min 20 s", "1 h 05 min"."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02} min"


def cpu_set(text: str) -> set[int]:
    """The CPUs of a --cpus list. Raises UsageError if it is none."""
    cpus: set[int] = set()
    for part in filter(None, text.split(",")):
        match = re.fullmatch(r"([0-9]{1,4})(?:-([0-9]{1,4}))?", part)
        if match is None:
            raise UsageError(f"{quoted(text)} is not a list of CPUs such as 0,2-3")
        cpus.update(range(int(match[1]), int(match[2] or match[1]) + 1))
    return cpus
