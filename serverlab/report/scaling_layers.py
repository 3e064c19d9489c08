"""The fitted laws in the chart of goodput: dashed, since they are predictions, with their peaks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair

from serverlab.measures import GOODPUT
from serverlab.report.charts import colour, opacity
from serverlab.report.palette import looks
from serverlab.report.points import rounded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from serverlab.analysis.results import Results
    from serverlab.analysis.scaling import Scaling
    from serverlab.measure import Measure
    from serverlab.report.points import Row
    from serverlab.stats.usl import Law

DASH = [2, 4]
PEAK = "M-1,0H1M0,-1V1"
REACH_MAX = 2  # times the highest level: no prediction is drawn beyond
STEPS = 40  # of a drawn law


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
            color=colour(looks(shown.subjects)),
            opacity=opacity(),
        )
    )
    return [
        base.mark_line(strokeWidth=1.3, strokeDash=DASH).encode(detail="subject:N"),
        base.transform_filter("datum.peak").mark_point(
            filled=False, shape=PEAK, size=160, strokeWidth=1.3
        ),
    ]


def drawn_rows(found: Sequence[Scaling]) -> list[Row]:
    """The laws of the charts, as points of lines; a peak that lies on its line is marked."""
    return [
        {
            "subject": one.subject,
            "panel": one.panel,
            "x": rounded(place),
            "value": rounded(one.law.at(place)),
            "peak": place == one.law.peak,
        }
        for one in found
        if one.law is not None and one.panel is not None
        for place in drawn_places(one, one.law)
    ]


def drawn_places(one: Scaling, law: Law) -> list[float]:
    """From the lowest level to the highest, or to a predicted peak that is not much farther."""
    shows_peak = one.lowest <= law.peak <= REACH_MAX * one.highest
    end = max(one.highest, law.peak) if shows_peak else one.highest
    steps = {one.lowest * (end / one.lowest) ** (step / STEPS) for step in range(STEPS + 1)}
    return sorted(steps | ({law.peak} if shows_peak else set()))
