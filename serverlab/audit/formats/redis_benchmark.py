"""redis-benchmark, by what it prints and by its --csv."""

from __future__ import annotations

import csv
import re

from serverlab.audit.row import Row, Table

CSV_HEAD = '"test","rps","avg_latency_ms"'
MARK = re.compile(r"====== (.+?) ======")  # behind what it prints while it goes on
DONE = re.compile(r"(\d+) requests completed in ([0-9.]+) seconds")
CLIENTS = re.compile(r"(\d+) parallel clients")
RATE = re.compile(r"throughput summary: ([0-9.]+) requests per second")
SUMMARY = re.compile(
    r"avg\s+min\s+p50\s+p95\s+p99\s+max\s+"
    r"([0-9.]+)\s+([0-9.]+)\s+([0-9.]+)\s+([0-9.]+)\s+([0-9.]+)\s+([0-9.]+)"
)
RESOLUTION_S = 4e-6  # its histogram has steps of some µs


def read(text: str, path: str) -> Table | None:
    """The tests that a text holds; None if it is of another tool. Raises ValueError."""
    if text.lstrip().startswith(CSV_HEAD):
        rows = [of_csv(one) for one in csv.DictReader(text.strip().splitlines())]
        return Table(path=path, tool="redis-benchmark", rows=rows)
    starts = [match.start() for match in MARK.finditer(text)]
    if not starts or "requests completed in" not in text:
        return None
    parts = [text[begin:end] for begin, end in zip(starts, [*starts[1:], len(text)], strict=True)]
    return Table(path=path, tool="redis-benchmark", rows=[of_text(part) for part in parts])


def of_csv(line: dict[str, str]) -> Row:
    """A line of --csv, which says neither the clients nor the requests."""
    times = {key: float(line[f"{key}_latency_ms"]) / 1e3 for key in TIMES}
    return Row(
        name=line["test"],
        tool="redis-benchmark",
        loop="closed",
        rate_per_s=float(line["rps"]),
        min_s=times["min"],
        mean_s=times["avg"],
        max_s=times["max"],
        percentiles_s={share: times[key] for key, share in SHARES.items()},
        resolution_s=RESOLUTION_S,
    )


TIMES = ("avg", "min", "p50", "p95", "p99", "max")
SHARES = {"p50": 0.5, "p95": 0.95, "p99": 0.99}


def of_text(text: str) -> Row:
    """A test as it is printed."""
    mark, done, clients = MARK.search(text), DONE.search(text), CLIENTS.search(text)
    rate, summary = RATE.search(text), SUMMARY.search(text)
    if not (mark and done and clients and rate and summary):
        raise ValueError("the output of redis-benchmark ends before its summary")
    times = {key: float(value) / 1e3 for key, value in zip(TIMES, summary.groups(), strict=True)}
    return Row(
        name=mark[1],
        tool="redis-benchmark",
        # With -P it does not say how many requests are in flight on a connection.
        loop="closed",
        rate_per_s=float(rate[1]),
        duration_s=float(done[2]),
        requests=int(done[1]),
        min_s=times["min"],
        mean_s=times["avg"],
        max_s=times["max"],
        percentiles_s={share: times[key] for key, share in SHARES.items()},
        resolution_s=RESOLUTION_S,
    )
