"""A run with every figure that the page and the export show."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from serverlab.analysis.axes import axes_of
from serverlab.analysis.cells import gather
from serverlab.analysis.laws import checked
from serverlab.analysis.request_curves import request_curves
from serverlab.analysis.run_data import read_run
from serverlab.analysis.scaling import scalings

if TYPE_CHECKING:
    from pathlib import Path

    from serverlab.analysis.axes import Axes
    from serverlab.analysis.cells import Cell
    from serverlab.analysis.request_curves import RequestCurve
    from serverlab.analysis.run_data import RunData
    from serverlab.analysis.scaling import Scaling


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """A run, its axes, its cells, its request curves and scaling laws."""

    run: RunData
    axes: Axes
    cells: list[Cell]
    curves: list[RequestCurve]  # none if the run has kept no log of its connections
    scalings: list[Scaling]  # none if nothing that scales is a factor

    @property
    def engines(self) -> list[str]:
        """Each once, in the order of the cells."""
        return list(dict.fromkeys(cell.engine for cell in self.cells))


def gathered(run_folder: Path) -> tuple[RunData, Axes, list[Cell]]:
    """Read a run and gather its trials by cell."""
    run = read_run(run_folder)
    run = replace(run, trials=[checked(trial) for trial in run.trials])
    axes = axes_of(run.plan.factors)
    return run, axes, gather(run, axes)


def results(run_folder: Path) -> Results:
    """Read a run and analyse it."""
    run, axes, cells = gathered(run_folder)
    return Results(
        run=run,
        axes=axes,
        cells=cells,
        curves=request_curves(run_folder, cells),
        scalings=scalings(axes, cells, run.plan.twin),
    )
