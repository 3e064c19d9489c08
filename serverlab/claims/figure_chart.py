"""A report's figure beside ours: two charts with the same axes, so that the eye compares them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import altair

from serverlab.claims.evidence import NoEvidenceError
from serverlab.notation import number
from serverlab.report.charts import PageChart, framed, value_axis
from serverlab.report.palette import looks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from serverlab.claims.evidence import Evidence
    from serverlab.claims.figure import Figure
    from serverlab.report.palette import Look
    from serverlab.report.points import Row

HEIGHT = 190
MARGIN = 1.12  # of the axis, beyond what is drawn
LEAST = "triangle-up"


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A figure as the page has it."""

    figure: Figure
    looks: list[Look]
    published: PageChart | None
    here: PageChart | None
    zeros: tuple[str, ...]  # of ours, where the axis is logarithmic and cannot show them


def drawn(figure: Figure, runs: Mapping[str, Evidence]) -> Drawn:
    """Both charts; None for one that has nothing to show."""
    published, here = published_rows(figure), rows_here(figure, runs)
    ends = domain(figure, [*published, *here])
    series = looks(figure.series)
    name = f"figure-{figure.id}".replace(" ", "-").replace(",", "").replace(".", "-")
    return Drawn(
        figure=figure,
        looks=series,
        published=page_chart(f"{name}-published", figure, series, ends, published),
        here=page_chart(f"{name}-here", figure, series, ends, here),
        zeros=tuple(
            f"{row['series']}, {row['x']}" for row in here if figure.is_log and row["y"] == 0
        ),
    )


def published_rows(figure: Figure) -> list[Row]:
    """What the report has in numbers."""
    return [
        {
            "panel": 0,
            "series": mark.series,
            "x": mark.x,
            "y": mark.y,
            "low": mark.y,
            "high": mark.y,
            "least": mark.is_least,
            "figure": f"{'more than ' if mark.is_least else ''}{number(mark.y)}",
        }
        for mark in figure.published
    ]


def rows_here(figure: Figure, runs: Mapping[str, Evidence]) -> list[Row]:
    """The medians of what was run, and how far their blocks reach."""
    found: list[Row] = []
    for point in figure.here:
        if point.excerpt.name not in runs:
            continue
        try:
            one = runs[point.excerpt.name].figure(point.side)
        except NoEvidenceError:
            continue
        value, low, high = (end / point.unit for end in (one.value, one.low, one.high))
        found.append(
            {
                "panel": 0,
                "series": point.series,
                "x": point.x,
                "y": value,
                "low": low,
                "high": high,
                "least": False,
                "figure": number(value),
            }
        )
    return found


def domain(figure: Figure, rows: Sequence[Row]) -> tuple[float, float]:
    """The ends of y for both charts."""
    ends = (row[end] for row in rows for end in ("low", "high"))
    values = [end for end in ends if isinstance(end, float | int)]
    high = max(values, default=1.0) * MARGIN
    if not figure.is_log:
        return 0.0, high
    return min((value for value in values if value > 0), default=high / 10) / MARGIN, high


def page_chart(
    name: str, figure: Figure, series: Sequence[Look], ends: tuple[float, float], rows: list[Row]
) -> PageChart | None:
    """A chart as the page's script draws it; None if it has nothing to show."""
    if not rows:
        return None
    return PageChart(name=name, chart=chart(figure, series, ends), rows=rows, scales={"linear": {}})


def chart(figure: Figure, series: Sequence[Look], ends: tuple[float, float]) -> altair.LayerChart:
    """The chart without its rows."""
    names = [look.subject for look in series]
    scale = altair.Scale(
        type="log" if figure.is_log else "linear", domain=list(ends), nice=False, clamp=True
    )
    x = altair.X(
        "x:N",
        title=figure.x,
        sort=None,
        scale=altair.Scale(domain=list(figure.xs)),
        axis=altair.Axis(labelAngle=0, grid=False, labelOverlap="greedy"),
    )
    unit = f"{figure.y}, logarithmic" if figure.is_log else figure.y
    y = altair.Y("y:Q", title=unit, scale=scale, axis=value_axis())
    colour = altair.Color(
        "series:N",
        legend=None,
        scale=altair.Scale(domain=names, range=[look.colour for look in series]),
    )
    tooltip = [altair.Tooltip(f"{field}:N") for field in ("series", "x", "figure")]
    base = altair.Chart().encode(x=x, color=colour, tooltip=tooltip)
    spread = altair.Y("low:Q", scale=scale)
    if figure.has_bars:
        beside = altair.XOffset("series:N", scale=altair.Scale(domain=names))
        floor = altair.Y2(datum=ends[0])
        return framed(
            [
                base.mark_bar(opacity=0.85).encode(y=y, y2=floor, xOffset=beside),
                base.mark_rule(strokeWidth=2, color="#444").encode(
                    y=spread, y2=altair.Y2("high:Q"), xOffset=beside, color=altair.value("#444")
                ),
            ],
            height=HEIGHT,
        )
    return framed(
        [
            base.mark_line(strokeWidth=2).encode(y=y),
            base.mark_rule(strokeWidth=1.5).encode(y=spread, y2=altair.Y2("high:Q")),
            base.transform_filter("!datum.least").mark_point(filled=True, size=60).encode(y=y),
            base.transform_filter("datum.least")
            .mark_point(filled=True, size=110, shape=LEAST)
            .encode(y=y),
        ],
        height=HEIGHT,
    )
