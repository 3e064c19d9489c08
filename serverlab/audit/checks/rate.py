"""Rates that were asked for, whether latency knows of delays, and what limited the generator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serverlab.audit.checks.law import time
from serverlab.audit.finding import Finding, Judgement
from serverlab.notation import number
from serverlab.verdicts import VerdictName

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serverlab.audit.row import Row

SUSTAINED_MIN = 0.95
BUSY_MAX = 0.95  # of the generator's busiest thread, of the server's CPUs
# What serverlab's own verdicts are here; the others name a cause that may be harmless.
OF_OWN: dict[str, Judgement] = {
    VerdictName.IMPOSSIBLE: Judgement.IMPOSSIBLE,
    VerdictName.CLIENT_STALLED: Judgement.GENERATOR_BOUND,
    VerdictName.CLIENT_LIMITED: Judgement.GENERATOR_BOUND,
    VerdictName.NOT_SUSTAINED: Judgement.UNSUSTAINED,
}


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
    """A generator that had no time left, where the server had."""
    if row.generator_busy is None or row.generator_busy <= BUSY_MAX:
        return
    if row.server_busy is not None and row.server_busy > BUSY_MAX:
        return
    server = (
        "" if row.server_busy is None else f", the server's CPUs for {100 * row.server_busy:.0f} %"
    )
    yield Finding(
        judgement=Judgement.GENERATOR_BOUND,
        check="generator",
        reason=f"the generator's busiest thread ran for {100 * row.generator_busy:.0f} % of the "
        f"time{server}",
    )


def own_verdict(row: Row) -> Iterator[Finding]:
    """What the tool itself says against its figures."""
    if row.own is None:
        return
    verdict, reason = row.own
    judgement = OF_OWN.get(verdict, Judgement.UNEXPLAINED)
    yield Finding(judgement=judgement, check="own verdict", reason=f"{verdict}: {reason}")
