"""The charts over time: open connections, CPU and memory of the server, a line for each subject."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import altair

from serverlab.notation import amount, unit_for
from serverlab.report.charts import HEIGHT, colour, framed, opacity, scale_of, value_axis
from serverlab.report.points import rounded

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from serverlab.analysis.axes import Axes
    from serverlab.analysis.timelines import Moment, Timeline
    from serverlab.report.palette import Look
    from serverlab.report.points import Row

POINTS_MAX = 200  # of a line: more than can be told apart


@dataclass(frozen=True, slots=True, kw_only=True)
class OverTime:
    """What one chart shows of each moment."""

    name: str
    title: str
    kind: str  # of its unit, as a measure's
    of: Callable[[Moment], float | None]


CHARTS = (
    OverTime(
        name="established-over-time",
        title="Open connections",
        kind="connections",
        of=lambda moment: moment.established,
    ),
    OverTime(
        name="server-cpu-over-time",
        title="CPU of the server",
        kind="CPUs busy",
        of=lambda moment: moment.cpus_busy,
    ),
    OverTime(
        name="server-memory-over-time",
        title="Memory of the server",
        kind="memory",
        of=lambda moment: moment.rss_bytes,
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A chart with its data."""

    shows: OverTime
    chart: altair.LayerChart
    rows: list[Row]


def note(timelines: Sequence[Timeline], axes: Axes) -> str:
    """Of which trials the charts are."""
    level = axes.at(timelines[0].cell.level)
    return f"within the window; each subject's first valid trial{f' {level}' if level else ''}"


def drawn(timelines: Sequence[Timeline], looks: Sequence[Look]) -> list[Drawn]:
    """The charts that have something to show."""
    made = []
    for shows in CHARTS:
        points = [
            (line, moment.t_s, value)
            for line in timelines
            for moment, value in thinned(line, shows)
        ]
        if not points:
            continue
        unit = unit_for(shows.kind, [value for _, _, value in points])
        rows: list[Row] = [
            {
                "subject": line.cell.subject,
                "panel": line.cell.panel,
                "trial": line.trial,
                "t_s": rounded(t_s),
                "value": rounded(value / unit.size),
                "words": f"{amount(value, unit)} after {t_s:.2f} s",
            }
            for line, t_s, value in points
        ]
        made.append(Drawn(shows=shows, chart=chart(shows, unit.symbol, looks), rows=rows))
    return made


def thinned(line: Timeline, shows: OverTime) -> list[tuple[Moment, float]]:
    """The moments that have a value, evenly few enough."""
    found = [(one, value) for one in line.moments if (value := shows.of(one)) is not None]
    return found[:: -(-len(found) // POINTS_MAX)] if found else []


def chart(shows: OverTime, unit: str, looks: Sequence[Look]) -> altair.LayerChart:
    """A chart without data, title and legend, as wide as its container."""
    base = altair.Chart().encode(
        x=altair.X(
            "t_s:Q",
            title="s since the window began",
            axis=altair.Axis(tickCount=6, grid=False),
            scale=altair.Scale(zero=True),
        ),
        y=altair.Y("value:Q", title=unit, axis=value_axis(), scale=altair.Scale(zero=True)),
        color=colour(looks),
        opacity=opacity(),
    )
    dash = altair.StrokeDash(
        "subject:N", scale=scale_of(looks, [list(look.dash) for look in looks]), legend=None
    )
    titles = {"subject": "subject", "words": shows.title.lower(), "trial": "trial"}
    tooltip = [altair.Tooltip(f"{field}:N", title=title) for field, title in titles.items()]
    return framed(
        [
            base.mark_line(strokeWidth=2).encode(strokeDash=dash),
            base.mark_point(filled=True, size=200).encode(opacity=altair.value(0), tooltip=tooltip),
        ],
        height=HEIGHT,
    )
