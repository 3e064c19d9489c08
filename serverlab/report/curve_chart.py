"""The chart of the requests of each connection: a staircase for each engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair

from serverlab.notation import count
from serverlab.report.charts import HEIGHT, colour, framed, opacity, scale_of, value_axis
from serverlab.report.points import rounded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from serverlab.analysis.axes import Axes
    from serverlab.analysis.request_curves import RequestCurve
    from serverlab.report.palette import Look
    from serverlab.report.points import Row

NAME = "requests-per-connection"
TITLE = "Requests per connection"


def note(curves: Sequence[RequestCurve], axes: Axes) -> str:
    """What is shown: of which connections, and of which trials."""
    sizes = sorted({len(curve.requests) for curve in curves})
    connections = " to ".join(map(count, dict.fromkeys([sizes[0], sizes[-1]])))
    level = axes.at(curves[0].cell.level)
    where = f", {level}" if level and axes.factor != "connections" else ""
    return (
        f"answered in the window, sorted; level is fair; each engine's first valid trial "
        f"of {connections} connections{where}"
    )


def chart(looks: Sequence[Look]) -> altair.LayerChart:
    """A chart without data, title and legend, as wide as its container."""
    base = altair.Chart().encode(
        x=altair.X(
            "share:Q",
            title="% of the connections",
            axis=altair.Axis(tickCount=5, grid=False),
            scale=altair.Scale(domain=[0, 100]),
        ),
        y=altair.Y(
            "requests:Q", title="requests", axis=value_axis(), scale=altair.Scale(zero=True)
        ),
        color=colour(looks),
        opacity=opacity(),
    )
    dash = altair.StrokeDash(
        "subject:N", scale=scale_of(looks, [list(look.dash) for look in looks]), legend=None
    )
    titles = {"subject": "subject", "words": TITLE.lower(), "trial": "trial"}
    tooltip = [altair.Tooltip(f"{field}:N", title=title) for field, title in titles.items()]
    return framed(
        [
            base.mark_line(strokeWidth=2, interpolate="step-before").encode(strokeDash=dash),
            base.mark_point(filled=True, size=200).encode(opacity=altair.value(0), tooltip=tooltip),
        ],
        height=HEIGHT,
    )


def rows(curves: Sequence[RequestCurve]) -> list[Row]:
    """The chart's data: a row for each step of each curve."""
    return [
        {
            "subject": curve.cell.subject,
            "panel": curve.cell.panel,
            "trial": curve.trial,
            "share": rounded(share),
            "requests": requests,
            "words": f"{share:.0f} % have at most {count(requests)}",
        }
        for curve in curves
        for share, requests in curve.steps()
    ]
