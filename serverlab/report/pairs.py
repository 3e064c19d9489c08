"""Two cells side by side: what they have in the same blocks, or in the same slices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serverlab.stats.paired import pairing, sliced_pairing

if TYPE_CHECKING:
    from serverlab.report.cells import Cell
    from serverlab.report.measures import Measure
    from serverlab.stats.paired import Pairing, Ratio


def compare(cell: Cell, other: Cell, measure: Measure) -> Ratio | None:
    """The ratio of two cells over the blocks that both have; None if there is none."""
    pair = paired(cell, other, measure)
    return None if pair is None else pair.ratio()


def paired(cell: Cell, other: Cell, measure: Measure) -> Pairing | None:
    """The two over the blocks that both have; None if there is none.

    By their slices, where they took turns and the measure has a meaning in so short a time.
    """
    if sliced := slices_in_pairs(cell, other, measure):
        return sliced_pairing(sliced)
    a, b = cell.figures[measure.name].by_block, other.figures[measure.name].by_block
    blocks = sorted(a.keys() & b.keys())
    if not blocks:
        return None
    return pairing([a[block] for block in blocks], [b[block] for block in blocks])


def slices_in_pairs(
    cell: Cell, other: Cell, measure: Measure
) -> list[tuple[list[float], list[float]]]:
    """For each load that the two shared, their slices side by side; empty if one lacks a figure."""
    of_slice = measure.of_slice
    if of_slice is None:
        return []
    loads = {trial.started_at: trial.load for trial in other.valid if trial.load is not None}
    found = []
    for trial in cell.valid:
        if trial.load is None or trial.started_at not in loads:
            continue
        values = [
            [of_slice(row) or 0 for row in load.slices]
            for load in (trial.load, loads[trial.started_at])
        ]
        if len(values[0]) != len(values[1]) or not all(map(all, values)):
            return []
        if values[0]:
            found.append((values[0], values[1]))
    return found


def has_figure(cell: Cell, measure: Measure) -> bool:
    """Whether it can be part of a ratio."""
    figure = cell.figures.get(measure.name)
    return figure is not None and figure.low > 0
