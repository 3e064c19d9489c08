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


DEADLINE = "aborted due to deadline"  # requests in flight at the end are no errors


def read(document: bytes, path: str) -> Table:
    """The run of a document. Raises msgspec.ValidationError."""
    found = msgspec.json.decode(document, type=Oha)
    statuses = found.status_code_distribution
    good = sum(count for code, count in statuses.items() if code.startswith(("2", "3")))
    lost = sum(count for why, count in found.error_distribution.items() if why != DEADLINE)
    percentiles = {
        float(name.removeprefix("p")) / 100: value
        for name, value in found.latency_percentiles.items()
        if value is not None
    }
    row = Row(
        name="run",
        tool="oha",
        loop="closed",
        rate_per_s=found.summary.requests_per_sec,
        duration_s=found.summary.total,
        requests=good or None,
        errors=lost + sum(statuses.values()) - good,
        min_s=found.summary.fastest,
        mean_s=found.summary.average,
        max_s=found.summary.slowest,
        percentiles_s=percentiles,
        share_max=0.999,
    )
    return Table(path=path, tool="oha", rows=[row])
