"""Rates that were asked for: whether they were reached, and whether latency knows of delays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serverlab.audit.checks.law import time
from serverlab.audit.finding import Finding, Judgement
from serverlab.notation import number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serverlab.audit.row import Row

SUSTAINED_MIN = 0.95
BUSY_MAX = 0.95  # of the generator's busiest thread


def sustained(row: Row) -> Iterator[Finding]:
    """A rate below the one that was asked for."""
    if not (row.offered_per_s and row.rate_per_s is not None):
        return
    share = row.rate_per_s / row.offered_per_s
    if share < SUSTAINED_MIN:
        yield Finding(
            judgement=Judgement.UNSUSTAINED,
            check="rate",
            reason=f"{number(row.rate_per_s)} requests/s of {number(row.offered_per_s)} that were "
            f"asked for: {100 * share:.0f} %",
        )


def omission(row: Row) -> Iterator[Finding]:
    """Latency from when a request was sent, of a schedule that a slow reply has delayed.

    Requests that should have been sent meanwhile are not late by that count (coordinated omission).
    """
    if not (row.offered_per_s and row.counts_from_sent and row.places):
        return
    interval_s = row.places / row.offered_per_s  # from one request of a connection to its next
    if row.tail_s is not None and row.tail_s > interval_s:
        yield Finding(
            judgement=Judgement.UNEXPLAINED,
            check="omission",
            reason=f"latency counts from when a request was sent; one took {time(row.tail_s)}, "
            f"longer than the {time(interval_s)} after which its connection's next was due, so "
            "that delays are missing",
        )


def generator(row: Row) -> Iterator[Finding]:
    """A generator that had no time left, or says itself that it was the limit."""
    if row.generator_busy is not None and row.generator_busy > BUSY_MAX:
        yield Finding(
            judgement=Judgement.GENERATOR_BOUND,
            check="generator",
            reason=f"the generator's busiest thread ran for {100 * row.generator_busy:.0f} % of "
            "the time",
        )
