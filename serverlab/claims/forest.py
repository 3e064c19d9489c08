"""The chart of a test: each ratio with its interval, beside where the claim would have it.

A row's label stands above it, so that the chart is as readable on a phone.
"""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING

import altair

from serverlab.claims.answer import Answer
from serverlab.claims.words import interval_text
from serverlab.notation import ratio_text
from serverlab.report.charts import PageChart, framed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from serverlab.claims.finding import Effect
    from serverlab.claims.region import Region
    from serverlab.report.points import Row

ROW_HEIGHT = 31  # without its label
LINE_HEIGHT = 14
LABEL_ABOVE = 12  # of the row's middle, in points: the foot of its last line
LABEL_CHARACTERS = 46  # of a line: as wide as a phone's screen
FARTHEST = 100.0  # no axis goes beyond this factor
MARGIN = 1.15
COLOURS = {
    Answer.YES: "#009e73",
    Answer.NO: "#d55e00",
    Answer.UNDECIDED: "#8a8a8a",
}
REGION = "#56b4e9"


def forest(name: str, effects: Sequence[Effect]) -> PageChart | None:
    """A chart as the page's script draws it; None if no ratio is known."""
    known = [effect for effect in effects if effect.ratio is not None]
    if not known:
        return None
    ends, lines = domain(known), max(len(label_lines(one)) for one in known)
    return PageChart(
        name=name,
        chart=chart(ends, len(known), lines),
        rows=[
            {**row, "lines": ["\u200b"] * (lines - len(label_lines(one))) + label_lines(one)}
            for number, one in enumerate(known)
            for row in rows(one, number, ends)
        ],
        scales={"linear": {}},
    )


def label_lines(effect: Effect) -> list[str]:
    """What is compared, in lines that a phone can show."""
    return textwrap.wrap(effect.label.replace("`", ""), LABEL_CHARACTERS, break_on_hyphens=False)


def domain(effects: Sequence[Effect]) -> tuple[float, float]:
    """The ends of the axis: all that is drawn, and 1."""
    drawn = [1.0]
    for effect in effects:
        assert effect.ratio is not None, "only what is known is drawn"
        assert effect.jointly is not None, "where the one is known, so is the other"
        shown = [effect.jointly.low, effect.ratio.estimate, effect.jointly.high]
        shown += [effect.published or 1, effect.region.low, effect.region.high]
        drawn += [value for value in shown if 1 / FARTHEST <= value <= FARTHEST]
    return min(drawn) / MARGIN, max(drawn) * MARGIN


def rows(effect: Effect, number: int, ends: tuple[float, float]) -> list[Row]:
    """What is drawn in a row: the region, and the ratio with its interval on top."""
    assert effect.ratio is not None, "only what is known is drawn"
    assert effect.jointly is not None, "where the one is known, so is the other"
    ratio, joint, label = effect.ratio, effect.jointly, effect.label.replace("`", "")
    shared: Row = {"panel": 0, "row": number, "label": label}
    regions: list[Row] = [
        {**shared, "kind": "region", "low": low, "high": high}
        for low, high in shaded(effect.region, ends)
    ]
    found: Row = {
        **shared,
        "kind": "ratio",
        "low": clamped(ratio.low, ends),
        "value": clamped(ratio.estimate, ends),
        "high": clamped(ratio.high, ends),
        "joint_low": clamped(joint.low, ends),
        "joint_high": clamped(joint.high, ends),
        "published": effect.published,
        "answer": str(effect.answer),
        "here": f"{ratio_text(ratio.estimate)} {interval_text(ratio)}",
        "report": "–" if effect.published is None else ratio_text(effect.published),
        "needs": effect.region.words,
        "figures": effect.figures.replace("`", ""),
    }
    return [*regions, found]


def shaded(region: Region, ends: tuple[float, float]) -> list[tuple[float, float]]:
    """The parts of the axis in which a claim would be true."""
    low, high = clamped(region.low, ends), clamped(region.high, ends)
    if region.is_outside:
        return [(ends[0], low), (high, ends[1])]
    return [(low, high)]


def clamped(value: float, ends: tuple[float, float]) -> float:
    """The place on the axis that is nearest to a value."""
    return ends[0] if math.isnan(value) else min(max(value, ends[0]), ends[1])


def chart(ends: tuple[float, float], count: int, lines: int) -> altair.LayerChart:
    """The chart without its rows."""
    scale = altair.Scale(type="log", domain=list(ends), nice=False)
    axis = altair.Axis(format="~g", tickCount=5, labelOverlap="greedy")
    y = altair.Y("row:O", axis=None, scale=altair.Scale(domain=list(range(count))))
    low, joint_low, value, published = (
        altair.X(f"{field}:Q", scale=scale, axis=axis, title="ratio")
        for field in ("low", "joint_low", "value", "published")
    )
    colour = altair.Color(
        "answer:N",
        legend=None,
        scale=altair.Scale(domain=[str(one) for one in COLOURS], range=list(COLOURS.values())),
    )
    titles = ("label", "here", "report", "needs", "figures", "answer")
    ratios = altair.Chart().transform_filter("datum.kind === 'ratio'").encode(
        y=y, tooltip=[altair.Tooltip(f"{field}:N") for field in titles]
    )  # fmt: skip
    regions = altair.Chart().transform_filter("datum.kind === 'region'").encode(y=y)
    one = altair.Chart(altair.InlineData(values=[{"panel": 0, "low": 1}]))
    return framed(
        [
            regions.mark_bar(color=REGION, opacity=0.22, height=12).encode(
                x=low, x2=altair.X2("high:Q")
            ),
            one.mark_rule(strokeDash=[3, 3], color="#888").encode(x=low),
            ratios.mark_rule(strokeWidth=1).encode(x=joint_low, x2="joint_high:Q", color=colour),
            ratios.mark_rule(strokeWidth=3.5).encode(x=low, x2=altair.X2("high:Q"), color=colour),
            ratios.mark_point(filled=True, size=90, opacity=1).encode(x=value, color=colour),
            ratios.transform_filter("isValid(datum.published)")
            .mark_point(filled=False, shape="diamond", size=110, strokeWidth=2, color="#888")
            .encode(x=published),
            ratios.mark_text(
                align="left",
                baseline="bottom",
                dy=-LABEL_ABOVE - (lines - 1) * LINE_HEIGHT,
                lineHeight=LINE_HEIGHT,
                fontSize=12,
            ).encode(x=altair.value(0), text=altair.Text("lines:N")),
        ],
        height=(ROW_HEIGHT + lines * LINE_HEIGHT) * count,
    )
