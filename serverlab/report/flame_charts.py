"""Flame graphs: where the CPU time of a request is, function below function.

A box is a function; those that it calls stand above it, and its width is the CPU time of a request
that it and they take. In the graph of a difference the boxes are those of the second server, and
their colour says how much more they take than in the first.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import altair

from serverlab.notation import NARROW_SPACE
from serverlab.report.charts import PageChart, framed, value_axis

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from serverlab.report.points import Row
    from serverlab.slices import SampledStack

BOX_HEIGHT = 17
SHARE_MIN = 0.002  # of the whole: narrower boxes are left out
CHARACTERS = 180  # that fit into the whole width
LABEL_MIN = 4  # characters: a box with less room has no label
NS_IN_US = 1000
PLAIN = "#e69f00"
FROM_TO = ("#0072b2", "#dddddd", "#d55e00")  # less, alike, more: by Okabe and Ito


@dataclass(slots=True)
class Box:
    """A function, as it was called by those below it."""

    samples: int = 0
    above: dict[str, Box] = field(default_factory=dict)


def tree_of(stacks: Sequence[SampledStack]) -> Box:
    """All stacks put together, from their outermost frames on."""
    whole = Box()
    for stack in stacks:
        whole.samples += stack.samples
        box = whole
        for name in stack.frames:
            box = box.above.setdefault(name, Box())
            box.samples += stack.samples
    return whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Flames:
    """The stacks of a server, and what a request costs it."""

    subject: str
    stacks: Sequence[SampledStack]
    cpu_ns: float

    def tree(self) -> Box:
        """Its boxes."""
        return tree_of(self.stacks)


def flame_chart(name: str, one: Flames, base: Flames | None = None) -> PageChart:
    """The graph of a server, coloured by how much more it takes than `base` if that is given."""
    rows = flame_rows(one, base)
    depth = max((int(str(row["depth"])) for row in rows), default=0) + 1
    x = altair.X(
        "from:Q", title="µs of server CPU time for a request", axis=value_axis(),
        scale=altair.Scale(domain=[0, one.cpu_ns / NS_IN_US], nice=False),
    )  # fmt: skip
    y = altair.Y("depth:O", axis=None, sort="descending", scale=altair.Scale(padding=0))
    zoom = altair.selection_interval(bind="scales", encodings=["x"], name="zoom")
    boxes = altair.Chart().mark_rect(stroke="white", strokeWidth=0.5, clip=True)
    colour: altair.Color | altair.Value = altair.value(PLAIN)
    if base is not None:
        most = max((abs(float(str(row["more"]))) for row in rows), default=1) or 1
        colour = altair.Color(
            "more:Q", legend=None,
            scale=altair.Scale(domain=[-most, 0, most], range=list(FROM_TO)),
        )  # fmt: skip
    shown = ("function", "µs", "more than the other") if base is not None else ("function", "µs")
    layers = [
        boxes.encode(
            x=x, x2=altair.X2("to:Q"), y=y, color=colour,
            tooltip=[altair.Tooltip(f"{field}:N") for field in shown],
        ).add_params(zoom),
        altair.Chart()
        .mark_text(align="left", dx=3, fontSize=11, color="#111", clip=True)
        .encode(x=x, y=y, text=altair.Text("label:N")),
    ]  # fmt: skip
    chart = framed(layers, height=BOX_HEIGHT * depth, by_panel=False)
    return PageChart(name=name, chart=chart, rows=rows, scales={"linear": {}})


def flame_rows(one: Flames, base: Flames | None) -> list[Row]:
    """A row a box."""
    tree = one.tree()
    if tree.samples == 0:
        return []
    us_a_sample = one.cpu_ns / NS_IN_US / tree.samples
    other = base.tree() if base is not None else Box()
    other_us = base.cpu_ns / NS_IN_US / other.samples if base and other.samples else 0.0
    return [
        {
            "panel": 0,
            "function": name,
            "depth": depth,
            "from": round(first * us_a_sample, 4),
            "to": round((first + box.samples) * us_a_sample, 4),
            "label": label(name, box.samples / tree.samples),
            "µs": f"{box.samples * us_a_sample:.2f}",
            "more": round(more, 4),
            "more than the other": f"{more:+.2f}{NARROW_SPACE}µs",
        }
        for name, depth, first, box, beside in boxes_of(tree, other)
        if box.samples >= SHARE_MIN * tree.samples
        for more in [box.samples * us_a_sample - beside.samples * other_us]
    ]


def boxes_of(
    tree: Box, beside: Box, depth: int = 0, first: int = 0
) -> Iterator[tuple[str, int, int, Box, Box]]:
    """Each box: its function, how far up it is, where it begins, and the same of another tree."""
    for name in sorted(tree.above):
        box = tree.above[name]
        same = beside.above.get(name, Box())
        yield name, depth, first, box, same
        yield from boxes_of(box, same, depth + 1, first)
        first += box.samples


def label(name: str, share: float) -> str:
    """As much of a function's name as its box has room for."""
    room = int(CHARACTERS * share)
    if room < LABEL_MIN:
        return ""
    return name if len(name) <= room else f"{name[: room - 1]}…"


def flames_of(
    stacks: Mapping[str, Sequence[SampledStack]], costs_ns: Mapping[str, float]
) -> list[Flames]:
    """What is drawn of each server whose stacks were sampled."""
    return [
        Flames(subject=name, stacks=own, cpu_ns=costs_ns[name])
        for name, own in stacks.items()
        if own and name in costs_ns
    ]
