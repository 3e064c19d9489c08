"""HttpArena's result files: a list of rows, each of a framework."""

from __future__ import annotations

import msgspec

from serverlab.audit.formats.units import half_digit_s, seconds
from serverlab.audit.row import Row, Table


class Figures(msgspec.Struct):
    """A row."""

    framework: str
    rps: float
    avg_latency: str
    p99_latency: str
    connections: int
    duration: str
    pipeline: int = 1
    reconnects: int = 0
    status_2xx: int = 0
    status_4xx: int = 0
    status_5xx: int = 0


MAY_BE_WRK = "if the tool is wrk, its mean has latencies that no request had"
RECONNECTS_SHARE_MAX = 0.01  # of requests: above it, connections open and close during the load


def read(document: bytes, path: str) -> Table:
    """All rows of a document. Raises msgspec.ValidationError."""
    found = msgspec.json.decode(document, type=list[Figures])
    rows = [row(one) for one in found if one.rps > 0]
    return Table(path=path, tool="HttpArena", rows=rows, is_ranking=True)


def row(own: Figures) -> Row:
    """One framework's."""
    reconnects = own.reconnects > RECONNECTS_SHARE_MAX * own.status_2xx
    times = [text for text in (own.avg_latency, own.p99_latency) if usable(text)]
    mean_s = seconds(own.avg_latency) if usable(own.avg_latency) else None
    p99_s = seconds(own.p99_latency) if usable(own.p99_latency) else None
    return Row(
        name=own.framework,
        tool="HttpArena",
        group=f"{own.connections} connections, depth {own.pipeline}",
        loop="closed",
        places=own.connections * own.pipeline,
        has_think_time=reconnects,  # connecting takes time that no latency has
        may_have_streams=True,
        # Where it has no p99, it writes the mean in its place: of wrk, and of h2load.
        beyond=MAY_BE_WRK if own.p99_latency == own.avg_latency else "",
        rate_per_s=own.rps,
        duration_s=seconds(own.duration),
        requests=own.status_2xx or None,
        errors=own.status_4xx + own.status_5xx,
        mean_s=mean_s,
        percentiles_s={} if p99_s is None else {0.99: p99_s},
        resolution_s=max(map(half_digit_s, times), default=0.0),
    )


def usable(text: str) -> bool:
    """Whether a time was measured: others are empty or 0."""
    return bool(text) and text[0].isdigit() and seconds(text) > 0
