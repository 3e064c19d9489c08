"""Who leads at one level of x, by one criterion: the engines that no other one beats.

One engine beats another if the interval of their paired ratio excludes 1, and if they differ by
more than the baseline and its A/A twin do at the same level. So leaders cannot be told apart, and
they are never ranked among themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.report.measures import GOODPUT, P99, SERVER_CPU
from serverlab.stats.paired import Ratio, paired_ratio, sliced_ratio

if TYPE_CHECKING:
    from collections.abc import Sequence

    from serverlab.report.cells import Cell
    from serverlab.report.measures import Measure


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """A measure by which engines are compared, and how one speaks of it."""

    measure: Measure
    noun: str
    superlative: str
    more_is_better: bool


BY_GOODPUT = Criterion(
    measure=GOODPUT, noun="goodput", superlative="the highest goodput", more_is_better=True
)
BY_SERVER_CPU = Criterion(
    measure=SERVER_CPU,
    noun="server CPU per request",
    superlative="the lowest server CPU per request",
    more_is_better=False,
)
BY_P99 = Criterion(
    measure=P99, noun="p99 latency", superlative="the lowest p99 latency", more_is_better=False
)
CRITERIA = (BY_GOODPUT, BY_SERVER_CPU, BY_P99)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The engines of one level, by one criterion."""

    criterion: Criterion
    leaders: tuple[Cell, ...]  # in the plan's order: they are not ranked among themselves
    others: tuple[Cell, ...]
    absent: int  # engines without a valid figure
    baseline: Cell | None  # None if it has no valid trial
    floor: float  # differences up to this factor are the ruler's own; 1 if that is not known

    def ratio(self, cell: Cell, other: Cell) -> Ratio | None:
        """How two of its cells compare, over the blocks that both have."""
        return compare(cell, other, self.criterion.measure)


def standing(
    cells: Sequence[Cell], criterion: Criterion, baseline: str | None, twin: str | None
) -> Standing:
    """Compare the cells of one level; those without a valid figure are left out."""
    measure = criterion.measure
    measured = [cell for cell in cells if has_figure(cell, measure)]
    by_engine = {cell.engine: cell for cell in measured}
    base = by_engine.get(baseline) if baseline is not None else None
    floor = noise_floor(by_engine.get(twin) if twin is not None else None, base, measure)
    contenders = [cell for cell in measured if cell.engine != twin]
    unbeaten = [
        cell
        for cell in contenders
        if not any(beats(other, cell, criterion, floor) for other in contenders)
    ]
    leaders = unbeaten or contenders  # each may beat another where no two share all their blocks
    return Standing(
        criterion=criterion,
        leaders=tuple(leaders),
        others=tuple(cell for cell in contenders if cell not in leaders),
        absent=sum(cell.engine != twin and cell not in contenders for cell in cells),
        baseline=base,
        floor=floor,
    )


def has_figure(cell: Cell, measure: Measure) -> bool:
    """Whether it can be part of a ratio."""
    figure = cell.figures.get(measure.name)
    return figure is not None and figure.low > 0


def beats(cell: Cell, other: Cell, criterion: Criterion, floor: float) -> bool:
    """Whether it is better beyond doubt; without a common block nothing is."""
    ratio = None if cell is other else compare(cell, other, criterion.measure)
    if ratio is None or not ratio.is_distinguishable or ratio.distance <= floor:
        return False
    return (ratio.estimate > 1) == criterion.more_is_better


def compare(cell: Cell, other: Cell, measure: Measure) -> Ratio | None:
    """The ratio of two cells over the blocks that both have; None if there is none.

    By their slices, where they took turns and the measure has a meaning in so short a time.
    """
    if sliced := slices_in_pairs(cell, other, measure):
        return sliced_ratio(sliced)
    a, b = cell.figures[measure.name].by_block, other.figures[measure.name].by_block
    blocks = sorted(a.keys() & b.keys())
    if not blocks:
        return None
    return paired_ratio([a[block] for block in blocks], [b[block] for block in blocks])


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


def noise_floor(twin: Cell | None, baseline: Cell | None, measure: Measure) -> float:
    """The farthest that the A/A pair's interval is from 1; 1 without such a pair."""
    if twin is None or baseline is None:
        return 1.0
    ratio = compare(twin, baseline, measure)
    return 1.0 if ratio is None else ratio.departure
