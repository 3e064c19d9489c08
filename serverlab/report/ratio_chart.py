"""The picture of the answer: each subject's ratio to the baseline, with its interval, by level.

A chart a level, a row a subject, the best one on top. What is better or worse differs in its shape
from what is not distinguishable, so that the chart reads without its colours.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import altair

from serverlab.analysis.comparisons import HIGHER, NOT_DISTINGUISHABLE, Comparison, comparison
from serverlab.analysis.stages import chosen_levels, stage
from serverlab.notation import ratio_text
from serverlab.report.answer import by_middle, ratio_cell, title
from serverlab.report.charts import SCALE_MODES, PageChart, framed
from serverlab.report.sentences import capitalised

if TYPE_CHECKING:
    from collections.abc import Sequence

    from serverlab.analysis.results import Results
    from serverlab.analysis.stages import Stage
    from serverlab.report.points import Row

ROW_HEIGHT = 30
FIGURE_ABOVE = 9  # of the row's middle, in points
TICKS = (0.05, 0.1, 0.2, 0.5, 0.8, 0.9, 1, 1.1, 1.25, 2, 5, 10, 20)
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
    titles: tuple[str, ...]  # by panel: what the ratios are of
    drawn: PageChart


def ratio_charts(shown: Results) -> list[LevelChart]:
    """A chart for each level that the answer speaks of; none if nothing is compared."""
    by_level = [
        [
            stage(shown.run.plan, [cell for cell in shown.cells if cell.panel == panel], level)
            for panel in range(len(shown.axes.panels))
        ]
        for level in chosen_levels(shown.axes.levels)
    ]
    found = [[compared(one) for one in stages] for stages in by_level]
    everything = [made for level in found for panel in level for made in panel]
    if not everything:
        return []
    ends, order = domain(everything), subjects(everything)
    return [
        LevelChart(
            heading=capitalised(shown.axes.at(stages[0].level).removeprefix("at ")),
            titles=tuple(title(one.decisive, [one], "") for one in stages),
            drawn=PageChart(
                name=f"ratios-{place}",
                chart=chart(ends, order),
                rows=[
                    row
                    for panel, (one, made) in enumerate(zip(stages, panels, strict=True))
                    for row in rows(panel, one, made, ends)
                ],
                scales={mode: {} for mode in SCALE_MODES},
            ),
        )
        for place, (stages, panels) in enumerate(zip(by_level, found, strict=True))
    ]


def compared(one: Stage) -> list[Comparison]:
    """Each subject of a level beside the baseline, by the decisive measure."""
    made = (comparison(one.decision, cell, {}) for cell in one.cells)
    return [found for found in made if found is not None]


def subjects(found: Sequence[Comparison]) -> list[str]:
    """Each once, the best one first."""
    by_subject: dict[str, list[Comparison | None]] = {}
    for made in found:
        by_subject.setdefault(made.subject, []).append(made)
    return [subject for subject, _ in by_middle(by_subject, found[0].measure)]


def domain(found: Sequence[Comparison]) -> tuple[float, float]:
    """The ends of the axis: all estimates and intervals, and 1."""
    drawn = [1.0]
    for made in found:
        ends = [made.ratio, made.low, made.high]
        drawn += [end for end in ends if end and 1 / FARTHEST <= end <= FARTHEST]
    return min(drawn) / MARGIN, max(drawn) * MARGIN


def rows(
    panel: int, one: Stage, found: Sequence[Comparison], ends: tuple[float, float]
) -> list[Row]:
    """What is drawn: the noise floor as a band, and a row for each subject."""
    floor = one.decision.floor
    band: Row = {"panel": panel, "low": clamped(1 / floor, ends), "high": clamped(floor, ends)}
    made: list[Row] = [{**band, "kind": "floor"}] if found and floor > 1 else []
    better = HIGHER if one.decisive.more_is_better else "lower"
    for ratio in found:
        alike = ratio.verdict == NOT_DISTINGUISHABLE
        made.append(
            {
                "panel": panel,
                "kind": "alike" if alike else "better" if ratio.verdict == better else "worse",
                "subject": ratio.subject,
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


def chart(ends: tuple[float, float], order: Sequence[str]) -> altair.LayerChart:
    """The chart without its rows."""
    scale = altair.Scale(type="log", domain=list(ends), nice=False)
    axis = altair.Axis(
        format="~g",
        values=[tick for tick in TICKS if ends[0] <= tick <= ends[1]],
        labelOverlap="greedy",
        orient="top",
        grid=False,
        title=None,
    )
    low, value = (altair.X(f"{field}:Q", scale=scale, axis=axis) for field in ("low", "value"))
    y = altair.Y("subject:N", title=None, scale=altair.Scale(domain=list(order)), sort=None)
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
    one = altair.Chart(altair.InlineData(values=[{"panel": 0, "low": 1}]))
    return framed(
        [
            floor.mark_rect(color=FLOOR, opacity=0.2).encode(x=low, x2="high:Q"),
            one.mark_rule(strokeDash=[3, 3], color=FLOOR).encode(x=low),
            ratios.transform_filter("isValid(datum.low) && isValid(datum.high)")
            .mark_rule(strokeWidth=3)
            .encode(x=low, x2="high:Q"),
            ratios.transform_filter("datum.kind === 'alike'")
            .mark_point(filled=False, size=80, strokeWidth=2)
            .encode(x=value, shape=shape),
            ratios.transform_filter("datum.kind !== 'alike'")
            .mark_point(filled=True, size=90, opacity=1)
            .encode(x=value, shape=shape),
            ratios.mark_text(dy=-FIGURE_ABOVE, fontSize=11).encode(x=value, text="figure:N"),
        ],
        height=ROW_HEIGHT * len(order),
    )
