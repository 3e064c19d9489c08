"""Counts, rate and time that do not fit each other, or are too few for what is said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serverlab.audit.finding import Finding, Judgement
from serverlab.notation import count, number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serverlab.audit.row import Row

CHECK = "count"
MESSAGES_MIN = 100  # of a request, from which on a rate may be that of messages
COUNT_TOLERANCE = 0.10  # of a rate from another window than the count
BEYOND_MIN = 10  # requests beyond a percentile that make it one
ERRORS_MAX = 0.01


def counted(row: Row) -> Iterator[Finding]:
    """A rate that is not the count over the time."""
    if not (row.requests and row.duration_s and row.rate_per_s):
        return
    total = row.requests + row.errors
    found = total / row.duration_s
    if abs(found / row.rate_per_s - 1) <= COUNT_TOLERANCE:
        return
    said = (
        f"{count(total)} requests in {number(row.duration_s)} s are {number(found)} requests/s and "
        f"not {number(row.rate_per_s)}"
    )
    if found > row.rate_per_s:
        yield unexplained(
            f"{said}: the count may include a warm-up, or the run may have been longer than is said"
        )
    elif row.rate_per_s > MESSAGES_MIN * found:
        yield unexplained(f"{said}: a request may carry many messages")
    else:
        yield Finding(judgement=Judgement.IMPOSSIBLE, check=CHECK, reason=said)


def unexplained(reason: str) -> Finding:
    """A count for which there may be a harmless reason."""
    return Finding(judgement=Judgement.UNEXPLAINED, check=CHECK, reason=reason)


def enough(row: Row) -> Iterator[Finding]:
    """A percentile that rests on hardly any request."""
    share = max((one for one in row.percentiles_s if one <= row.share_max), default=None)
    if not row.requests or share is None:
        return
    beyond = row.requests * (1 - share)
    if share < 1 and round(beyond) < BEYOND_MIN:
        yield Finding(
            judgement=Judgement.UNEXPLAINED,
            check="sample",
            reason=f"p{100 * share:g} of {count(row.requests)} requests rests on "
            f"{number(beyond)} of them: chance decides it",
        )


def failed(row: Row) -> Iterator[Finding]:
    """Errors, whose latencies and rates may be among the others."""
    total = (row.requests or 0) + row.errors
    if row.requests == 0 and row.errors:
        yield Finding(
            judgement=Judgement.UNEXPLAINED,
            check="errors",
            reason=f"all {count(total)} requests failed: rate and latency are those of errors",
        )
    elif row.errors and row.errors > ERRORS_MAX * total:
        yield Finding(
            judgement=Judgement.UNEXPLAINED,
            check="errors",
            reason=f"{count(row.errors)} of {count(total)} requests failed: errors may be faster "
            "than replies, and count among them",
        )
