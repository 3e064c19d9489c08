"""Percentiles of all requests of a cell together, from the merged histograms of its valid trials.

The report compares blocks, so its figures are medians over blocks. These are of the whole instead:
a block that answered more requests weighs more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.errors import UsageError
from serverlab.measures import LATENCIES
from serverlab.stats.histogram import BadHistogramError, decode, merge

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serverlab.analysis.cells import Cell
    from serverlab.stats.histogram import Histogram

SHARES = {measure.name: measure.share for measure in LATENCIES if measure.share is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class Percentile:
    """A percentile in nanoseconds, and its interval by order; an end that nothing bounds is None.

    The value is None where a trial could not give it, or where it falls among the unanswered.
    """

    value: int | None
    low: int | None
    high: int | None


NO_PERCENTILE = Percentile(value=None, low=None, high=None)


def percentiles(cell: Cell) -> dict[str, Percentile]:
    """By measure."""
    merged = merge(latencies(cell))
    return {
        name: percentile(merged, share) if name in cell.figures else NO_PERCENTILE
        for name, share in SHARES.items()
    }


def percentile(merged: Histogram, share: float) -> Percentile:
    """One of them."""
    low, high = merged.interval(share)
    return Percentile(value=merged.quantile(share), low=low, high=high)


def latencies(cell: Cell) -> Iterator[Histogram]:
    """The histogram of each valid trial."""
    for trial in cell.valid:
        if trial.load is None:
            continue
        times = trial.load.latency_ns
        try:
            yield decode(times.hdr, times.unanswered)
        except BadHistogramError as error:
            raise UsageError(f"latency_ns.hdr of trial {trial.trial}: {error}") from error
