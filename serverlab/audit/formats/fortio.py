"""Fortio's JSON. Latency counts from when a request was sent."""

from __future__ import annotations

import msgspec

from serverlab.audit.row import Row, Table


class Percentile(msgspec.Struct, rename="pascal"):
    """A percentile: in percent, and seconds."""

    percentile: float
    value: float


class Histogram(msgspec.Struct, rename="pascal"):
    """Of all durations, in seconds."""

    count: int
    min: float
    max: float
    avg: float
    percentiles: list[Percentile] | None = None


class Fortio(msgspec.Struct, rename="pascal"):
    """Its document."""

    labels: str
    requested_qps: str = msgspec.field(name="RequestedQPS")
    actual_qps: float = msgspec.field(name="ActualQPS")
    actual_duration: int  # ns
    num_threads: int
    duration_histogram: Histogram
    ret_codes: dict[str, int] = {}


GOOD = {"200", "OK", "SERVING"}


def read(document: bytes, path: str) -> Table:
    """The run of a document. Raises msgspec.ValidationError."""
    found = msgspec.json.decode(document, type=Fortio)
    histogram = found.duration_histogram
    asked = found.requested_qps
    offered = None if asked == "max" else float(asked)
    errors = sum(count for code, count in found.ret_codes.items() if code not in GOOD)
    row = Row(
        name=found.labels or "run",
        tool="fortio",
        loop="closed" if offered is None else "unknown",
        places=found.num_threads,
        rate_per_s=found.actual_qps,
        offered_per_s=offered,
        duration_s=found.actual_duration / 1e9,
        requests=max(0, histogram.count - errors),
        errors=errors,
        min_s=histogram.min,
        mean_s=histogram.avg,
        max_s=histogram.max,
        percentiles_s={one.percentile / 100: one.value for one in histogram.percentiles or []},
    )
    return Table(path=path, tool="fortio", rows=[row])
