"""ApacheBench (ab), by what it prints. Its percentiles are whole milliseconds."""

from __future__ import annotations

import re

from serverlab.audit.formats.runs import runs_of
from serverlab.audit.row import Row, Table

MARK = re.compile(r"^This is ApacheBench", re.MULTILINE)
FIELD = r"^{}:[ \t]+([0-9.]+)"
PERCENTILE = re.compile(r"^[ \t]+(\d+)%[ \t]+(\d+)(?: \(longest request\))?[ \t]*$", re.MULTILINE)
TOTAL = re.compile(r"^Total:[ \t]+(\d+)[ \t]+(\d+)[ \t]+[0-9.]+[ \t]+\d+[ \t]+\d+", re.MULTILINE)
RESOLUTION_S = 0.5e-3


def read(text: str, path: str) -> Table | None:
    """The runs that a text holds; None if it is of another tool. Raises ValueError."""
    runs = runs_of(text, MARK)
    return Table(path=path, tool="ab", rows=[row(run.text) for run in runs]) if runs else None


def row(text: str) -> Row:
    """One run."""
    rate, taken = figure(text, "Requests per second"), figure(text, "Time taken for tests")
    complete, places = figure(text, "Complete requests"), figure(text, "Concurrency Level")
    if rate is None or taken is None or complete is None or places is None:
        raise ValueError("the output of ab ends before its rate")
    percentiles = {int(share) / 100: int(ms) / 1e3 for share, ms in PERCENTILE.findall(text)}
    longest_s = percentiles.pop(1.0, None)
    # Of replies without success ab counts only some as failed: those of another length.
    named = ("Failed requests", "Non-2xx responses")
    failures = max(int(figure(text, name) or 0) for name in named)
    port = re.search(r"^Server Port:[ \t]+(\d+)", text, re.MULTILINE)
    host = re.search(r"^Server Hostname:[ \t]+(\S+)", text, re.MULTILINE)
    total = TOTAL.search(text)
    # "Time per request" is the time over the requests, times the concurrency: no mean of latencies.
    return Row(
        name=f"{host[1] if host else '?'}:{port[1] if port else '?'}",
        tool="ab",
        loop="closed",
        places=int(places),
        rate_per_s=rate,
        duration_s=taken,
        requests=int(complete) - failures,
        errors=failures,
        min_s=int(total[1]) / 1e3 if total else None,
        mean_s=int(total[2]) / 1e3 if total else None,
        max_s=longest_s,
        percentiles_s=percentiles,
        resolution_s=RESOLUTION_S,
    )


def figure(text: str, name: str) -> float | None:
    """A figure of the report."""
    match = re.search(FIELD.format(re.escape(name)), text, re.MULTILINE)
    return float(match[1]) if match else None
