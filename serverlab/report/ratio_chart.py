"""The picture of the answer: each subject's ratio to the baseline, with its interval, by level.

A chart a level, a row a subject, the best one on top. What is better or worse differs in its shape
from what is not distinguishable, so that the chart reads without its colours.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import altair

from serverlab.analysis.comparisons import HIGHER, LOWER, NOT_DISTINGUISHABLE
from serverlab.analysis.stages import stages_of
from serverlab.notation import ratio_text
from serverlab.report.answer import by_middle, compared_at, ratio_cell, title
from serverlab.report.charts import SCALE_MODES, PageChart, framed
from serverlab.report.sentences import capitalised

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from serverlab.analysis.axes import Axes
    from serverlab.analysis.comparisons import Comparison
    from serverlab.analysis.results import Results
    from serverlab.analysis.stages import Stage
    from serverlab.analysis.standings import Criterion
    from serverlab.report.points import Row

ROW_HEIGHT = 30
LABEL_LIMIT = 320  # points
FIGURE_ABOVE = 9  # of the row's middle, in points
TICKS = (0.05, 0.1, 0.2, 0.5, 0.8, 0.9, 1, 1.1, 1.25, 2, 5, 10, 20)
LABELS_MAX = 8  # of an axis, one beside the other
FARTHEST = 20.0  # no axis goes beyond this factor
MARGIN = 1.12
FLOOR = "#8a8a8a"
# By Okabe and Ito, and a shape for each.
LOOKS = {
    "better": ("#0072b2", "circle"),
    "worse": ("#d55e00", "diamond"),
    "alike": ("#8a8a8a", "circle"),  # the only one that is hollow
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelChart:
    """The chart of one level."""

    heading: str
    title: str  # what the ratios are of
    drawn: PageChart


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelRatios:
    """The ratios of one panel at one level."""

    label: str
    stage: Stage
    found: list[Comparison]


def ratio_charts(shown: Results) -> list[LevelChart]:
    """A chart for each level that the answer speaks of; none if nothing is compared.

    Panels of different load models are decided by different measures: each has charts of its own.
    """
    compared = shown.compared
    panels = compared.axes.panels
    stages = [
        (panel, one)
        for place, panel in enumerate(panels)
        for one in stages_of(shown.run.plan, compared, place)
    ]
    levels = sorted({one.level for _, one in stages}, key=compared.axes.place)
    made: list[LevelChart] = []
    for criterion in dict.fromkeys(one.decisive for _, one in stages):
        by_level = [
            [
                PanelRatios(label=panel.short, stage=one, found=compared_at(one, criterion))
                for panel, one in stages
                if one.level == level and one.decisive == criterion
            ]
            for level in levels
        ]
        compared_levels = [level for level in by_level if any(panel.found for panel in level)]
        made += charts_of(compared.axes, criterion, compared_levels, made)
    return made


def charts_of(
    axes: Axes,
    criterion: Criterion,
    by_level: Sequence[list[PanelRatios]],
    before: Sequence[LevelChart],
) -> Iterator[LevelChart]:
    """The charts of one measure, all on the same axis; their numbers follow those `before`."""
    if len({panel.label for level in by_level for panel in level}) == 1:
        by_level = [[replace(panel, label="") for panel in level] for level in by_level]
    everything = [made for level in by_level for panel in level for made in panel.found]
    if not everything:
        return
    ends, order = domain(everything), ordered(by_level, criterion)
    for place, level in enumerate(by_level, start=len(before)):
        yield LevelChart(
            heading=capitalised(axes.at(level[0].stage.level).removeprefix("at ")),
            title=title(criterion, [one.stage for one in level]),
            drawn=PageChart(
                name=f"ratios-{place}",
                chart=chart(ends, order),
                rows=[row for panel in level for row in rows(panel, ends)],
                scales={mode: {} for mode in SCALE_MODES},
            ),
        )


def ordered(by_level: Sequence[Sequence[PanelRatios]], criterion: Criterion) -> list[str]:
    """The rows of the charts: in each panel the best subject first."""
    names: list[str] = []
    for label in dict.fromkeys(panel.label for level in by_level for panel in level):
        by_subject: dict[str, list[Comparison | None]] = {}
        for panel in (panel for level in by_level for panel in level if panel.label == label):
            for made in panel.found:
                by_subject.setdefault(made.subject, []).append(made)
        best_first = by_middle(by_subject, criterion.measure.name)
        names += [row_name(subject, label) for subject, _ in best_first]
    return names


def row_name(subject: str, label: str) -> str:
    """A subject, and the panel that it stands in."""
    return f"{subject}, {label}" if label else subject


def domain(found: Sequence[Comparison]) -> tuple[float, float]:
    """The ends of the axis: all estimates and intervals as far as it may go, and 1."""
    drawn = [1.0]
    for made in found:
        ends = [made.ratio, made.low, made.high]
        drawn += [clamped(end, (1 / FARTHEST, FARTHEST)) for end in ends if end]
    return min(drawn) / MARGIN, max(drawn) * MARGIN


def rows(panel: PanelRatios, ends: tuple[float, float]) -> list[Row]:
    """What is drawn of each subject: the noise floor as a band, and its ratio."""
    floor, criterion = panel.stage.decision.floor, panel.stage.decisive
    better = HIGHER if criterion.more_is_better else LOWER
    made: list[Row] = []
    for ratio in panel.found:
        alike = ratio.verdict == NOT_DISTINGUISHABLE
        subject = row_name(ratio.subject, panel.label)
        if floor > 1:
            band = {"low": clamped(1 / floor, ends), "high": clamped(floor, ends)}
            made.append({"kind": "floor", "subject": subject, **band})
        made.append(
            {
                "kind": "alike" if alike else "better" if ratio.verdict == better else "worse",
                "subject": subject,
                "low": clamped(ratio.low, ends) if ratio.low else None,
                "value": clamped(ratio.ratio, ends),
                "high": clamped(ratio.high, ends) if ratio.high else None,
                "ratio": ratio_cell(ratio),
                "figure": ratio_text(ratio.ratio),
                "verdict": ratio.verdict,
            }
        )
    return made


def clamped(value: float, ends: tuple[float, float]) -> float:
    """The place on the axis that is nearest to a value."""
    return ends[1] if math.isinf(value) else min(max(value, ends[0]), ends[1])


def ticks(ends: tuple[float, float]) -> list[float]:
    """Where the axis has labels: at 1, and from there on as far apart as they can be read."""
    apart = math.log(ends[1] / ends[0]) / LABELS_MAX
    kept = [1.0]
    for tick in sorted(TICKS, key=lambda one: abs(math.log(one))):
        is_free = all(abs(math.log(tick / other)) >= apart for other in kept)
        if is_free and ends[0] <= tick <= ends[1]:
            kept.append(tick)
    return sorted(kept)


def chart(ends: tuple[float, float], order: Sequence[str]) -> altair.LayerChart:
    """The chart without its rows."""
    scale = altair.Scale(type="log", domain=list(ends), nice=False)
    axis = altair.Axis(
        format="~g",
        values=ticks(ends),
        labelOverlap="greedy",
        orient="top",
        grid=False,
        title=None,
    )
    low, value = (altair.X(f"{field}:Q", scale=scale, axis=axis) for field in ("low", "value"))
    y = altair.Y(
        "subject:N",
        title=None,
        sort=None,
        axis=altair.Axis(labelLimit=LABEL_LIMIT),
        scale=altair.Scale(domain=list(order)),
    )
    kinds = list(LOOKS)
    colour = altair.Color(
        "kind:N",
        legend=None,
        scale=altair.Scale(domain=kinds, range=[LOOKS[kind][0] for kind in kinds]),
    )
    shape = altair.Shape(
        "kind:N",
        legend=None,
        scale=altair.Scale(domain=kinds, range=[LOOKS[kind][1] for kind in kinds]),
    )
    floor = altair.Chart().transform_filter("datum.kind === 'floor'")
    ratios = altair.Chart().transform_filter("datum.kind !== 'floor'").encode(
        y=y,
        color=colour,
        tooltip=[altair.Tooltip(f"{field}:N") for field in ("subject", "ratio", "verdict")],
    )  # fmt: skip
    one = altair.Chart(altair.InlineData(values=[{"low": 1}]))
    return framed(
        [
            floor.mark_bar(color=FLOOR, opacity=0.2, size=ROW_HEIGHT).encode(
                x=low, x2=altair.X2("high:Q"), y=y
            ),
            one.mark_rule(strokeDash=[3, 3], color=FLOOR).encode(x=low),
            ratios.transform_filter("isValid(datum.low) && isValid(datum.high)")
            .mark_rule(strokeWidth=3)
            .encode(x=low, x2=altair.X2("high:Q")),
            ratios.transform_filter("datum.kind === 'alike'")
            .mark_point(filled=False, size=80, strokeWidth=2)
            .encode(x=value, shape=shape),
            ratios.transform_filter("datum.kind !== 'alike'")
            .mark_point(filled=True, size=90, opacity=1)
            .encode(x=value, shape=shape),
            ratios.mark_text(dy=-FIGURE_ABOVE, fontSize=11).encode(x=value, text="figure:N"),
        ],
        height=ROW_HEIGHT * len(order),
        by_panel=False,
    )
