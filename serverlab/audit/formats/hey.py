"""hey, by what it prints. It does not say how many workers it had, nor the rate asked for."""

from __future__ import annotations

import re

from serverlab.audit.row import Row, Table

MARK = re.compile(r"^Summary:\n\s+Total:\s+([0-9.]+) secs$", re.MULTILINE)
FIELD = r"^\s+{}:\s+([0-9.]+)"
PERCENTILE = re.compile(r"^\s+(\d+(?:\.\d+)?)%+ in ([0-9.]+) secs$", re.MULTILINE)
STATUS = re.compile(r"^\s+\[(\d+)\]\s+(\d+) responses$", re.MULTILINE)
ERROR = re.compile(r"^\s+\[(\d+)\]\s+(?!\d+ responses).+$", re.MULTILINE)
RESOLUTION_S = 0.5e-4


def read(text: str, path: str) -> Table | None:
    """The runs that a text holds; None if it is of another tool. Raises ValueError."""
    starts = [match.start() for match in MARK.finditer(text)]
    if not starts or "Requests/sec:" not in text:
        return None
    parts = [text[begin:end] for begin, end in zip(starts, [*starts[1:], len(text)], strict=True)]
    rows = [row(part, f"run {number}") for number, part in enumerate(parts, start=1)]
    return Table(path=path, tool="hey", rows=rows)


def row(text: str, name: str) -> Row:
    """One run."""
    total, rate = MARK.search(text), figure(text, "Requests/sec")
    statuses = {int(code): int(count) for code, count in STATUS.findall(text)}
    if total is None or rate is None or not statuses:
        raise ValueError("the output of hey ends before its counts")
    good = sum(count for code, count in statuses.items() if code < 400)
    errors = sum(int(count) for count in ERROR.findall(text.partition("Error distribution")[2]))
    return Row(
        name=name,
        tool="hey",
        loop="closed",
        rate_per_s=rate,
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
