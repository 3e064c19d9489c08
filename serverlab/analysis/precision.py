"""Which intervals of a run are wider than its design asks.

A headline interval is that of an engine's ratio to the baseline, by the criterion that the load
model makes decisive, at one level of one panel. A design may name other measures in its place.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.analysis.stages import are_closed, decides, stage
from serverlab.analysis.standings import precise_criteria, standing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from serverlab.analysis.axes import Axes
    from serverlab.analysis.cells import Cell
    from serverlab.analysis.standings import Standing
    from serverlab.analysis.view import View
    from serverlab.quantities import Level
    from serverlab.records import Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class WideInterval:
    """An interval that is wider than was asked for."""

    cell: Cell
    noun: str  # what is compared
    half_width: float  # as a share; infinite where nothing is known
    excess: float  # how many times as wide as was asked for


def wide_intervals(plan: Plan, compared: View) -> list[WideInterval]:
    """Those that more blocks would narrow, the widest first.

    What has no valid trial at all, no block helps.
    """
    wide = [
        one
        for panel in range(len(compared.axes.panels))
        for level in compared.axes.levels or (None,)
        for found, precision in wanted(plan, compared.axes, compared.at(panel), level)
        for one in wide_of(found, precision)
    ]
    return sorted(wide, key=lambda one: -one.excess)


def wanted(
    plan: Plan, axes: Axes, cells: Sequence[Cell], level: Level | None
) -> Iterator[tuple[Standing, float]]:
    """How the engines stand by what has to be precise at a level, and how precise.

    By nothing else, since this is asked after each block, while the machine is not measured.
    """
    if isinstance(plan.precision, float):
        yield stage(plan, axes, cells, level).decision, plan.precision
    own = [cell for cell in cells if cell.level == level]
    is_closed = are_closed(own)
    for criterion, precision in precise_criteria(plan).items():
        if decides(plan, criterion, is_closed=is_closed):
            yield standing(own, criterion, axes.subjects), precision


def wide_of(found: Standing, precision: float) -> list[WideInterval]:
    """Those of one level and measure."""
    if found.baseline is None:
        return []
    wide = []
    for cell in (*found.leaders, *found.others):
        if cell is found.baseline:
            continue
        ratio = found.ratio(cell, found.baseline)
        half_width = math.inf if ratio is None else ratio.half_width
        if half_width > precision:
            noun, excess = found.criterion.noun, half_width / precision
            wide.append(WideInterval(cell=cell, noun=noun, half_width=half_width, excess=excess))
    return wide
