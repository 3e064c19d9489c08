"""What a chart draws: a row for each cell, with the words for its tooltip.

A row has two halves. The page holds the cells' half once, for all charts, and joins them itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.notation import amount, in_unit, unit_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from serverlab.analysis.axes import Axes
    from serverlab.analysis.cells import Cell, Figure
    from serverlab.measure import Measure
    from serverlab.notation import Unit

Row = dict[str, str | float | bool | list[str] | None]  # of a chart's data, or of a table

DRAWN_DIGITS = 5  # more than a screen has pixels


@dataclass(frozen=True, slots=True, kw_only=True)
class Points:
    """A measure of all cells, ready to be drawn."""

    measure: Measure
    unit: Unit
    figures: list[Row | None]  # a place for each cell, None where it has no figure


def points(measure: Measure, cells: Sequence[Cell]) -> Points:
    """What a measure adds to the cells, in one unit for all."""
    figures = [shown(cell, measure) for cell in cells]
    unit = unit_for(measure.kind, [figure.value for figure in figures if figure is not None])
    fields = [None if figure is None else figure_fields(figure, unit) for figure in figures]
    return Points(measure=measure, unit=unit, figures=fields)


def rows(drawn: Points, axes: Axes, cells: Sequence[Cell]) -> list[Row]:
    """Cells and figures together: the data of a chart that stands alone."""
    return [
        {**cell_fields(cell, axes), **(figure or {})}
        for cell, figure in zip(cells, drawn.figures, strict=True)
    ]


def shown(cell: Cell, measure: Measure) -> Figure | None:
    """The figure of the trials that count; where none is valid, what they gave, as rejected."""
    return cell.figures.get(measure.name) or cell.rejected.get(measure.name)


def cell_fields(cell: Cell, axes: Axes) -> Row:
    """What all charts say of a cell."""
    fields: Row = {
        "subject": cell.subject,
        "panel": cell.panel,
        "valid": bool(cell.figures),
        "verdict": f"{cell.verdict}: {cell.reason}" if cell.reason else cell.verdict,
    }
    if cell.level is not None:
        fields |= {"x": axes.position(cell.level), "where": axes.at(cell.level)}
    return fields


def figure_fields(figure: Figure, unit: Unit) -> Row:
    """What one chart adds: where to draw, and the words for the tooltip."""
    blocks = len(figure.by_block)
    ends = f"{in_unit(figure.low, unit)} to {in_unit(figure.high, unit)}"
    return {
        "value": rounded(figure.value / unit.size),
        "low": rounded(figure.low / unit.size),
        "high": rounded(figure.high / unit.size),
        "amount": amount(figure.value, unit),
        "spread": f"{ends} in {blocks} blocks" if blocks > 1 else "1 block",
    }


def rounded(value: float) -> float:
    """To as many digits as can be seen, so that the page stays small."""
    return float(f"{value:.{DRAWN_DIGITS}g}")
