"""oha's JSON. It says neither the connections nor the rate asked for."""

from __future__ import annotations

import msgspec

from serverlab.audit.row import Row, Table


class Summary(msgspec.Struct, rename="camel"):
    """Its `summary`: times in seconds."""

    total: float
    slowest: float
    fastest: float
    average: float
    requests_per_sec: float


class Oha(msgspec.Struct, rename="camel"):
    """Its document."""

    summary: Summary
    latency_percentiles: dict[str, float | None]
    status_code_distribution: dict[str, int] = {}
    error_distribution: dict[str, int] = {}


# Requests in flight at the end. They are no errors, and `requestsPerSec` counts them all the same.
DEADLINE = "aborted due to deadline"


def read(document: bytes, path: str) -> Table:
    """The run of a document. Raises msgspec.ValidationError."""
    found = msgspec.json.decode(document, type=Oha)
    statuses = found.status_code_distribution
    good = sum(count for code, count in statuses.items() if code.startswith(("2", "3")))
    lost = sum(count for why, count in found.error_distribution.items() if why != DEADLINE)
    total_s, aborted = found.summary.total, found.error_distribution.get(DEADLINE, 0)
    aborted_per_s = aborted / total_s if total_s > 0 else 0.0
    percentiles = {
        float(name.removeprefix("p")) / 100: value
        for name, value in found.latency_percentiles.items()
        if value is not None
    }
    row = Row(
        name="run",
        tool="oha",
        loop="closed",
        rate_per_s=max(0.0, found.summary.requests_per_sec - aborted_per_s),
        duration_s=total_s,
        requests=good or None,
        errors=lost + sum(statuses.values()) - good,
        min_s=found.summary.fastest,
        mean_s=found.summary.average,
        max_s=found.summary.slowest,
        percentiles_s=percentiles,
        share_max=0.999,
    )
    return Table(path=path, tool="oha", rows=[row])
