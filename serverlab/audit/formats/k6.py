"""k6's summary (--summary-export, or handleSummary's data). Times are in milliseconds."""

from __future__ import annotations

import msgspec

from serverlab.audit.row import Row, Table

Figures = dict[str, float]


class Metric(msgspec.Struct):
    """A metric as handleSummary has it; --summary-export has the figures themselves."""

    values: Figures = {}


class Summary(msgspec.Struct):
    """Its document."""

    metrics: dict[str, dict[str, msgspec.Raw]]


SHARES = {"med": 0.5, "p(90)": 0.9, "p(95)": 0.95, "p(99)": 0.99, "p(99.9)": 0.999}


def read(document: bytes, path: str) -> Table:
    """The run of a document. Raises msgspec.ValidationError or ValueError."""
    summary = msgspec.json.decode(document, type=Summary)
    metrics = {name: figures(metric) for name, metric in summary.metrics.items()}
    times, requests = metrics.get("http_req_duration"), metrics.get("http_reqs")
    if times is None or requests is None:
        raise ValueError("the summary of k6 has no http_req_duration")
    rate, dropped = requests.get("rate"), metrics.get("dropped_iterations", {})
    vus = metrics.get("vus_max", {}).get("value") or metrics.get("vus_max", {}).get("max")
    failed = metrics.get("http_req_failed", {})
    # Iterations that were due and never began are what the rate lacks.
    offered = rate + dropped["rate"] if rate and dropped.get("rate") else None
    row = Row(
        name="http_reqs",
        tool="k6",
        places=int(vus) if vus else None,
        has_think_time=True,
        rate_per_s=rate,
        offered_per_s=offered,
        requests=int(requests["count"]) if "count" in requests else None,
        errors=int(failed.get("passes", 0)),
        min_s=ms(times, "min"),
        mean_s=ms(times, "avg"),
        max_s=ms(times, "max"),
        percentiles_s={share: times[name] / 1e3 for name, share in SHARES.items() if name in times},
    )
    return Table(path=path, tool="k6", rows=[row])


def figures(metric: dict[str, msgspec.Raw]) -> Figures:
    """The figures of a metric in either form."""
    if "values" in metric:
        return msgspec.json.decode(metric["values"], type=Figures)
    found = {}
    for name, raw in metric.items():
        value = msgspec.json.decode(raw)
        if isinstance(value, int | float) and not isinstance(value, bool):
            found[name] = float(value)
    return found


def ms(times: Figures, name: str) -> float | None:
    """A time in seconds, if it is there."""
    return times[name] / 1e3 if name in times else None
