"""Which factor becomes the x axis of every chart, and which split the report into panels.

What is compared is neither.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.levels import CPUS, is_numeric, number_of, subject_name
from serverlab.notation import count, level_text, listed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from serverlab.analysis.subjects import Subjects
    from serverlab.quantities import Level

# Factors whose levels are counts of something: "at 64 connections".
COUNTED = {"connections": "connection", "threads": "thread", "clients": "client", "cpus": "CPU"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One combination of the levels of the factors that are neither compared nor x."""

    levels: dict[str, Level]

    @property
    def label(self) -> str:
        """Its levels, in words; empty if the experiment has no such factor."""
        return ", ".join(factor_text(name, level) for name, level in self.levels.items())

    @property
    def short(self) -> str:
        """The same, where words stand without the names of their factors."""
        return subject_name(self.levels, self.levels)


@dataclass(frozen=True, slots=True, kw_only=True)
class Axes:
    """The x factor with its levels, if there is one, and the panels: always one at least."""

    factor: str | None
    levels: tuple[Level, ...]
    panels: tuple[Panel, ...]
    subjects: Subjects

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

    def panel_of(self, cell: Mapping[str, Level]) -> int:
        """The place of a cell's panel."""
        cell = self.subjects.without_twin(cell)
        return next(
            place
            for place, panel in enumerate(self.panels)
            if all(cell.get(name) == level for name, level in panel.levels.items())
        )

    def level_of(self, cell: Mapping[str, Level]) -> Level | None:
        """A cell's level on the x axis."""
        return None if self.factor is None else cell[self.factor]

    def place(self, level: Level | None) -> int:
        """The place of a level on the x axis among the others; 0 without an x factor."""
        return 0 if level is None else self.levels.index(level)

    def at(self, *levels: Level | None) -> str:
        """Words for levels: "at 64 connections", "at payload 64 B"; empty without an x factor."""
        if self.factor is None:
            return ""
        texts = [self.text(level) for level in levels if level is not None]
        if self.factor in COUNTED:
            return f"at {listed(texts)} {COUNTED[self.factor]}{'' if texts == ['1'] else 's'}"
        return f"at {self.factor} {listed(texts)}"


def factor_text(name: str, level: Level) -> str:
    """A level with the name of its factor; an engine's name speaks for itself."""
    return str(level) if name == "engine" else f"{name} {level_text(level)}"


def axes_of(factors: dict[str, list[Level]], subjects: Subjects) -> Axes:
    """The first numeric factor with more than one level is x; the other factors make panels."""
    told_apart = {
        name: [level for level in levels if name != "engine" or level != subjects.twin_engine]
        for name, levels in factors.items()
        if name not in subjects.between
    }
    varied = {name: levels for name, levels in told_apart.items() if len(levels) > 1}
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
        subjects=subjects,
    )


def position(level: Level, factor: str | None) -> float:
    """Where a numeric level lies on the axis."""
    place = number_of(level, factor)
    if place is None:
        raise ValueError(f"{level!r} is no number")
    return place
