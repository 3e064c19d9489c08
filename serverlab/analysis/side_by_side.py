"""The slices of cells that took turns, side by side: which of them count, and as what."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy

from serverlab.stats.undisturbed import undisturbed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from serverlab.analysis.cells import Cell
    from serverlab.measure import Measure
    from serverlab.records import Trial

    Values = NDArray[numpy.float64]


KEPT_MAX = 256  # cells and measures: each is paired with every other one of its level


@dataclass(frozen=True, slots=True, eq=False)
class Slices:
    """A server's slices under one load, by a measure."""

    figures: Values  # 0 where a slice has none
    counts: NDArray[numpy.bool_]
    other_cpus: Values  # that other work took; NaN where that is not known

    @property
    def counting(self) -> Values:
        """The figures, NaN those of slices that do not count."""
        return numpy.where(self.counts, self.figures, math.nan)

    @property
    def present(self) -> Values:
        """The figures of all slices; NaN of one that does not count, and has none."""
        return numpy.where(self.counts | (self.figures > 0), self.figures, math.nan)


def slices_side_by_side(cell: Cell, copies: Sequence[Cell], measure: Measure) -> list[list[Values]]:
    """For each load that a cell and copies of another one shared, the slices of each.

    If the measure falls with what other work takes, and that is known, all slices count, as they
    would be without it. Else those that do not count are NaN. Empty if one that counts lacks a
    figure.
    """
    by_load = [slices_by_load(one, measure) for one in (cell, *copies)]
    loads = sorted(set.intersection(*map(set, by_load)))
    shared = [[one[load] for one in by_load] for load in loads]
    shared = [sides for sides in shared if sides[0].figures.size]
    if any(len({side.figures.size for side in sides}) > 1 for sides in shared):
        return []
    slices = list(chain.from_iterable(shared))
    if not slices or not all(one.counting.all() for one in slices):
        return []
    is_told = not any(numpy.isnan(one.other_cpus).any() for one in slices)
    if is_told and measure.falls_with_other_work:
        return undisturbed(
            [[side.present for side in sides] for sides in shared],
            [[side.other_cpus for side in sides] for sides in shared],
        )
    return [[side.counting for side in sides] for sides in shared]


@functools.lru_cache(maxsize=KEPT_MAX)
def slices_by_load(cell: Cell, measure: Measure) -> dict[str, Slices]:
    """A cell's slices by when their load began."""
    of_slice = measure.of_slice
    if of_slice is None:
        return {}
    return {
        trial.started_at: Slices(
            figures=numpy.array([of_slice(row) or 0 for row in trial.load.slices], float),
            counts=numpy.array(
                [measure.counts_disturbed or not row.disturbed for row in trial.load.slices], bool
            ),
            other_cpus=other_cpus(trial),
        )
        for trial in cell.counting(measure)
        if trial.load is not None
    }


def other_cpus(trial: Trial) -> Values:
    """What other work took of each slice.

    Not known of a load with a schedule: its generator is late where its CPU is taken, and sends the
    same later.
    """
    slices = [] if trial.load is None else trial.load.slices
    taken = [row.other_cpus_busy for row in slices]
    if trial.load is None or trial.load.load.model != "closed":
        taken = [None] * len(slices)
    return numpy.array([one if isinstance(one, float) else math.nan for one in taken], float)
