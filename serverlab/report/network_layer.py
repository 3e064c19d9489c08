"""What the network between the hosts carries, in the chart of goodput: a line that none can cross.

It depends on the size of the messages, and so may differ from level to level.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from typing import TYPE_CHECKING

import altair

from serverlab.analysis.wire import ceiling_per_s
from serverlab.measures import GOODPUT
from serverlab.notation import count
from serverlab.report.points import rounded

if TYPE_CHECKING:
    from serverlab.analysis.results import Results
    from serverlab.measure import Measure
    from serverlab.report.points import Row

DASH = [8, 4]
COLOUR = "#888"
REACH_MAX = 2  # times the highest figure: a ceiling far above would flatten what lies below


def ceiling(shown: Results, measure: Measure) -> list[altair.Chart]:
    """A dashed line; none in a chart of another measure, or where the network was no limit."""
    rows = ceiling_rows(shown) if measure is GOODPUT else []
    if not rows:
        return []
    base = (
        altair.Chart(altair.InlineData(values=rows))
        .transform_filter("datum.panel === panel")
        .encode(
            x=altair.X("x:Q", scale=altair.Scale()),
            y=altair.Y("value:Q", scale=altair.Scale()),
            tooltip=altair.Tooltip("carried:N", title="the network carries"),
        )
    )
    return [
        base.mark_line(strokeWidth=2, strokeDash=DASH, color=COLOUR),
        base.mark_point(filled=True, shape="stroke", size=300, color=COLOUR),
    ]


def ceiling_rows(shown: Results) -> list[Row]:
    """Of each panel and level: how many requests of its size the network carries a second."""
    if shown.run.hosts is None or shown.axes.factor is None:
        return []
    wire_bytes_per_s = shown.run.hosts.wire_bytes_per_s
    found: defaultdict[tuple[int, float], list[float]] = defaultdict(list)
    highest_per_s = 0.0
    for cell in shown.cells:
        assert cell.level is not None, "there is a factor"
        loads = [trial.load for trial in cell.trials if trial.load is not None]
        ceilings = [ceiling_per_s(load, wire_bytes_per_s) for load in loads]
        found[cell.panel, shown.axes.position(cell.level)] += [
            one for one in ceilings if one is not None
        ]
        highest_per_s = max([highest_per_s, *(load.rate.goodput_per_s for load in loads)])
    return [
        {
            "panel": panel,
            "x": x,
            "value": rounded(per_s),
            "carried": f"{count(round(per_s))} requests/s",
        }
        for (panel, x), several in sorted(found.items())
        if several and (per_s := statistics.median(several)) <= REACH_MAX * highest_per_s
    ]
