"""How goodput grows with connections, threads or CPUs: a law for each subject, or why not.

The law is fitted to closed loops only: an open one has the goodput that was asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.levels import number_of
from serverlab.measures import GOODPUT
from serverlab.notation import level_text
from serverlab.stats.usl import NoFitError, fit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from serverlab.analysis.axes import Axes
    from serverlab.analysis.cells import Cell
    from serverlab.quantities import Level
    from serverlab.stats.usl import Law

SUBJECT = ""  # beside the names of factors
SCALED = {"connections": "connections", "threads": "threads", "cpus": "CPUs"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scaling:
    """One subject along one factor, everything else fixed."""

    subject: str
    factor: str
    where: str  # the levels of the other factors, in words
    panel: int | None  # of the chart that it is drawn into
    lowest: float  # level that was measured
    highest: float
    law: Law | None
    refusal: str  # why there is no law

    @property
    def peak_is_beyond(self) -> bool:
        """Whether the predicted peak lies where nothing was measured."""
        return self.law is not None and self.law.peak > self.highest


def scalings(axes: Axes, cells: Sequence[Cell]) -> list[Scaling]:
    """One for each subject and factor that can be scaled, in the cells' order."""
    found = []
    names = [axes.factor, *axes.panels[0].levels]
    for factor in SCALED.keys() & {name for name in names if name is not None}:
        groups: dict[tuple[tuple[str, Level], ...], list[Cell]] = {}
        for cell in cells:
            if cell.subject != axes.subjects.twin:
                levels = levels_of(axes, cell)
                others = tuple(item for item in levels.items() if item[0] != factor)
                groups.setdefault(others, []).append(cell)
        found += [scaling(axes, factor, dict(others), own) for others, own in groups.items()]
    return found


def levels_of(axes: Axes, cell: Cell) -> dict[str, Level]:
    """All levels of a cell by factor, and its subject."""
    x = {axes.factor: cell.level} if axes.factor and cell.level is not None else {}
    return {SUBJECT: cell.subject, **x, **axes.panels[cell.panel].levels}


def scaling(axes: Axes, factor: str, others: Mapping[str, Level], cells: Sequence[Cell]) -> Scaling:
    """Fit one subject's goodput."""
    figures = {}
    for cell in cells:
        place = number_of(levels_of(axes, cell)[factor], factor)
        figure = cell.figures.get(GOODPUT.name)
        if place is not None and figure is not None and figure.low > 0:
            figures[place] = figure.by_block
    law, refusal = None, ""
    models = {load.load.model for cell in cells for load in cell.loads}
    if models - {"closed"}:
        refusal = "the load is no closed loop: its goodput is what was asked for"
    else:
        try:
            law = fit(figures)
        except NoFitError as error:
            refusal = str(error)
    words = [f"{name} {level_text(level)}" for name, level in others.items() if name != SUBJECT]
    return Scaling(
        subject=str(others[SUBJECT]),
        factor=factor,
        where=", ".join(words),
        panel=cells[0].panel if factor == axes.factor else None,
        lowest=min(figures, default=0),
        highest=max(figures, default=0),
        law=law,
        refusal=refusal,
    )
