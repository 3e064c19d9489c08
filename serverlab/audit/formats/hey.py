"""hey, by what it prints. Only its command line says how many workers it had, and their rate."""

from __future__ import annotations

import re

from serverlab.audit.formats.runs import Run, runs_of
from serverlab.audit.row import Row, Table

MARK = re.compile(r"^Summary:\n[ \t]+Total:[ \t]+([0-9.]+) secs[ \t]*$", re.MULTILINE)
FIELD = r"^[ \t]+{}:[ \t]+([0-9.]+)"
PERCENTILE = re.compile(r"^[ \t]+(\d+(?:\.\d+)?)%+ in ([0-9.]+) secs[ \t]*$", re.MULTILINE)
STATUS = re.compile(r"^[ \t]+\[(\d+)\][ \t]+(\d+) responses[ \t]*$", re.MULTILINE)
ERROR = re.compile(r"^[ \t]+\[(\d+)\][ \t]+(?!\d+ responses).+$", re.MULTILINE)
WORKERS = 50  # of a command line that does not say how many
RESOLUTION_S = 0.5e-4


def read(text: str, path: str) -> Table | None:
    """The runs that a text holds; None if it is of another tool. Raises ValueError."""
    runs = runs_of(text, MARK, "hey")
    rows = [row(run, f"run {number}") for number, run in enumerate(runs, start=1)]
    return Table(path=path, tool="hey", rows=rows) if rows else None


def row(run: Run, name: str) -> Row:
    """One run. A rate is that of each worker."""
    text = run.text
    workers = int(run.option("-c") or WORKERS) if run.command else None
    asked = run.option("-q")
    total, rate = MARK.search(text), figure(text, "Requests/sec")
    statuses = {int(code): int(count) for code, count in STATUS.findall(text)}
    if total is None or rate is None or not statuses:
        raise ValueError("the output of hey ends before its counts")
    good = sum(count for code, count in statuses.items() if code < 400)
    errors = sum(int(count) for count in ERROR.findall(text.partition("Error distribution")[2]))
    return Row(
        name=name,
        tool="hey",
        loop="unknown" if asked else "closed",
        places=workers,
        rate_per_s=rate,
        offered_per_s=asked * workers if asked and workers else None,
        duration_s=float(total[1]),
        requests=good,
        errors=errors + sum(statuses.values()) - good,
        min_s=figure(text, "Fastest"),
        mean_s=figure(text, "Average"),
        max_s=figure(text, "Slowest"),
        percentiles_s={
            float(share) / 100: float(value) for share, value in PERCENTILE.findall(text)
        },
        resolution_s=RESOLUTION_S,
    )


def figure(text: str, name: str) -> float | None:
    """A figure of the summary."""
    match = re.search(FIELD.format(re.escape(name)), text, re.MULTILINE)
    return float(match[1]) if match else None
