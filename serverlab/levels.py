"""Levels as numbers and as names: which of them lie on an axis, and what a subject is called."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from serverlab.quantities import SECONDS, cpu_set

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from serverlab.quantities import Level

BYTES = {
    "B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30
}  # fmt: skip
CPUS = "cpus"  # its levels are lists of CPUs; how many there are is what is looked at
SWITCH = {"on", "off"}  # levels that say nothing without the name of their factor


def is_numeric(levels: Sequence[Level], factor: str) -> bool:
    """Whether all levels have a place on an axis, no two the same."""
    places = [number_of(level, factor) for level in levels]
    return None not in places and len(set(places)) == len(places)


def number_of(level: Level, factor: str | None) -> float | None:
    """The number that a level is, in seconds or bytes if it has a unit: "64 B", "10ms", 8.

    Of a list of CPUs it is how many there are: "0-1" is 2.
    """
    if factor == CPUS:
        return len(cpu_set(str(level))) if is_cpu_list(str(level)) else None
    if not isinstance(level, str):
        return float(level)
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", level)
    factors = {"": 1.0, **SECONDS, **BYTES}
    if match is None or match[2] not in factors:
        return None
    return float(match[1]) * factors[match[2]]


def is_cpu_list(text: str) -> bool:
    """Whether it names CPUs: "0", "0,2-3"."""
    return re.fullmatch(r"\d+(-\d+)?(,\d+(-\d+)?)*", text) is not None


def subject_name(cell: Mapping[str, Level], between: Iterable[str]) -> str:
    """What is compared, by its levels of the factors `between`: "threads", "mutex, kv-shards 16".

    An engine, or another level that is a word, speaks for itself; a number, a range or a switch
    does not.
    """
    return ", ".join(
        text
        if name == "engine" or (text[:1].isalpha() and text not in SWITCH)
        else f"{name} {text}"
        for name, text in ((name, str(cell[name])) for name in between)
    )
