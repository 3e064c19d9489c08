"""wrk and wrk2, by what they print.

wrk2 counts latency from when a request was due. wrk counts from when it was sent, and corrects: for
each latency of more than twice the time from one reply of a connection to the next it adds smaller
ones, of requests that there were not. Its mean and percentiles are those of all.
"""

from __future__ import annotations

import re

from serverlab.audit.formats.runs import Run, runs_of
from serverlab.audit.formats.units import half_digit_s, seconds
from serverlab.audit.row import Row, Table

MARK = re.compile(r"^Running \S+ test @ (\S+)[ \t]*$", re.MULTILINE)
SHAPE = re.compile(r"(\d+) threads? and (\d+) connections?")
MEAN = re.compile(r"^[ \t]+Latency[ \t]+(\S+)[ \t]+\S+[ \t]+(\S+)[ \t]+\S+%[ \t]*$", re.MULTILINE)
PERCENTILE = re.compile(r"^[ \t]*(\d+(?:\.\d+)?)%[ \t]+([0-9.]+[a-z]+)[ \t]*$", re.MULTILINE)
TOTAL = re.compile(r"(\d+) requests in (\S+),")
RATE = re.compile(r"^Requests/sec:[ \t]+([0-9.]+)[ \t]*$", re.MULTILINE)
ERRORS = re.compile(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)")
STATUSES = re.compile(r"Non-2xx or 3xx responses: (\d+)")
ADDED = "wrk adds latencies that no request had to its mean"
# What wrk2 alone prints: above its table, after 10 s, and of a run that has ended before.
OF_WRK2 = re.compile(r"HdrHistogram|Thread calibration: mean lat|Req/Sec[ \t]+-?nan")


def read(text: str, path: str) -> Table | None:
    """The runs that a text holds; None if it is of another tool. Raises ValueError."""
    runs = runs_of(text, MARK, "wrk", "wrk2")
    rows = [row(run) for run in runs]
    return Table(path=path, tool=rows[0].tool, rows=rows) if rows else None


def row(run: Run) -> Row:
    """One run."""
    text = run.text
    mark, shape, mean = MARK.search(text), SHAPE.search(text), MEAN.search(text)
    total, rate = TOTAL.search(text), RATE.search(text)
    if not (mark and shape and total and rate):
        raise ValueError("the output of wrk ends before its rate")
    asked = run.option("-R", "--rate")  # wrk has no such option
    is_wrk2 = run.tool == "wrk2" or asked is not None or OF_WRK2.search(text) is not None
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
        offered_per_s=asked,
        duration_s=seconds(total[2]),
        requests=int(total[1]) - statuses,
        errors=errors + statuses,
        mean_s=seconds(mean[1]) if mean else None,
        max_s=percentiles.pop(1.0, None) or (seconds(mean[2]) if mean else None),
        percentiles_s=percentiles,
        share_max=0.999,
        resolution_s=max(map(half_digit_s, times), default=0.0),
        counts_from_sent=not is_wrk2,
        has_added=not is_wrk2,
        beyond="" if is_wrk2 else ADDED,
    )
