"""The answer where only one engine is tried: its first level of x against its last."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from serverlab.analysis.pairs import compare, has_figure
from serverlab.analysis.standings import BY_GOODPUT, BY_SERVER_CPU
from serverlab.notation import readable
from serverlab.report.sentences import times

if TYPE_CHECKING:
    from collections.abc import Sequence

    from serverlab.analysis.axes import Axes
    from serverlab.analysis.cells import Cell
    from serverlab.analysis.standings import Criterion
    from serverlab.records import Plan


def trend(plan: Plan, axes: Axes, cells: Sequence[Cell]) -> str:
    """How the ends of x compare; empty if there are several engines, or no x factor."""
    own = [cell for cell in cells if cell.engine != plan.twin]
    if len({cell.engine for cell in own}) != 1 or len(axes.levels) < 2:
        return ""
    return " ".join(
        filter(None, (between_ends(axes, own, one) for one in (BY_GOODPUT, BY_SERVER_CPU)))
    )


def between_ends(axes: Axes, cells: Sequence[Cell], criterion: Criterion) -> str:
    """One sentence on the first and the last level that have a figure."""
    measure = criterion.measure
    measured = [cell for cell in cells if has_figure(cell, measure)]
    if len(measured) < 2:
        return ""
    first, last = measured[0], measured[-1]
    ratio = compare(last, first, measure)
    before, after = (
        readable(cell.figures[measure.name].value, measure.kind) for cell in (first, last)
    )
    where = f"`{last.engine}` has a {criterion.noun} of {after} {axes.at(last.level)}"
    if ratio is None or math.isinf(ratio.high):
        return f"{where}, and {before} {axes.at(first.level)}."
    if not ratio.is_distinguishable:
        return f"{where}, not distinguishable from that {axes.at(first.level)}, {before}."
    comparison = times([ratio], f"that {axes.at(first.level)}")
    return f"{where}, {comparison.bracketed()}." if comparison else f"{where}."
