"""A run with everything that both the page and the export derive from it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from serverlab.analysis.axes import axes_of
from serverlab.analysis.cells import gather
from serverlab.analysis.laws import checked
from serverlab.report.palette import looks
from serverlab.analysis.request_curves import request_curves
from serverlab.analysis.run_data import read_run
from serverlab.report.scaling_table import scalings

if TYPE_CHECKING:
    from pathlib import Path

    from serverlab.analysis.axes import Axes
    from serverlab.analysis.cells import Cell
    from serverlab.report.palette import Look
    from serverlab.analysis.request_curves import RequestCurve
    from serverlab.analysis.run_data import RunData
    from serverlab.report.scaling_table import Scaling


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """A run, its axes, its cells, and what its engines look like."""

    run: RunData
    axes: Axes
    cells: list[Cell]
    looks: list[Look]
    curves: list[RequestCurve]  # none if the run has kept no log of its connections
    scalings: list[Scaling]  # none if nothing that scales is a factor


def gathered(run_folder: Path) -> tuple[RunData, Axes, list[Cell]]:
    """Read a run and gather its trials by cell."""
    run = read_run(run_folder)
    run = replace(run, trials=[checked(trial) for trial in run.trials])
    axes = axes_of(run.plan.factors)
    return run, axes, gather(run, axes)


def results(run_folder: Path) -> Results:
    """Read a run and gather it, with what it is to look like."""
    run, axes, cells = gathered(run_folder)
    engines = list(dict.fromkeys(cell.engine for cell in cells))
    return Results(
        run=run,
        axes=axes,
        cells=cells,
        looks=looks(engines),
        curves=request_curves(run_folder, cells),
        scalings=scalings(axes, cells, run.plan.twin),
    )
