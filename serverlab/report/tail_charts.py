"""The charts of a tail: where a request is, as lanes, for the middle ones and the slowest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serverlab.notation import number
from serverlab.report.ledger_charts import stacked
from serverlab.report.ledger_words import NS_IN_US
from serverlab.report.palette import looks
from serverlab.report.tail_words import SHARES, shown_lanes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from serverlab.analysis.tail import Tail
    from serverlab.report.charts import PageChart
    from serverlab.report.palette import Look
    from serverlab.report.points import Row


def lane_looks(tails: Sequence[Tail]) -> list[Look]:
    """A look for each lane that is shown."""
    return looks(shown_lanes(tails))


def lane_chart(tails: Sequence[Tail], share: str) -> PageChart:
    """A bar a server, of the lanes of these requests in their order."""
    rows: list[Row] = [
        {
            "panel": 0,
            "server": one.subject,
            "part": name,
            "place": place,
            "value": getattr(one, share).lanes_ns[name].value / NS_IN_US,
            "µs": number(getattr(one, share).lanes_ns[name].value / NS_IN_US),
        }
        for one in tails
        for place, name in enumerate(shown_lanes(tails))
    ]
    title = f"µs of a request of the {SHARES[share]}, in the mean"
    return stacked(f"lanes-{share}", rows, lane_looks(tails), title=title)
