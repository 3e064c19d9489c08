"""A run with every figure that the page and the export show."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from serverlab.analysis.axes import axes_of
from serverlab.analysis.cells import gather
from serverlab.analysis.class_cells import class_axes, class_cells
from serverlab.analysis.laws import checked
from serverlab.analysis.ledger import explained
from serverlab.analysis.noisy import without_noisy
from serverlab.analysis.request_curves import request_curves
from serverlab.analysis.run_data import read_run
from serverlab.analysis.scaling import scalings
from serverlab.analysis.subjects import subjects_of
from serverlab.analysis.timelines import timelines
from serverlab.analysis.view import View
from serverlab.records import CLASS

if TYPE_CHECKING:
    from pathlib import Path

    from serverlab.analysis.axes import Axes
    from serverlab.analysis.cells import Cell
    from serverlab.analysis.ledger import Explained
    from serverlab.analysis.request_curves import RequestCurve
    from serverlab.analysis.run_data import RunData
    from serverlab.analysis.scaling import Scaling
    from serverlab.analysis.timelines import Timeline


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """A run, its axes, its cells, its request curves, timelines and scaling laws."""

    run: RunData
    axes: Axes
    cells: list[Cell]
    compared: View  # by the answer: these cells, or, where classes are compared, those of classes
    curves: list[RequestCurve]  # none if the run has kept no log of its connections
    timelines: list[Timeline]  # none if there is no valid trial
    scalings: list[Scaling]  # none if nothing that scales is a factor
    explained: list[Explained]  # none unless the experiment asked for it

    @property
    def subjects(self) -> list[str]:
        """Each once, in the order of the cells."""
        return list(dict.fromkeys(cell.subject for cell in self.cells))


def gathered(run_folder: Path) -> tuple[RunData, View, View]:
    """Read a run and gather its trials by cell: all requests together, and what is compared."""
    run = read_run(run_folder)
    run = replace(run, trials=without_noisy([checked(trial) for trial in run.trials]))
    axes = axes_of(run.plan.factors, subjects_of(run.plan))
    shown = View(axes=axes, cells=gather(run, axes))
    if run.plan.contrast.between != [CLASS]:
        return run, shown, shown
    by_class = class_axes(run.plan, shown.cells)
    return run, shown, View(axes=by_class, cells=class_cells(by_class, shown.cells))


def results(run_folder: Path) -> Results:
    """Read a run and analyse it."""
    run, shown, compared = gathered(run_folder)
    return Results(
        run=run,
        axes=shown.axes,
        cells=shown.cells,
        compared=compared,
        curves=request_curves(run_folder, shown.cells),
        timelines=timelines(shown.cells),
        scalings=scalings(shown.axes, shown.cells),
        explained=explained(run.ledgers),
    )
