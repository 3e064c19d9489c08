"""Which levels of a run want another block, where its design asks for a precision.

To look after each block and to stop when all intervals are narrow favours blocks that happen to
agree: of intervals got so, 5 to 8 % miss, not 5 %, provided that no figure is looked at before the
fifth block.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from serverlab.analysis.precision import wide_intervals
from serverlab.analysis.results import gathered
from serverlab.design.plan import place_of, plan_s, trial_s

if TYPE_CHECKING:
    from pathlib import Path

    from serverlab.design.turns import Place

BLOCKS_MIN = 5  # before which no figure is looked at


def places_to_repeat(run_folder: Path) -> list[Place]:
    """Where another block is wanted and can help, now that all that are planned have been run.

    That is where intervals are still wide, the widest first, as far as the time suffices.
    """
    run, shown, compared = gathered(run_folder)
    plan = run.plan
    if plan.precision is None or plan.blocks >= plan.blocks_max:
        return []
    if not any(cell.valid for cell in shown.cells):
        return []
    block_s: dict[Place, float] = {}
    for trial in plan.trials:
        if trial.block == 1:
            place = place_of(plan, trial.cell)
            block_s[place] = block_s.get(place, 0) + trial_s(trial)
    places = list(block_s)
    if plan.blocks >= BLOCKS_MIN:
        wide = wide_intervals(plan, compared)
        places = list(dict.fromkeys(place_of(plan, one.cell.levels) for one in wide))
    left_s = plan.time_max_s - plan_s(plan) if plan.time_max_s else math.inf
    fitting = []
    for place in places:
        if block_s[place] <= left_s:
            fitting.append(place)
            left_s -= block_s[place]
    return fitting
