"""The levels of x that the answer speaks of, and how the engines stand at each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.analysis.standings import (
    ALL_CRITERIA,
    BY_GOODPUT,
    BY_P99,
    BY_SERVER_CPU,
    asked_criteria,
    precise_criteria,
    standing,
)
from serverlab.measures import LATENCIES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from serverlab.analysis.axes import Axes
    from serverlab.analysis.cells import Cell
    from serverlab.analysis.standings import Criterion, Standing
    from serverlab.analysis.view import View
    from serverlab.quantities import Level
    from serverlab.records import Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One level of x in one panel: the cells that are compared."""

    level: Level | None
    cells: tuple[Cell, ...]
    standings: dict[str, Standing]  # by the measure's name
    asked: tuple[Criterion, ...]  # those that the experiment names
    is_closed: bool
    generator_bound: tuple[Cell, ...]  # those whose trials say more of the generator

    @property
    def decisive(self) -> Criterion:
        """What the experiment asks for first, if a trial has it.

        Else, in a closed loop, peak throughput, where the server is its limit; in an open one, p99.
        """
        for criterion in self.asked:
            if self.standings[criterion.measure.name].leaders:
                return criterion
        if not self.is_closed:
            return BY_P99 if self.standings[BY_P99.measure.name].leaders else BY_SERVER_CPU
        return BY_SERVER_CPU if self.generator_bound else BY_GOODPUT

    @property
    def spoken_of(self) -> tuple[Criterion, ...]:
        """What the answer speaks of: all that the experiment asks for, or what is decisive."""
        return self.asked or (self.decisive,)

    @property
    def decision(self) -> Standing:
        """How the engines stand by the decisive criterion."""
        return self.standings[self.decisive.measure.name]

    @property
    def has_ties(self) -> bool:
        """Whether the decisive criterion leaves some engines undistinguished."""
        return any(len(group.members) > 1 for group in self.decision.groups)


def few_of(levels: Sequence[Level | None]) -> list[Level | None]:
    """Few, medium, many; all if there are no more than three."""
    return list(dict.fromkeys([*levels[:1], *levels[len(levels) // 2 :][:1], *levels[-1:]]))


def stages_of(plan: Plan, compared: View, panel: int) -> list[Stage]:
    """Those of a panel that are spoken of."""
    axes, own = compared.axes, compared.at(panel)
    planned = {cell.level for cell in own}
    levels = [level for level in axes.levels or (None,) if level in planned]
    return [stage(plan, axes, own, level) for level in few_of(levels)]


def stage(plan: Plan, axes: Axes, cells: Sequence[Cell], level: Level | None) -> Stage:
    """Compare the subjects at one level."""
    own = [cell for cell in cells if cell.level == level]
    is_closed = are_closed(own)
    criteria = asked_criteria(plan)
    asked = [one for one in criteria if decides(plan, one, is_closed=is_closed)]
    # In a closed loop a server that costs more finds more requests each time that it wakes up,
    # which takes back a part of what it costs more. At a fixed rate both do the same.
    if BY_SERVER_CPU in criteria and BY_SERVER_CPU not in asked:
        asked.append(BY_SERVER_CPU)
    return Stage(
        level=level,
        cells=tuple(own),
        standings={
            criterion.measure.name: standing(own, criterion, axes.subjects)
            for criterion in dict.fromkeys((*asked, *precise_criteria(plan), *ALL_CRITERIA))
        },
        asked=tuple(asked),
        is_closed=is_closed,
        generator_bound=tuple(
            cell for cell in own if cell.limit == "generator" and cell.subject != axes.subjects.twin
        ),
    )


def are_closed(cells: Sequence[Cell]) -> bool:
    """Whether these were loaded by closed loops alone; before they have run, by the plan."""
    models = {load.load.model for cell in cells for load in cell.loads}
    planned = {str(cell.levels.get("model", "closed")) for cell in cells}
    return (models or planned) <= {"closed"}


def decides(plan: Plan, criterion: Criterion, *, is_closed: bool) -> bool:
    """Whether a load model has a verdict by it.

    Where there are several models, each decides what it can: a closed loop says nothing of latency.
    """
    return len(plan.factors.get("model", [])) < 2 or (criterion.measure in LATENCIES) != is_closed
