"""Which levels of a run want another block, where its design asks for a precision.

To look after each block and to stop when all intervals are narrow favours blocks that happen to
agree: of intervals got so, 5 to 8 % miss, not 5 %, provided that no figure is looked at before the
fifth block.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from datetime import datetime
from typing import TYPE_CHECKING

from serverlab.analysis.precision import wide_intervals
from serverlab.analysis.results import gathered
from serverlab.design.plan import place_of, trial_s

if TYPE_CHECKING:
    from pathlib import Path

    from serverlab.analysis.run_data import RunData
    from serverlab.design.turns import Place
    from serverlab.records import Trial

BLOCKS_MIN = 5  # before which no figure is looked at
RESUMED_MIN = 3  # times as long as planned, from load to load: the run was not at work meanwhile


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
    run_s = 0.0
    block_s: dict[Place, float] = {}
    slower = slowness(run)
    for trial in plan.trials:
        place = place_of(plan, trial.cell)
        took_s = slower.get(place, 1) * trial_s(trial)
        run_s += took_s
        if trial.block == 1:
            block_s[place] = block_s.get(place, 0) + took_s
    places = list(block_s)
    if plan.blocks >= BLOCKS_MIN:
        wide = wide_intervals(plan, compared)
        places = list(dict.fromkeys(place_of(plan, one.cell.levels) for one in wide))
    left_s = plan.time_max_s - run_s if plan.time_max_s else math.inf
    fitting = []
    for place in places:
        if block_s[place] <= left_s:
            fitting.append(place)
            left_s -= block_s[place]
    return fitting


def slowness(run: RunData) -> dict[Place, float]:
    """How many times as long as planned the trials of each place take on this machine.

    From the begin of one load to that of the next one, unless the run was resumed in between.
    """
    loads: dict[str, list[Trial]] = defaultdict(list)
    for trial in run.trials:
        if trial.started_at:
            loads[trial.started_at].append(trial)
    took_s: dict[Place, float] = defaultdict(float)
    planned_s: dict[Place, float] = defaultdict(float)
    for begin, end in itertools.pairwise(sorted(loads)):
        load_s = (datetime.fromisoformat(end) - datetime.fromisoformat(begin)).total_seconds()
        expected_s = sum(map(trial_s, loads[begin]))
        if load_s < RESUMED_MIN * expected_s:
            place = place_of(run.plan, loads[begin][0].cell)
            took_s[place] += load_s
            planned_s[place] += expected_s
    return {place: seconds / planned_s[place] for place, seconds in took_s.items()}
