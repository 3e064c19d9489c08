"""The fitted laws in the chart of goodput: dashed, since they are predictions, with their peaks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair

from serverlab.report.charts import colour, opacity
from serverlab.analysis.measures import GOODPUT
from serverlab.report.scaling_table import drawn_rows

if TYPE_CHECKING:
    from serverlab.analysis.measures import Measure
    from serverlab.analysis.results import Results

DASH = [2, 4]
PEAK = "M-1,0H1M0,-1V1"


def predictions(shown: Results, measure: Measure) -> list[altair.Chart]:
    """A dashed line for each law, and a cross of thin lines at its peak; in one chart alone."""
    rows = drawn_rows(shown.scalings) if measure is GOODPUT else []
    if not rows:
        return []
    base = (
        altair.Chart(altair.InlineData(values=rows))
        .transform_filter("datum.panel === panel")
        .encode(
            x=altair.X("x:Q", scale=altair.Scale()),
            y=altair.Y("value:Q", scale=altair.Scale()),
            color=colour(shown.looks),
            opacity=opacity(),
        )
    )
    return [
        base.mark_line(strokeWidth=1.3, strokeDash=DASH).encode(detail="engine:N"),
        base.transform_filter("datum.peak").mark_point(
            filled=False, shape=PEAK, size=160, strokeWidth=1.3
        ),
    ]
