"""A chart of each measure and level: the ratios to the baseline, run by run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair

from serverlab.report.answer import ratio_cell
from serverlab.report.charts import PageChart, colour, framed, opacity, scale_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from serverlab.report.palette import Look
    from serverlab.report.points import Row
    from serverlab.runs.history import Series

HEIGHT = 200
EVEN = "#8a8a8a"  # the line at which subject and baseline are equal


def history_chart(name: str, shown: Sequence[Series], looks: Sequence[Look]) -> PageChart:
    """The series of one measure at one level, a line for each subject."""
    runs = {point.run.folder: point.run for one in shown for point in one.points}
    by_time = sorted(runs.values(), key=lambda run: (run.planned_at, run.folder))
    return PageChart(
        name=name,
        chart=chart([run.folder.name for run in by_time], looks),
        rows=[row for one in shown for row in rows(one)],
        scales={"linear": {}},
    )


def rows(shown: Series) -> list[Row]:
    """What is drawn of a series: a point a run."""
    return [
        {
            "subject": shown.subject,
            "run": point.run.folder.name,
            "when": f"{point.run.when} UTC",
            "low": point.found.low,
            "value": point.found.ratio,
            "high": point.found.high,
            "ratio": ratio_cell(point.found),
            "changed": point.changed,
        }
        for point in shown.points
    ]


def chart(order: Sequence[str], looks: Sequence[Look]) -> altair.LayerChart:
    """The chart without its rows; `order` has the runs' names, the oldest first."""
    x = altair.X(
        "run:N",
        title=None,
        scale=altair.Scale(domain=list(order)),
        axis=altair.Axis(labelAngle=0, labelOverlap="greedy", labelLimit=130, grid=False),
    )
    beside = altair.XOffset("subject:N", scale=altair.Scale(domain=[one.subject for one in looks]))
    low, value = (
        altair.Y(f"{field}:Q", title=None, scale=altair.Scale(type="log", nice=False, padding=10))
        for field in ("low", "value")
    )
    shape = altair.Shape(
        "subject:N", scale=scale_of(looks, [look.symbol for look in looks]), legend=None
    )
    base = altair.Chart().encode(
        x=x,
        xOffset=beside,
        color=colour(looks),
        opacity=opacity(),
        tooltip=[altair.Tooltip(f"{field}:N") for field in ("subject", "ratio", "run", "when")],
    )
    one = altair.Chart(altair.InlineData(values=[{"low": 1}]))
    return framed(
        [
            one.mark_rule(strokeDash=[3, 3], color=EVEN).encode(y=low),
            base.transform_filter("isValid(datum.low) && isValid(datum.high)")
            .mark_rule(strokeWidth=2)
            .encode(y=low, y2=altair.Y2("high:Q")),
            base.mark_line(strokeWidth=1).encode(y=value),
            base.mark_point(filled=True, size=80).encode(y=value, shape=shape),
            base.transform_filter("datum.changed")
            .mark_point(filled=False, size=380, strokeWidth=2, shape="circle")
            .encode(y=value),
        ],
        height=HEIGHT,
        by_panel=False,
    )
