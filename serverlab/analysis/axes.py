"""Which factor becomes the x axis of every chart, and which split the report into panels."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.notation import count, level_text, listed
from serverlab.quantities import SECONDS, cpu_set

if TYPE_CHECKING:
    from serverlab.quantities import Level

BYTES = {
    "B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30
}  # fmt: skip
# Factors whose levels are counts of something: "at 64 connections".
COUNTED = {"connections": "connection", "threads": "thread", "clients": "client", "cpus": "CPU"}
CPUS = "cpus"  # its levels are lists of CPUs; how many there are is what is looked at


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One combination of the levels of the factors that are neither engine nor x."""

    levels: dict[str, Level]

    @property
    def label(self) -> str:
        """Its levels, in words; empty if the experiment has no such factor."""
        return ", ".join(f"{name} {level_text(level)}" for name, level in self.levels.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class Axes:
    """The x factor with its levels, if there is one, and the panels: always one at least."""

    factor: str | None
    levels: tuple[Level, ...]
    panels: tuple[Panel, ...]

    @property
    def title(self) -> str | None:
        """What the x axis counts."""
        return f"{COUNTED[CPUS]}s" if self.factor == CPUS else self.factor

    def positions(self) -> list[float]:
        """Where the levels lie on the x axis."""
        return [self.position(level) for level in self.levels]

    def position(self, level: Level) -> float:
        """Where a level of the x factor lies on the axis."""
        return position(level, self.factor)

    def text(self, level: Level) -> str:
        """A level of the x factor beside the axis and in sentences."""
        return count(self.position(level)) if self.factor == CPUS else level_text(level)

    def panel_of(self, cell: dict[str, Level]) -> int:
        """The place of a cell's panel."""
        return next(
            place
            for place, panel in enumerate(self.panels)
            if all(cell.get(name) == level for name, level in panel.levels.items())
        )

    def level_of(self, cell: dict[str, Level]) -> Level | None:
        """A cell's level on the x axis."""
        return None if self.factor is None else cell[self.factor]

    def at(self, *levels: Level | None) -> str:
        """Words for levels: "at 64 connections", "at payload 64 B"; empty without an x factor."""
        if self.factor is None:
            return ""
        texts = [self.text(level) for level in levels if level is not None]
        if self.factor in COUNTED:
            return f"at {listed(texts)} {COUNTED[self.factor]}{'' if texts == ['1'] else 's'}"
        return f"at {self.factor} {listed(texts)}"


def axes_of(factors: dict[str, list[Level]]) -> Axes:
    """The first numeric factor with more than one level is x; the other factors make panels."""
    varied = {
        name: levels for name, levels in factors.items() if name != "engine" and len(levels) > 1
    }
    factor = next((name for name, levels in varied.items() if is_numeric(levels, name)), None)
    others = {name: levels for name, levels in varied.items() if name != factor}
    combinations = itertools.product(*others.values())
    levels = varied[factor] if factor is not None else []
    return Axes(
        factor=factor,
        levels=tuple(sorted(levels, key=lambda level: position(level, factor))),
        panels=tuple(
            Panel(levels=dict(zip(others, combination, strict=True)))
            for combination in combinations
        ),
    )


def is_numeric(levels: list[Level], factor: str) -> bool:
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


def position(level: Level, factor: str | None) -> float:
    """Where a numeric level lies on the axis."""
    place = number_of(level, factor)
    if place is None:
        raise ValueError(f"{level!r} is no number")
    return place
