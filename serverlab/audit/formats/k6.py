"""k6's summary (--summary-export, or handleSummary's data). Times are in milliseconds."""

from __future__ import annotations

import re

import msgspec

from serverlab.audit.row import Row, Table

Figures = dict[str, float]


class Metric(msgspec.Struct):
    """A metric as handleSummary has it; --summary-export has the figures themselves."""

    values: Figures = {}


class Summary(msgspec.Struct):
    """Its document."""

    metrics: dict[str, dict[str, msgspec.Raw]]


PERCENTILE = re.compile(r"p\((\d+(?:\.\d+)?)\)")  # of those that were asked for


def read(document: bytes, path: str) -> Table:
    """The run of a document. Raises msgspec.ValidationError or ValueError."""
    summary = msgspec.json.decode(document, type=Summary)
    metrics = {name: figures(metric) for name, metric in summary.metrics.items()}
    times, requests = metrics.get("http_req_duration"), metrics.get("http_reqs")
    if times is None or requests is None:
        raise ValueError("the summary of k6 has no http_req_duration")
    rate, dropped = requests.get("rate"), metrics.get("dropped_iterations", {})
    vus = metrics.get("vus_max", {}).get("value") or metrics.get("vus_max", {}).get("max")
    failed = int(metrics.get("http_req_failed", {}).get("passes", 0))
    # Iterations that were due and never began are what the rate lacks.
    done = metrics.get("iterations", requests).get("count")
    lacking = dropped.get("count")
    offered = rate * (1 + lacking / done) if rate and done and lacking else None
    row = Row(
        name="http_reqs",
        tool="k6",
        places=int(vus) if vus else None,
        beyond="a user of k6 has several in flight in a batch",
        has_think_time=True,
        rate_per_s=rate,
        offered_per_s=offered,
        requests=max(0, int(requests["count"]) - failed) if "count" in requests else None,
        errors=failed,
        min_s=ms(times, "min"),
        mean_s=ms(times, "avg"),
        max_s=ms(times, "max"),
        percentiles_s={
            0.5 if name == "med" else float(name[2:-1]) / 100: value / 1e3
            for name, value in times.items()
            if name == "med" or PERCENTILE.fullmatch(name)
        },
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
