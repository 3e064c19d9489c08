"""A service-level objective, and whether a trial has kept it.

Latency includes how late the generator was, so that a trial which kept the objective kept it
without doubt. One that broke it may have done so because of the generator: if that was late by
more than a tenth of the bound, or late and behind with the rate, the trial says nothing about the
server. Nor does it if the network between the hosts was full.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec

from serverlab.design.catalog import catalog
from serverlab.errors import UsageError
from serverlab.quantities import duration_s
from serverlab.running.merging import percentile
from serverlab.stats.histogram import decode
from serverlab.verdicts import VerdictName

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serverlab.load_result import LoadResult, Rate, Times
    from serverlab.records import Trial

PERCENTILE = re.compile(r"p(\d{1,2}(?:\.\d{1,2})?)")
GIVEN = {"p50", "p90", "p99", "p99.9"}  # by the generator; others follow from its histogram
SURPLUS = 1.3  # so that a Poisson schedule issues enough of them
LATE_SHARE = 0.1  # of a bound: a generator that is later may have broken it
# Verdicts of trials that say nothing about the server.
UNTRUE = {
    VerdictName.IMPOSSIBLE,
    VerdictName.INTERRUPTED,
    VerdictName.CLIENT_STALLED,
    VerdictName.SERVER_STALLED,
    VerdictName.APART,
}


class Outcome(StrEnum):
    """What a trial says of a rate."""

    KEPT = "kept"
    BROKEN = "broken"
    LATE = "generator late"  # neither: the generator, not the server, was the limit
    FULL = "network full"  # neither: what the network carries was the limit


class Bound(msgspec.Struct, frozen=True):
    """A percentile of the latency, and what it may be at most."""

    percentile: str
    limit_ns: float

    @property
    def share(self) -> float:
        """Of the requests that are not to be slower."""
        return float(self.percentile.removeprefix("p")) / 100

    def value_ns(self, latency: Times) -> int | None:
        """The percentile of these requests; None if it cannot be given."""
        if self.percentile in GIVEN:
            value_ns: int | None = getattr(latency, self.percentile.replace(".", "_"))
            return value_ns
        if not latency.hdr:
            return None
        return percentile(decode(latency.hdr, latency.unanswered), self.share)


class Goal(msgspec.Struct, frozen=True):
    """Bounds that are to be kept together, without an error, at a rate that is sustained."""

    text: str
    bounds: list[Bound]

    @property
    def requests_min(self) -> float:
        """Requests that a trial needs, so that its percentiles can be had."""
        beyond = catalog().bounds["values_beyond_min"]
        return SURPLUS * beyond / (1 - max(bound.share for bound in self.bounds))


def read_goal(text: str) -> Goal:
    """The goal that "p99 <= 5ms" is, or "p50 <= 1ms and p99.9 <= 20ms"."""
    bounds = [bound_of(part) for part in re.split(r"\band\b|,", text)]
    return Goal(text=" ".join(text.split()), bounds=bounds)


def bound_of(text: str) -> Bound:
    """One bound."""
    match = re.fullmatch(r"\s*(p[\d.]+)\s*(?:<=|≤)\s*([\d.]+\s*[a-z]+)\s*", text)
    known = None if match is None else PERCENTILE.fullmatch(match[1])
    if match is None or known is None or float(known[1]) <= 0:
        raise UsageError(
            f"--slo: '{text.strip()}' is not a percentile (p50, p95, p99.9) with its bound, "
            "such as p99 <= 5ms"
        )
    return Bound(percentile=f"p{float(known[1]):g}", limit_ns=1e9 * duration_s(match[2]))


def judge(trial: Trial, goal: Goal) -> tuple[Outcome, str]:
    """Whether a trial has kept a goal, and why not; or that the generator was too late to tell."""
    verdict, load = trial.verdict, trial.load
    if load is None:
        return Outcome.BROKEN, verdict.reason
    if verdict.name in UNTRUE:
        return Outcome.LATE, verdict.reason
    reasons = list(troubles(load)) + [
        said for bound in goal.bounds if (said := broken(load.latency_ns, bound))
    ]
    if not reasons:
        return Outcome.KEPT, ""
    if verdict.name == VerdictName.NETWORK_BOUND:
        return Outcome.FULL, verdict.reason
    if verdict.name == VerdictName.CLIENT_LIMITED:
        lag_ns = load.send_lag_ns.p99 or 0
        tightest_ns = min(bound.limit_ns for bound in goal.bounds)
        if lag_ns > LATE_SHARE * tightest_ns or not is_sustained(load.rate):
            return Outcome.LATE, verdict.reason
    return Outcome.BROKEN, reasons[0]


def troubles(load: LoadResult) -> Iterator[str]:
    """What is wrong whatever the percentiles are: errors, missing replies, a rate not sustained."""
    requests, rate, connections = load.requests, load.rate, load.connections
    errors = {name: count for name, count in requests.errors.items() if count}
    if errors:
        yield ", ".join(f"{count} × {name}" for name, count in errors.items())
    if connections.established < connections.requested:
        yield f"{connections.established} of {connections.requested} connections were open"
    if not is_sustained(rate):
        share = rate.achieved_per_s / rate.offered_per_s
        yield f"only {share:.1%} of the rate was sent"
    unanswered = requests.unanswered + requests.unsent + requests.dropped
    if unanswered:
        yield f"{unanswered} of {requests.intended} requests had no reply"


def is_sustained(rate: Rate) -> bool:
    """Whether what was to be sent in the window was sent in it."""
    return rate.achieved_per_s >= catalog().bounds["sent_share_min"] * rate.offered_per_s


def broken(latency_ns: Times, bound: Bound) -> str:
    """How a bound was broken; empty if it was kept."""
    value_ns = bound.value_ns(latency_ns)
    if value_ns is None:
        why = "among the unanswered" if latency_ns.unanswered else "not known: too few requests"
        return f"{bound.percentile} is {why}"
    if value_ns <= bound.limit_ns:
        return ""
    return f"{bound.percentile} {value_ns / 1e6:.3g} ms"
