"""What percentiles, extremes and a mean of the same latencies cannot be together."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from serverlab.audit.checks.law import time
from serverlab.audit.finding import Finding, Judgement

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serverlab.audit.row import Row

CHECK = "order"
TOLERANCE = 0.02  # of histograms with two significant digits
HIGH = 0.9  # a percentile from which on the mean is not expected
MEAN_TOLERANCE = 0.05  # of a mean from other requests than the percentiles, as of a warm-up


def order(row: Row) -> Iterator[Finding]:
    """Points of a distribution that are not in their order."""
    points = [(f"p{100 * share:g}", value) for share, value in sorted(row.percentiles_s.items())]
    if row.min_s is not None:
        points.insert(0, ("the shortest", row.min_s))
    if row.max_s is not None:
        points.append(("the longest", row.max_s))
    slack_s = 2 * row.resolution_s
    for (low_name, low_s), (high_name, high_s) in pairwise(points):
        if low_s > high_s * (1 + TOLERANCE) + slack_s:
            yield impossible(f"{low_name}, {time(low_s)}, is above {high_name}, {time(high_s)}")
    if row.mean_s is None:
        return
    yield from mean_between(row, slack_s)
    yield from mean_as_percentile(row)


def mean_between(row: Row, slack_s: float) -> Iterator[Finding]:
    """A mean that no such distribution has."""
    assert row.mean_s is not None
    mean_s = row.mean_s
    if row.min_s is not None and mean_s < row.min_s * (1 - TOLERANCE) - slack_s:
        yield impossible(f"the mean, {time(mean_s)}, is below the shortest, {time(row.min_s)}")
    if row.max_s is not None and mean_s > row.max_s * (1 + TOLERANCE) + slack_s:
        yield impossible(f"the mean, {time(mean_s)}, is above the longest, {time(row.max_s)}")
    for share, value_s in sorted(row.percentiles_s.items()):
        # A share of 1 - q takes at least that long, and none less than nothing (Markov).
        least_s = (1 - share) * value_s
        if mean_s < least_s * (1 - MEAN_TOLERANCE) - slack_s:
            yield impossible(
                f"the mean, {time(mean_s)}, is less than {100 * (1 - share):g} % of requests of "
                f"p{100 * share:g}, {time(value_s)}, make alone: {time(least_s)}"
            )
    if row.max_s is not None and row.percentiles_s:
        most_s = highest_mean_s(row, row.max_s)
        if mean_s > most_s * (1 + MEAN_TOLERANCE) + slack_s:
            yield impossible(
                f"the mean, {time(mean_s)}, is above {time(most_s)}, the most that these "
                "percentiles allow"
            )


def highest_mean_s(row: Row, longest_s: float) -> float:
    """The mean if each request took as long as its percentiles allow."""
    total_s, below = 0.0, 0.0
    for share, value_s in sorted(row.percentiles_s.items()):
        total_s += (share - below) * value_s
        below = share
    return total_s + (1 - below) * longest_s


def mean_as_percentile(row: Row) -> Iterator[Finding]:
    """A high percentile that is the mean itself: nothing was measured there.

    Where latencies hardly differ, a rounded mean and a rounded percentile may be the same.
    """
    for share, value_s in row.percentiles_s.items():
        if share < HIGH or value_s <= 0 or value_s != row.mean_s:
            continue
        if row.resolution_s > 0 and value_s < 20 * row.resolution_s:
            continue
        spread = row.max_s is not None and row.max_s > 2 * value_s
        name = f"p{100 * share:g}"
        yield Finding(
            judgement=Judgement.IMPOSSIBLE if spread else Judgement.UNEXPLAINED,
            check="percentile",
            reason=f"{name} is the mean itself, {time(value_s)}"
            + ("" if spread else ": all latencies may be alike, or the tool has no percentiles"),
        )


def impossible(reason: str) -> Finding:
    """A finding of this check."""
    return Finding(judgement=Judgement.IMPOSSIBLE, check=CHECK, reason=reason)
