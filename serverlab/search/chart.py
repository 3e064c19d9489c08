"""The chart of a search: percentiles of the latency over the rate, bounds, rates, the knee."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair

from serverlab.notation import count, readable
from serverlab.report.charts import FAINT, HEIGHT, colour, framed, opacity, scale_of, value_axis
from serverlab.report.palette import looks
from serverlab.report.points import rounded

if TYPE_CHECKING:
    from serverlab.report.palette import Look
    from serverlab.report.points import Row
    from serverlab.search.answer import Result

NAME = "latency"
NS_PER_MS = 1e6
PERCENTILES = {"p50": "p50_ns", "p99": "p99_ns", "p99.9": "p99_9_ns"}
NOTE_SIZE = 12
KINDS = ("point", "bound", "rate")  # of rows: measured, bounds of goals, rates that were found


def percentile_looks() -> list[Look]:
    """A look for each percentile."""
    return looks(list(PERCENTILES))


def chart() -> altair.LayerChart:
    """A chart without data, as wide as its container; milliseconds are logarithmic."""
    x = altair.X("rate:Q", title="requests/s offered", axis=value_axis(), scale=altair.Scale())
    y = altair.Y(
        "latency:Q", title="ms", axis=value_axis(), scale=altair.Scale(type="log", nice=True)
    )
    of_kind = {kind: altair.Chart().transform_filter(f"datum.kind === '{kind}'") for kind in KINDS}
    shape = altair.Shape(
        "subject:N",
        scale=scale_of(percentile_looks(), [look.symbol for look in percentile_looks()]),
        legend=None,
    )
    titles = {"subject": "percentile", "words": "latency", "where": "offered", "verdict": "verdict"}
    tooltip = [altair.Tooltip(f"{field}:N", title=title) for field, title in titles.items()]
    measured = of_kind["point"].encode(
        x=x, y=y, color=colour(percentile_looks()), opacity=opacity()
    )
    return framed(
        [
            of_kind["bound"].mark_rule(strokeDash=[6, 4], color=FAINT, strokeWidth=1.5).encode(y=y),
            of_kind["bound"]
            .mark_text(align="left", dx=4, dy=-7, fontSize=NOTE_SIZE)
            .encode(y=y, x=altair.value(0), text=altair.Text("words:N")),
            of_kind["rate"].mark_rule(strokeDash=[6, 4], color=FAINT, strokeWidth=1.5).encode(x=x),
            of_kind["rate"]
            .mark_text(baseline="bottom", dy=-4, fontSize=NOTE_SIZE)
            .encode(x=x, y=altair.value(0), text=altair.Text("words:N")),
            measured.mark_line(strokeWidth=2),
            measured.mark_point(filled=True, size=90).encode(shape=shape, tooltip=tooltip),
        ],
        height=HEIGHT + 60,
    )


def rows(shown: Result) -> list[Row]:
    """The chart's data: points of each percentile, the bounds, the rates that were found."""
    made: list[Row] = [
        {
            "kind": "point",
            "subject": percentile,
            "rate": rounded(point.offered_per_s),
            "latency": rounded(value_ns / NS_PER_MS),
            "words": readable(value_ns, "time"),
            "where": f"{count(round(point.offered_per_s))}/s",
            "verdict": f"{point.verdict}: {point.reason}" if point.reason else point.verdict,
        }
        for percentile, field in PERCENTILES.items()
        for point in shown.points
        if (value_ns := getattr(point, field)) is not None
    ]
    bounds = {
        (bound.percentile, bound.limit_ns) for goal in shown.asked.goals for bound in goal.bounds
    }
    made += [
        {
            "kind": "bound",
            "latency": rounded(limit_ns / NS_PER_MS),
            "words": f"{percentile} ≤ {readable(limit_ns, 'time')}",
        }
        for percentile, limit_ns in sorted(bounds)
    ]
    made += [
        {"kind": "rate", "rate": rounded(highest), "words": f"{count(highest)}/s"}
        for highest in {answer.highest_per_s for answer in shown.answers}
        if highest is not None
    ]
    return [{"panel": 0, **row} for row in made]
