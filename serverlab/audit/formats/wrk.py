"""wrk and wrk2, by what they print. wrk2 says a rate's latency from when a request was due."""

from __future__ import annotations

import re

from serverlab.audit.formats.units import half_digit_s, seconds
from serverlab.audit.row import Row, Table

MARK = re.compile(r"^Running \S+ test @ (\S+)$", re.MULTILINE)
SHAPE = re.compile(r"(\d+) threads? and (\d+) connections?")
MEAN = re.compile(r"^\s+Latency\s+(\S+)\s+\S+\s+(\S+)\s+\S+%$", re.MULTILINE)
PERCENTILE = re.compile(r"^\s*(\d+(?:\.\d+)?)%\s+([0-9.]+[a-z]+)$", re.MULTILINE)
TOTAL = re.compile(r"(\d+) requests in (\S+),")
RATE = re.compile(r"^Requests/sec:\s+([0-9.]+)$", re.MULTILINE)
ERRORS = re.compile(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)")
STATUSES = re.compile(r"Non-2xx or 3xx responses: (\d+)")
OF_WRK2 = "Recorded Latency"  # above its table


def read(text: str, path: str) -> Table | None:
    """The runs that a text holds; None if it is of another tool. Raises ValueError."""
    starts = [match.start() for match in MARK.finditer(text)]
    if not starts:
        return None
    parts = [text[begin:end] for begin, end in zip(starts, [*starts[1:], len(text)], strict=True)]
    return Table(path=path, tool="wrk", rows=[row(part) for part in parts])


def row(text: str) -> Row:
    """One run."""
    mark, shape, mean = MARK.search(text), SHAPE.search(text), MEAN.search(text)
    total, rate = TOTAL.search(text), RATE.search(text)
    if not (mark and shape and total and rate):
        raise ValueError("the output of wrk ends before its rate")
    is_wrk2 = OF_WRK2 in text
    found = dict(PERCENTILE.findall(text))
    percentiles = {float(share) / 100: seconds(value) for share, value in found.items()}
    errors = sum(map(int, match.groups())) if (match := ERRORS.search(text)) else 0
    statuses = int(match[1]) if (match := STATUSES.search(text)) else 0
    times = [*found.values(), *(mean.groups() if mean else ())]
    return Row(
        name=mark[1],
        tool="wrk2" if is_wrk2 else "wrk",
        loop="open" if is_wrk2 else "closed",
        places=int(shape[2]),
        rate_per_s=float(rate[1]),
        duration_s=seconds(total[2]),
        requests=int(total[1]) - statuses,
        errors=errors + statuses,
        mean_s=seconds(mean[1]) if mean else None,
        max_s=percentiles.pop(1.0, None) or (seconds(mean[2]) if mean else None),
        percentiles_s=percentiles,
        resolution_s=max(map(half_digit_s, times), default=0.0),
        counts_from_sent=not is_wrk2,
    )
