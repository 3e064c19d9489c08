"""The intervals of a run that are wider than its experiment asks, in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from serverlab.analysis.cells import where
from serverlab.analysis.precision import wide_intervals
from serverlab.analysis.results import gathered
from serverlab.notation import NARROW_SPACE, difference

if TYPE_CHECKING:
    from pathlib import Path

    from serverlab.analysis.axes import Axes
    from serverlab.analysis.precision import WideInterval
    from serverlab.analysis.view import View
    from serverlab.records import Plan


def imprecise(run_folder: Path) -> list[str]:
    """Return words for each interval that is wider than the experiment asks, the widest first."""
    run, _, compared = gathered(run_folder)
    return shortfall(run.plan, compared)


def shortfall(plan: Plan, compared: View) -> list[str]:
    """Return the same words for a run that has been read."""
    if plan.precision is None:
        return []
    return [in_words(one, compared.axes) for one in wide_intervals(plan, compared)]


def in_words(one: WideInterval, axes: Axes) -> str:
    """`poll` at 64 connections, goodput ±4.1 %."""
    whose = " ".join(filter(None, (f"`{one.cell.subject}`", where(axes, one.cell))))
    if math.isinf(one.half_width):
        return f"{whose}, no interval for its {one.noun}"
    return f"{whose}, {one.noun} ±{NARROW_SPACE}{difference(1 + one.half_width)}"
