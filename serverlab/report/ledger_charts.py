"""The charts of a ledger: what a request costs each server, stacked, and what the two differ in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair

from serverlab.report.charts import FAINT, PageChart, framed, value_axis
from serverlab.report.ledger_words import NS_IN_US, change, cost_ns, in_us, name_of, shown_parts
from serverlab.report.palette import looks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from serverlab.analysis.ledger import Difference, Ledger
    from serverlab.report.palette import Look
    from serverlab.report.points import Row

ROW_HEIGHT = 34
LABEL_LIMIT = 260  # points
OTHERS = "all others"
# By Okabe and Ito; what is not known is grey.
COLOURS = {"more": "#d55e00", "less": "#0072b2", "unknown": "#8a8a8a"}


def part_looks(ledgers: Sequence[Ledger]) -> list[Look]:
    """A look for each part that is shown."""
    return looks([*map(name_of, shown_parts(ledgers)), OTHERS])


def stack_chart(ledgers: Sequence[Ledger]) -> PageChart:
    """A bar a server, of its parts, the most expensive first."""
    return stacked(
        "stack",
        stack_rows(ledgers),
        part_looks(ledgers),
        title="µs of server CPU time for a request",
    )


def stacked(name: str, rows: list[Row], found: Sequence[Look], *, title: str) -> PageChart:
    """A bar a `server`, of `part`s in the order of their `place`."""
    servers = list(dict.fromkeys(str(row["server"]) for row in rows))
    scale = altair.Scale(
        domain=[look.subject for look in found], range=[look.colour for look in found]
    )
    bars = altair.Chart().encode(
        x=altair.X("value:Q", title=title, axis=value_axis()),
        y=altair.Y(
            "server:N", title=None, sort=None, axis=altair.Axis(labelLimit=LABEL_LIMIT),
            scale=altair.Scale(domain=servers),
        ),
        order=altair.Order("place:Q"),
        color=altair.Color("part:N", scale=scale, legend=None),
        tooltip=[altair.Tooltip(f"{field}:N") for field in ("server", "part", "µs")],
    )  # fmt: skip
    height = ROW_HEIGHT * len(servers)
    chart = framed([bars.mark_bar(size=ROW_HEIGHT - 10)], height=height, by_panel=False)
    return PageChart(name=name, chart=chart, rows=rows, scales={"linear": {}})


def stack_rows(ledgers: Sequence[Ledger]) -> list[Row]:
    """What is drawn of each server."""
    names = shown_parts(ledgers)
    made: list[Row] = []
    for one in ledgers:
        parts = {part.name: part for part in one.parts}
        costs = {name_of(name): cost_ns(parts, name) for name in names}
        costs[OTHERS] = sum(cost_ns(parts, name) for name in parts.keys() - set(names))
        made += [
            {
                "panel": 0,
                "server": one.subject,
                "part": name,
                "place": place,
                "value": max(0.0, value_ns) / NS_IN_US,
                "µs": in_us(value_ns),
            }
            for place, (name, value_ns) in enumerate(costs.items())
        ]
    return made


def difference_chart(one: Difference, names: Sequence[str]) -> PageChart:
    """A bar a part: how much more it costs, with its interval."""
    parts = [part for part in one.parts if part.name in names]
    colour = altair.Color(
        "kind:N", legend=None, scale=altair.Scale(domain=list(COLOURS), range=[*COLOURS.values()])
    )
    y = altair.Y(
        "part:N", title=None, sort=None, axis=altair.Axis(labelLimit=LABEL_LIMIT),
        scale=altair.Scale(domain=[name_of(part.name) for part in parts]),
    )  # fmt: skip
    title = f"µs more than {one.baseline}"
    value, low = (
        altair.X(f"{field}:Q", title=title, axis=value_axis(), scale=altair.Scale())
        for field in ("value", "low")
    )
    base = altair.Chart().encode(
        y=y, tooltip=[altair.Tooltip(f"{field}:N") for field in ("part", "µs")]
    )
    none = altair.Chart(altair.InlineData(values=[{"low": 0}]))
    chart = framed(
        [
            base.mark_bar(size=ROW_HEIGHT - 18).encode(x=value, color=colour),
            base.mark_rule(strokeWidth=2, color="#777").encode(x=low, x2="high:Q"),
            none.mark_rule(color=FAINT).encode(x=low),
        ],
        height=ROW_HEIGHT * len(parts),
        by_panel=False,
    )
    rows: list[Row] = [
        {
            "panel": 0,
            "part": name_of(part.name),
            "value": part.cpu_ns.value / NS_IN_US,
            "low": part.cpu_ns.low / NS_IN_US,
            "high": part.cpu_ns.high / NS_IN_US,
            "µs": change(part.cpu_ns),
            "kind": "unknown" if not part.cpu_ns.is_known
            else "more" if part.cpu_ns.value > 0 else "less",
        }
        for part in parts
    ]  # fmt: skip
    return PageChart(name="difference", chart=chart, rows=rows, scales={"linear": {}})
