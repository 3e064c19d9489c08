"""memtier_benchmark's JSON (--json-out-file). Times are in milliseconds."""

from __future__ import annotations

import msgspec

from serverlab.audit.row import Row, Table


class Configuration(msgspec.Struct, rename={"rate_limiting": "rate-limiting"}):
    """How it was called."""

    clients: int
    threads: int
    pipeline: int = 1
    rate_limiting: int = 0  # of each connection; 0: none


class Totals(
    msgspec.Struct,
    rename={
        "count": "Count",
        "rate": "Ops/sec",
        "mean": "Average Latency",
        "shortest": "Min Latency",
        "longest": "Max Latency",
        "percentiles": "Percentile Latencies",
    },
):
    """Of all operations."""

    count: int
    rate: float
    mean: float
    shortest: float | None = None
    longest: float | None = None
    percentiles: dict[str, msgspec.Raw] = {}


class Stats(msgspec.Struct, rename={"totals": "Totals"}):
    """Its statistics."""

    totals: Totals


class Memtier(msgspec.Struct, rename={"stats": "ALL STATS"}):
    """Its document."""

    configuration: Configuration
    stats: Stats


def read(document: bytes, path: str) -> Table:
    """The run of a document. Raises msgspec.ValidationError."""
    found = msgspec.json.decode(document, type=Memtier)
    asked, totals = found.configuration, found.stats.totals
    connections = asked.clients * asked.threads
    percentiles = {
        float(name.removeprefix("p")) / 100: msgspec.json.decode(raw, type=float) / 1e3
        for name, raw in totals.percentiles.items()
        if name.startswith("p")
    }
    row = Row(
        name="Totals",
        tool="memtier",
        loop="unknown" if asked.rate_limiting else "closed",
        places=connections * asked.pipeline,
        rate_per_s=totals.rate,
        offered_per_s=float(asked.rate_limiting * connections) or None,
        requests=totals.count,
        min_s=None if totals.shortest is None else totals.shortest / 1e3,
        mean_s=totals.mean / 1e3,
        max_s=None if totals.longest is None else totals.longest / 1e3,
        percentiles_s=percentiles,
    )
    return Table(path=path, tool="memtier", rows=[row])
