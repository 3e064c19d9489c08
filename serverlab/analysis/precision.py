"""Whether a run's headline intervals are as narrow as its design asks, and which are not.

A headline interval is that of an engine's ratio to the baseline, by the criterion that the load
model makes decisive, at one level of one panel. To look after each block and to stop when all are
narrow favours blocks that happen to agree: of intervals got so, 5 to 8 % miss, not 5 %, provided
that no figure is looked at before the fifth block.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.analysis.results import gathered
from serverlab.analysis.stages import stage

if TYPE_CHECKING:
    from pathlib import Path

    from serverlab.analysis.cells import Cell
    from serverlab.analysis.stages import Stage
    from serverlab.analysis.view import View
    from serverlab.records import Plan

BLOCKS_MIN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class WideInterval:
    """A headline interval that is wider than was asked for."""

    cell: Cell
    noun: str  # what is compared
    half_width: float  # as a share; infinite where nothing is known


def wide_intervals(plan: Plan, compared: View, precision: float) -> list[WideInterval]:
    """Those that more blocks would narrow; what has no valid trial at all, no block helps."""
    return [
        one
        for panel in range(len(compared.axes.panels))
        for level in compared.axes.levels or (None,)
        for one in wide_at(stage(plan, compared.axes, compared.at(panel), level), precision)
    ]


def wide_at(one: Stage, precision: float) -> list[WideInterval]:
    """Those of one level."""
    found = one.decision
    if found.baseline is None:
        return []
    wide = []
    for cell in (*found.leaders, *found.others):
        if cell is found.baseline:
            continue
        ratio = found.ratio(cell, found.baseline)
        half_width = math.inf if ratio is None else ratio.half_width
        if half_width > precision:
            wide.append(WideInterval(cell=cell, noun=found.criterion.noun, half_width=half_width))
    return wide


def needs_more_blocks(run_folder: Path) -> bool:
    """Whether another block is wanted and can help, now that all that are planned have been run."""
    run, shown, compared = gathered(run_folder)
    plan = run.plan
    blocks = len({trial.block for trial in plan.trials})
    if plan.precision is None or blocks >= plan.blocks_max:
        return False
    if not any(cell.valid for cell in shown.cells):
        return False
    return blocks < BLOCKS_MIN or bool(wide_intervals(plan, compared, plan.precision))
