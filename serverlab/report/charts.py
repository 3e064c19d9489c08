"""One chart a measure: lines over the x factor, or bars where there is none.

The page draws them as wide as it is, without legends, and sets their parameters: `panel`, which
one is shown, and `highlight`, the subject that the reader has picked. The export gives the same
charts a title, a legend and a size.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import altair
from altair.utils.schemapi import disable_debug_mode

from serverlab.notation import NARROW_SPACE
from serverlab.report.palette import REJECTED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from serverlab.analysis.axes import Axes
    from serverlab.report.palette import Look
    from serverlab.report.points import Points, Row

HEIGHT = 270
BAR_STEP = 26
FADED = 0.12
SHOWN = "isValid(datum.value)"
VALID = f"datum.valid && {SHOWN}"
NOT_VALID = f"!datum.valid && {SHOWN}"
FAINT = "#8888"  # reads on white and on dark alike
FONT = "system-ui, Helvetica, Arial, sans-serif"
Scale = dict[str, bool | float | str]  # properties of Vega-Lite's, by name

# Tests validate each chart as a whole; to validate its parts, too, takes a sixth of a report.
disable_debug_mode()

SCALE_MODES = {"linear": "linear", "log-x": "logarithmic x", "log": "logarithmic x and y"}


@dataclass(frozen=True, slots=True, kw_only=True)
class PageChart:
    """A chart as the page's script draws it, of its own rows or of the page's cells."""

    name: str
    chart: altair.LayerChart
    scales: dict[str, dict[str, Scale]]  # by mode and channel
    rows: list[Row] | None = None
    figures: list[Row | None] | None = None  # a place for each cell of the page


def chart(
    drawn: Points, axes: Axes, looks: Sequence[Look], further: Sequence[altair.Chart] = ()
) -> altair.LayerChart:
    """A chart without data, title and legend, as wide as its container, both axes linear.

    `further` layers have data of their own and lie above the lines.
    """
    if axes.factor is None:
        return framed(bars(drawn, looks), height=BAR_STEP * len(looks))
    return framed([*lines(drawn, axes, looks), *further], height=HEIGHT)


# Of the page, with their first values.
PARAMETERS = [
    altair.VariableParameter(name="highlight", value=""),
    altair.VariableParameter(name="panel", value=0),
]
CONFIG = altair.Config(
    font=FONT,
    background="transparent",
    axis=altair.AxisConfig(
        gridColor=FAINT, domainColor=FAINT, tickColor=FAINT, gridOpacity=0.5,
        labelFontSize=12, titleFontSize=12, titleFontWeight="normal", labelLimit=240,
    ),
    view=altair.ViewConfig(stroke=None),
)  # fmt: skip


def framed(
    layers: Sequence[altair.Chart], *, height: int, by_panel: bool = True
) -> altair.LayerChart:
    """The layers with what all charts share: the page's parameters, the size, the style.

    Unless `by_panel`, the rows of all panels are drawn.
    """
    # In one call, and parameters by themselves: each method of a chart copies all that it has.
    made: altair.LayerChart = altair.LayerChart(
        layer=list(layers),
        data=altair.NamedData(name="cells"),
        transform=[altair.FilterTransform(filter="datum.panel === panel")] if by_panel else [],
        width="container",
        height=height,
        autosize=altair.AutoSizeParams(type="fit-x", contains="padding"),
        config=CONFIG,
    )
    made.params = PARAMETERS
    return made


def lines(drawn: Points, axes: Axes, looks: Sequence[Look]) -> list[altair.Chart]:
    """A line through the cells of each subject, their spread, crosses for rejected ones."""
    base = altair.Chart().encode(
        x=altair.X("x:Q", title=axes.title, axis=x_axis(axes), scale=altair.Scale()),
        color=colour(looks),
        opacity=opacity(),
    )
    y, low, unbroken = (
        altair.Y(field, title=drawn.unit.symbol, axis=value_axis(), scale=altair.Scale())
        for field in ("value:Q", "low:Q", "unbroken:Q")
    )
    valid = base.transform_filter(VALID)
    shape = altair.Shape(
        "subject:N", scale=scale_of(looks, [look.symbol for look in looks]), legend=None
    )
    dash = altair.StrokeDash(
        "subject:N", scale=scale_of(looks, [list(look.dash) for look in looks]), legend=None
    )
    return [
        valid.mark_rule(strokeWidth=1.5).encode(y=low, y2=altair.Y2("high:Q")),
        # A cell without a valid figure breaks the line, so that nothing is drawn through it.
        base.transform_calculate(unbroken="datum.valid ? datum.value : null")
        .mark_line(strokeWidth=2)
        .encode(y=unbroken, strokeDash=dash),
        valid.mark_point(filled=True, size=100).encode(y=y, shape=shape),
        base.transform_filter(NOT_VALID)
        .mark_point(filled=False, size=110, strokeWidth=2, shape=REJECTED)
        .encode(y=y),
        altair.Chart()
        .transform_filter(SHOWN)
        .mark_point(filled=True, size=500, opacity=0)
        .encode(x=base.encoding.x, y=y, tooltip=tooltip(drawn, "where")),
    ]


def bars(drawn: Points, looks: Sequence[Look]) -> list[altair.Chart]:
    """A bar for each subject, its spread over blocks, its figure beside it."""
    base = altair.Chart().encode(
        y=altair.Y(
            "subject:N", title=None, scale=altair.Scale(domain=[one.subject for one in looks])
        ),
        opacity=opacity(),
        tooltip=tooltip(drawn),
    )
    x = altair.X(
        "value:Q", title=drawn.unit.symbol, axis=value_axis(), scale=altair.Scale(zero=True)
    )
    valid = base.transform_filter(VALID)
    low = altair.X("low:Q", title=drawn.unit.symbol)
    return [
        valid.mark_bar(height={"band": 0.6}).encode(x=x, color=colour(looks)),
        # A dark line on a light one is seen on any colour, by day and by night.
        valid.mark_rule(strokeWidth=5, color="#fff").encode(x=low, x2=altair.X2("high:Q")),
        valid.mark_rule(strokeWidth=2, color="#333").encode(x=low, x2=altair.X2("high:Q")),
        base.transform_filter(NOT_VALID)
        .mark_point(filled=False, size=110, strokeWidth=2, shape=REJECTED)
        .encode(x=x, color=colour(looks)),
        base.transform_filter(SHOWN)
        .mark_text(align="left", dx=7, fontSize=12)
        .encode(x=altair.X("high:Q"), text=altair.Text("amount:N")),
    ]


def scales(drawn: Points, axes: Axes, mode: str) -> dict[str, Scale]:
    """The scales of both channels: a mode is linear, log-x or log."""
    x: Scale = {"zero": False, "nice": False, "padding": 14}
    y: Scale = {"zero": True, "nice": True}
    if mode != "linear" and min(axes.positions(), default=0) > 0:
        x |= {"type": "log"}
        del x["zero"]
    if mode == "log":
        y = {"type": "log", "nice": False, "padding": 10}
        drawn_ends = (one[end] for one in drawn.figures if one for end in ("low", "value"))
        ends = [end for end in drawn_ends if isinstance(end, float)]
        positive = [end for end in ends if end > 0]
        if positive and len(positive) < len(ends):  # a zero is drawn at the lower edge
            y |= {"clamp": True, "domainMin": min(positive) / 2}
    return {"x": x, "y": y}


def colour(looks: Sequence[Look]) -> altair.Color:
    """The subject's colour."""
    return altair.Color(
        "subject:N", scale=scale_of(looks, [look.colour for look in looks]), legend=None
    )


def scale_of(looks: Sequence[Look], values: Sequence[Any]) -> altair.Scale:
    """From subjects to what stands for them."""
    return altair.Scale(domain=[look.subject for look in looks], range=list(values))


def opacity() -> altair.OpacityValue:
    """Faded if another subject is picked."""
    picked = {"test": "highlight === '' || highlight === datum.subject", "value": 1}
    return altair.OpacityValue(FADED, condition=picked)


def tooltip(drawn: Points, *more: str) -> list[altair.Tooltip]:
    """Engine, level, figure, spread, verdict."""
    titles = {
        "subject": "subject",
        **{field: field for field in more},
        "amount": drawn.measure.title,
        "spread": "over blocks",
        "verdict": "verdict",
    }
    return [altair.Tooltip(f"{field}:N", title=title) for field, title in titles.items()]


def value_axis() -> altair.Axis:
    """Thousands apart as in the text; a logarithmic axis leaves some labels empty."""
    apart = f"replace(format(datum.value, ',~r'), /,/g, '{NARROW_SPACE}')"
    return altair.Axis(labelExpr=f"datum.label === '' ? '' : {apart}", tickCount=6)


def x_axis(axes: Axes) -> altair.Axis:
    """A tick at each level, with the level's own text."""
    texts = {f"{axes.position(level):.15g}": axes.text(level) for level in axes.levels}
    pairs = ",".join(f"'{place}':'{text}'" for place, text in texts.items())
    return altair.Axis(
        values=axes.positions(),
        labelExpr=f"({{{pairs}}})[datum.value]",
        labelOverlap="greedy",
        labelSeparation=6,
        grid=False,
    )
