"""The charts of the requests of each connection: sorted, and in the order of connecting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import altair

from serverlab.analysis.request_curves import RequestCurve
from serverlab.notation import count
from serverlab.report.charts import HEIGHT, colour, framed, opacity, scale_of, value_axis
from serverlab.report.points import rounded

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from serverlab.analysis.axes import Axes
    from serverlab.report.palette import Look
    from serverlab.report.points import Row

Steps = list[tuple[float, int]] | list[tuple[float, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveKind:
    """One of the charts."""

    name: str
    title: str
    order: str  # of the connections, in words
    x_title: str
    interpolate: Literal["step-before", "linear"]
    steps: Callable[[RequestCurve], Steps]
    words: str  # of a step, by its share of the connections and its requests


SORTED = CurveKind(
    name="requests-per-connection",
    title="Requests per connection",
    order="sorted",
    x_title="% of the connections",
    interpolate="step-before",
    steps=RequestCurve.steps,
    words="{share:.0f} % have at most {requests}",
)
BY_CONNECTING = CurveKind(
    name="requests-by-connecting",
    title="Requests in the order of connecting",
    order="the first connected first, the mean of neighbours",
    x_title="% of the connections, in the order of connecting",
    interpolate="linear",
    steps=RequestCurve.in_order,
    words="{requests} after {share:.0f} % of the connections",
)
KINDS = (SORTED, BY_CONNECTING)


def note(kind: CurveKind, curves: Sequence[RequestCurve], axes: Axes) -> str:
    """What is shown: of which connections, and of which trials."""
    sizes = sorted({len(curve.requests) for curve in curves})
    connections = " to ".join(map(count, dict.fromkeys([sizes[0], sizes[-1]])))
    level = axes.at(curves[0].cell.level)
    where = f", {level}" if level and axes.factor != "connections" else ""
    return (
        f"answered in the window, {kind.order}; level is fair; each engine's first valid trial "
        f"of {connections} connections{where}"
    )


def chart(kind: CurveKind, looks: Sequence[Look]) -> altair.LayerChart:
    """A chart without data, title and legend, as wide as its container."""
    base = altair.Chart().encode(
        x=altair.X(
            "share:Q",
            title=kind.x_title,
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
    titles = {"subject": "subject", "words": kind.title.lower(), "trial": "trial"}
    tooltip = [altair.Tooltip(f"{field}:N", title=title) for field, title in titles.items()]
    return framed(
        [
            base.mark_line(strokeWidth=2, interpolate=kind.interpolate).encode(strokeDash=dash),
            base.mark_point(filled=True, size=200).encode(opacity=altair.value(0), tooltip=tooltip),
        ],
        height=HEIGHT,
    )


def rows(kind: CurveKind, curves: Sequence[RequestCurve]) -> list[Row]:
    """The chart's data: a row for each step of each curve."""
    return [
        {
            "subject": curve.cell.subject,
            "panel": curve.cell.panel,
            "trial": curve.trial,
            "share": rounded(share),
            "requests": rounded(requests),
            "words": kind.words.format(share=share, requests=count(round(requests))),
        }
        for curve in curves
        for share, requests in kind.steps(curve)
    ]
