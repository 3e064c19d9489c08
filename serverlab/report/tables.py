"""The report's tables: a row per cell, what is behind it, and the trials that do not count."""

from __future__ import annotations

import itertools
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from serverlab.analysis.cells import measures_of, where
from serverlab.analysis.standings import CRITERIA
from serverlab.measures import GROUPS
from serverlab.notation import in_unit, level_text, readable, unit_for
from serverlab.stats.spread import outliers
from serverlab.verdicts import NOT_RUN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from serverlab.analysis.axes import Axes
    from serverlab.analysis.cells import Cell
    from serverlab.measure import Measure
    from serverlab.notation import Unit

ABSENT = "–"
ORDER_DIGITS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What stands in a table: a text, a second line, and, in a column of numbers, its value."""

    text: str
    small: str = ""
    order: float | Literal[""] | None = None  # "" is a number that is not there; None is a word


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A head, each column with its unit, and rows."""

    head: tuple[tuple[str, str], ...]
    rows: tuple[tuple[Entry, ...], ...]


NO_NUMBER = Entry(text=ABSENT, order="")


def cell_table(axes: Axes, cells: Sequence[Cell]) -> Table:
    """Every cell with the median over its blocks, or, below it, the two extremes."""
    units = column_units(cells)
    measures = measures_of(cells)
    head = [*((name, "") for name in names_of_levels(axes)), ("verdict", ""), ("saturated", "")]
    head += [(measure.title, units[measure.name].symbol) for measure in measures]
    return Table(
        head=tuple(head),
        rows=tuple(
            (
                *levels(axes, cell),
                Entry(text=cell.verdict),
                Entry(text=cell.limit or ABSENT),
                *(figure_entry(cell, measure, units[measure.name]) for measure in measures),
            )
            for cell in cells
        ),
    )


def column_units(cells: Sequence[Cell]) -> dict[str, Unit]:
    """A unit for each measure; those of one group and kind are compared, so they share one."""
    units = {}
    for group in GROUPS:
        for kind in {measure.kind for measure in group.measures}:
            names = [measure.name for measure in group.measures if measure.kind == kind]
            values = [
                cell.figures[name].value for cell in cells for name in names if name in cell.figures
            ]
            units.update(dict.fromkeys(names, unit_for(kind, values)))
    return units


def names_of_levels(axes: Axes) -> list[str]:
    """The columns that say which cell a row is."""
    return [*axes.subjects.between, *([axes.factor] if axes.factor else []), *axes.panels[0].levels]


def levels(axes: Axes, cell: Cell) -> list[Entry]:
    """A cell's levels: those that are compared, x, and those of its panel."""
    panel = axes.panels[cell.panel].levels.values()
    entries = [Entry(text=level_text(cell.levels[name])) for name in axes.subjects.between]
    if axes.factor is not None and cell.level is not None:
        place = axes.levels.index(cell.level) if cell.level in axes.levels else len(axes.levels)
        entries.append(Entry(text=level_text(cell.level), order=place))
    return entries + [Entry(text=level_text(level)) for level in panel]


def number_entry(text: str, value: float, small: str = "") -> Entry:
    """A number, sorted by as many of its digits as matter."""
    return Entry(text=text, small=small, order=float(f"{value:.{ORDER_DIGITS}g}"))


def figure_entry(cell: Cell, measure: Measure, unit: Unit) -> Entry:
    """A measure of a cell; the spread only where there is more than one block."""
    figure = cell.figures.get(measure.name)
    if figure is None:
        return NO_NUMBER
    value, low, high = (in_unit(one, unit) for one in (figure.value, figure.low, figure.high))
    spread = f"{low} to {high}" if len(figure.by_block) > 1 and low != high else ""
    return number_entry(value, figure.value, spread)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """Trials of one cell that ended with the same verdict for the same reason."""

    trials: tuple[str, ...]
    subject: str
    where: str
    verdict: str
    reason: str


def rejections(axes: Axes, cells: Sequence[Cell]) -> tuple[list[Rejection], list[Rejection]]:
    """The trials that are not valid, and those that this machine cannot run."""
    invalid: list[Rejection] = []
    unsupported: list[Rejection] = []
    for cell in cells:
        grouped: dict[tuple[str, str], list[str]] = defaultdict(list)
        for trial in cell.trials:
            if not trial.is_valid:
                grouped[trial.verdict.name, trial.verdict.reason].append(trial.trial)
        for (verdict, reason), trials in grouped.items():
            (unsupported if verdict in NOT_RUN else invalid).append(
                Rejection(
                    trials=tuple(trials),
                    subject=cell.subject,
                    where=where(axes, cell),
                    verdict=verdict,
                    reason=reason,
                )
            )
    return invalid, unsupported


def flags(axes: Axes, cells: Sequence[Cell]) -> list[str]:
    """Blocks that stand far apart from the others of their cell, and count all the same."""
    said = []
    for cell, criterion in itertools.product(cells, CRITERIA):
        figure = cell.figures.get(criterion.measure.name)
        if figure is None:
            continue
        whose = " ".join(filter(None, (f"`{cell.subject}`", where(axes, cell))))
        blocks = list(figure.by_block)
        for apart in outliers(list(figure.by_block.values())):
            value, usual = (
                readable(one, criterion.measure.kind)
                for one in (figure.by_block[blocks[apart]], figure.value)
            )
            said.append(
                f"Block {blocks[apart]} of {whose}: {criterion.noun} {value}, where the cell has "
                f"{usual}."
            )
    return said
