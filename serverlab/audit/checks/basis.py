"""On what a row is PLAUSIBLE: which checks had the figures that they need."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serverlab.notation import listed, number
from serverlab.stats.little import in_flight

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serverlab.audit.row import Row

UNASKED = (
    "; the rate that was asked for is not in the output, so nothing says whether it was sustained: "
    "put the command line above it"
)


def basis(row: Row) -> str:
    """The sentence, with the figures that were held against each other."""
    held = list(held_against(row))
    said = f"{listed(held)} fit" if held else "nothing could be checked"
    return said + (UNASKED if row.loop == "open" and row.offered_per_s is None else "")


def held_against(row: Row) -> Iterator[str]:
    """What was held against what."""
    mean_s = row.mean_s or 0
    if row.loop != "open" and row.places and row.rate_per_s and mean_s > row.resolution_s:
        yield f"{number(in_flight(row.rate_per_s, mean_s))} of {row.places} in flight"
    extremes = [one for one in (row.min_s, row.mean_s, row.max_s) if one is not None]
    if len(row.percentiles_s) + len(extremes) > 1:
        yield f"{len(row.percentiles_s) + len(extremes)} figures of the latency"
    if row.requests and row.duration_s and row.rate_per_s:
        yield "the count with the rate"
    if row.offered_per_s and row.rate_per_s is not None:
        yield f"{100 * row.rate_per_s / row.offered_per_s:.0f} % of the rate that was asked for"
