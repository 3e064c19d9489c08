"""Percentiles of all requests of a cell together, from the merged histograms of its valid trials.

The report compares blocks, so its figures are medians over blocks. These are of the whole instead:
a block that answered more requests weighs more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from serverlab.errors import UsageError
from serverlab.report.measures import LATENCIES
from serverlab.stats.histogram import BadHistogramError, decode, merge

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serverlab.report.cells import Cell
    from serverlab.stats.histogram import Histogram

SHARES = {measure.name: measure.share for measure in LATENCIES if measure.share is not None}


def percentiles(cell: Cell) -> dict[str, int | None]:
    """By measure; None where a trial could not give it, or where it falls among the unanswered."""
    merged = merge(latencies(cell))
    return {
        name: merged.quantile(share) if name in cell.figures else None
        for name, share in SHARES.items()
    }


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
