"""The answer where only one subject is tried: its first level of x against its last."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from serverlab.analysis.pairs import compare, has_figure
from serverlab.analysis.standings import BY_GOODPUT, BY_SERVER_CPU
from serverlab.notation import readable
from serverlab.report.sentences import capitalised, times

if TYPE_CHECKING:
    from collections.abc import Sequence

    from serverlab.analysis.axes import Axes
    from serverlab.analysis.cells import Cell
    from serverlab.analysis.standings import Criterion
    from serverlab.analysis.view import View


def trends(compared: View) -> str:
    """How the ends of x compare, by panel; empty if there are several subjects, or no x factor."""
    axes = compared.axes
    names = {cell.subject for cell in compared.cells if cell.subject != axes.subjects.twin}
    if len(names) != 1 or len(axes.levels) < 2:
        return ""
    said = []
    for number, panel in enumerate(axes.panels):
        own = [cell for cell in compared.at(number) if cell.subject in names]
        sentences = [between_ends(axes, own, one) for one in (BY_GOODPUT, BY_SERVER_CPU)]
        if text := " ".join(filter(None, sentences)):
            said.append(f"{capitalised(panel.label)}: {text}" if panel.label else text)
    return " ".join(said)


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
    where = f"`{last.subject}` has a {criterion.noun} of {after} {axes.at(last.level)}"
    if ratio is None or math.isinf(ratio.high):
        return f"{where}, and {before} {axes.at(first.level)}."
    if not ratio.is_distinguishable:
        return f"{where}, not distinguishable from that {axes.at(first.level)}, {before}."
    comparison = times([ratio], f"that {axes.at(first.level)}")
    return f"{where}, {comparison.bracketed()}." if comparison else f"{where}."
