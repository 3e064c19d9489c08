"""redis-benchmark, by what it prints and by its --csv."""

from __future__ import annotations

import csv
import re

from serverlab.audit.formats.runs import Run, runs_of
from serverlab.audit.row import Row, Table

CSV_HEAD = '"test","rps","avg_latency_ms"'
MARK = re.compile(r"====== (.+?) ======")  # behind what it prints while it goes on
DONE = re.compile(r"(\d+) requests completed in ([0-9.]+) seconds")
CLIENTS = re.compile(r"(\d+) parallel clients")
RATE = re.compile(r"throughput summary: ([0-9.]+) requests per second")
SUMMARY = re.compile(
    r"avg +min +p50 +p95 +p99 +max *\n"
    r" +([0-9.]+) +([0-9.]+) +([0-9.]+) +([0-9.]+) +([0-9.]+) +([0-9.]+)"
)
RESOLUTION_S = 4e-6  # its histogram has steps of some µs


def read(text: str, path: str) -> Table | None:
    """The tests that a text holds; None if it is of another tool. Raises ValueError."""
    if text.lstrip().startswith(CSV_HEAD):
        try:
            rows = [of_csv(one) for one in csv.DictReader(text.strip().splitlines())]
        except (csv.Error, KeyError, TypeError):
            raise ValueError("a line of redis-benchmark ends before its last column") from None
        return Table(path=path, tool="redis-benchmark", rows=rows)
    runs = runs_of(text, MARK, "redis-benchmark")
    if not runs or "requests completed in" not in text:
        return None
    rows = []
    command = ""
    for run in runs:
        command = run.command or command  # one starts all tests
        rows.append(of_text(Run(run.text, command=command)))
    return Table(path=path, tool="redis-benchmark", rows=rows)


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


def of_text(run: Run) -> Row:
    """A test as it is printed."""
    text = run.text
    mark, done, clients = MARK.search(text), DONE.search(text), CLIENTS.search(text)
    rate, summary = RATE.search(text), SUMMARY.search(text)
    if not (mark and done and clients and rate and summary):
        raise ValueError("the output of redis-benchmark ends before its summary")
    times = {key: float(value) / 1e3 for key, value in zip(TIMES, summary.groups(), strict=True)}
    return Row(
        name=mark[1],
        tool="redis-benchmark",
        loop="closed",
        # It does not print how many requests are in flight on a connection.
        places=int(clients[1]) * int(run.option("-P") or 1) if run.command else None,
        has_think_time=True,  # its one thread handles the replies of all connections in turn
        rate_per_s=float(rate[1]),
        duration_s=float(done[2]),
        requests=int(done[1]),
        min_s=times["min"],
        mean_s=times["avg"],
        max_s=times["max"],
        percentiles_s={share: times[key] for key, share in SHARES.items()},
        resolution_s=RESOLUTION_S,
    )
