"""Two cells side by side: what they have in the same blocks, or in the same slices."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from serverlab.analysis.side_by_side import slices_side_by_side
from serverlab.stats.paired import pairing, sliced_pairing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from serverlab.analysis.cells import Cell
    from serverlab.measure import Measure
    from serverlab.stats.paired import Pairing, Ratio


def compare(cell: Cell, other: Cell, measure: Measure) -> Ratio | None:
    """The ratio of two cells over the blocks that both have; None if there is none."""
    pair = paired(cell, other, measure)
    return None if pair is None else pair.ratio()


def paired(cell: Cell, other: Cell, measure: Measure, again: Cell | None = None) -> Pairing | None:
    """The two over the blocks that both have; None if there is none.

    By their slices, where they took turns and the measure has a meaning in so short a time. `again`
    is the other one once more: the mean of both is then what the first is compared with, if
    `again` was measured wherever the two were.
    """
    alone = compared_with(cell, (other,), measure)
    if again is None or alone is None:
        return alone
    both = compared_with(cell, (other, again), measure)
    return both if both is not None and len(both.logs) == len(alone.logs) else alone


def compared_with(cell: Cell, copies: Sequence[Cell], measure: Measure) -> Pairing | None:
    """A cell and copies of another one over the blocks that all have; None if there is none."""
    sliced = in_turns(cell, copies, measure)
    if sliced is not None:
        return sliced
    cells = (cell, *copies)
    pair = over_blocks([one.figures[measure.name].by_block for one in cells])
    if pair is None or measure.from_send is None or not any(map(has_late_trial, cells)):
        return pair
    return replace(pair, again=over_blocks([from_send(one, measure) for one in cells]))


def over_blocks(values: Sequence[Mapping[int, float]]) -> Pairing | None:
    """Values of each side by block, over the blocks that all have; None if there is none."""
    blocks = sorted(set.intersection(*map(set, values)))
    return pairing(*([one[block] for block in blocks] for one in values)) if blocks else None


def has_late_trial(cell: Cell) -> bool:
    """Whether the generator was late, so that latencies hold its lateness, too."""
    return any(trial.is_late_in_slices for trial in cell.trials)


def from_send(cell: Cell, measure: Measure) -> dict[int, float]:
    """A latency in each block from the actual send on: without the generator's lateness."""
    assert measure.from_send is not None
    values = {trial.block: measure.from_send(trial) for trial in cell.counting(measure)}
    return {block: value for block, value in values.items() if value}


def in_turns(cell: Cell, copies: Sequence[Cell], measure: Measure) -> Pairing | None:
    """The same by the slices of their loads; None if they took no turns, or have no such figure."""
    sliced = slices_side_by_side(cell, copies, measure)
    return sliced_pairing(sliced) if sliced else None


def has_figure(cell: Cell, measure: Measure) -> bool:
    """Whether it can be part of a ratio."""
    figure = cell.figures.get(measure.name)
    return figure is not None and figure.low > 0
