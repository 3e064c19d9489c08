"""The classes of a load's requests as subjects: each cell once for each class that it has.

The classes of a trial share its server and its window, so that they are paired within each trial.
What is known of a class is how many of its requests were answered, and how long that took.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import msgspec

from serverlab.analysis.axes import axes_of
from serverlab.analysis.cells import cell_of
from serverlab.analysis.subjects import Subjects
from serverlab.load_result import Times
from serverlab.measures import CLASSES, OF_CLASSES
from serverlab.records import CLASS, Trial
from serverlab.trial_figures import class_rate_per_s

if TYPE_CHECKING:
    from collections.abc import Sequence

    from serverlab.analysis.axes import Axes
    from serverlab.analysis.cells import Cell
    from serverlab.records import Plan


def class_axes(plan: Plan, cells: Sequence[Cell]) -> Axes:
    """The axes of a comparison of classes: engines, if there are several, make panels, too."""
    there = {name for cell in cells for load in cell.loads for name in load.classes}
    names = tuple(name for name in CLASSES if name in there)
    subjects = Subjects(
        between=(CLASS,),
        names=names,
        baseline=plan.contrast.baseline or next(iter(names), ""),
        twin=None,
        twin_engine=plan.twin,
        twin_of=plan.baseline,
    )
    return axes_of(plan.factors, subjects)


def class_cells(axes: Axes, cells: Sequence[Cell]) -> list[Cell]:
    """The cells of a run, once for each class; the twin tells nothing of classes."""
    return [
        class_cell(axes, cell, name)
        for cell in cells
        if cell.levels["engine"] != axes.subjects.twin_engine
        for name in axes.subjects.names
    ]


def class_cell(axes: Axes, cell: Cell, name: str) -> Cell:
    """A cell's requests of one class, with the figures that a class has."""
    trials = [of_class(trial, name) for trial in cell.trials]
    made = cell_of({**cell.levels, CLASS: name}, axes, cell.planned, trials)
    figures = {name: one for name, one in made.figures.items() if name in OF_CLASSES}
    return dataclasses.replace(made, figures=figures)


def of_class(trial: Trial, name: str) -> Trial:
    """A trial as if its load had sent requests of one class alone.

    Slices, the server's figures and what was saturated are those of all classes together.
    """
    if trial.load is None:
        return trial
    rate = class_rate_per_s(trial.load, name)
    load = msgspec.structs.replace(
        trial.load,
        latency_ns=trial.load.classes.get(name, Times()),
        rate=msgspec.structs.replace(trial.load.rate, goodput_per_s=rate or 0.0),
        series=[],
    )
    return msgspec.structs.replace(trial, load=load, server=None, saturated=None)
