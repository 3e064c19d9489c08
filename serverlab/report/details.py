"""The fold-out table behind the figures: book-keeping, fairness, errors, system calls, bytes."""

from __future__ import annotations

import statistics
from collections import Counter
from typing import TYPE_CHECKING

from serverlab.analysis.all_requests import percentiles
from serverlab.analysis.laws import closed_loop
from serverlab.notation import NARROW_SPACE, count, number, readable
from serverlab.report.tables import (
    ABSENT,
    NO_NUMBER,
    Entry,
    Table,
    levels,
    names_of_levels,
    number_entry,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from serverlab.analysis.all_requests import Percentile
    from serverlab.analysis.axes import Axes
    from serverlab.analysis.cells import Cell
    from serverlab.load_result import LoadResult
    from serverlab.records import Trial

CALLS = ("receive", "send", "wait", "change", "wake")

HEAD = (
    *((name, "of all requests") for name in ("p50", "p90", "p99", "p99.9")),
    ("in flight", "by gauge"),
    ("in flight", "by requests"),
    ("goodput at most", "by Little’s law"),
    ("fairness", "min · mean · max"),
    ("fairness", "cv"),
    ("fairness", "Jain"),
    ("send lag", "p99"),
    ("connect", "p99"),
    ("connections", "lost · reopened"),
    ("errors", "by class"),
    *((f"{call} calls", "per request") for call in CALLS),
    ("bytes", "sent · received"),
)


def details_table(axes: Axes, cells: Sequence[Cell]) -> Table:
    """A row per cell of which there is a load's result, valid or not; medians over its trials."""
    measured = [cell for cell in cells if any(trial.load is not None for trial in cell.trials)]
    return Table(
        head=(*((name, "") for name in names_of_levels(axes)), *HEAD),
        rows=tuple((*levels(axes, cell), *entries(cell)) for cell in measured),
    )


def entries(cell: Cell) -> list[Entry]:
    """The columns beyond the levels."""
    loads = [trial.load for trial in cell.trials if trial.load is not None]
    return [
        *(percentile_entry(one) for one in percentiles(cell).values()),
        middle(load.in_flight.by_gauge for load in loads),
        middle(load.in_flight.by_requests for load in loads),
        bound(cell),
        Entry(text=fairness(loads)),
        middle(load.fairness.cv for load in loads),
        middle(load.fairness.jain for load in loads),
        middle_time(load.send_lag_ns.p99 for load in loads),
        middle_time(load.connect_ns.p99 for load in loads),
        Entry(text=connections(loads)),
        Entry(text=errors(loads)),
        *(middle(calls_per_request(trial, call) for trial in cell.trials) for call in CALLS),
        Entry(text=traffic(loads)),
    ]


def percentile_entry(one: Percentile) -> Entry:
    """A percentile of all requests, its interval below it."""
    if one.value is None:
        return NO_NUMBER
    low, high = ("?" if end is None else readable(end, "time") for end in (one.low, one.high))
    return number_entry(readable(one.value, "time"), one.value, f"{low} to {high}")


def middle(values: Iterable[float | None]) -> Entry:
    """The median of what there is."""
    known = [value for value in values if value is not None]
    if not known:
        return NO_NUMBER
    value = statistics.median(known)
    return number_entry(number(value), value)


def middle_time(values: Iterable[float | None]) -> Entry:
    """The median of times in nanoseconds."""
    known = [value for value in values if value is not None]
    if not known:
        return NO_NUMBER
    value = statistics.median(known)
    return number_entry(readable(value, "time"), value)


def bound(cell: Cell) -> Entry:
    """What the law allows a closed loop, and how near its goodput comes; medians over trials."""
    found = [
        (loop.rate_max_per_s, trial.load.rate.goodput_per_s / loop.rate_max_per_s)
        for trial in cell.trials
        if trial.load is not None and (loop := closed_loop(trial)) is not None
    ]
    if not found:
        return NO_NUMBER
    most, share = (statistics.median(one) for one in zip(*found, strict=True))
    return number_entry(number(most), most, f"{100 * share:.0f}{NARROW_SPACE}% of it reached")


def fairness(loads: Sequence[LoadResult]) -> str:
    """Requests of the least, the average and the most served connection."""
    parts = [
        [value for load in loads if (value := getattr(load.fairness, end)) is not None]
        for end in ("min", "mean", "max")
    ]
    return " · ".join(number(statistics.median(part)) if part else ABSENT for part in parts)


def connections(loads: Sequence[LoadResult]) -> str:
    """How many were lost in all trials together, and how many were opened again."""
    lost = sum(load.connections.lost for load in loads)
    reopened = sum(load.connections.reopened for load in loads)
    return f"{count(lost)} · {count(reopened)}"


def errors(loads: Sequence[LoadResult]) -> str:
    """Errors of all trials together, those before the window included."""
    total: Counter[str] = Counter()
    for load in loads:
        total.update(load.requests.errors)
        total.update(load.requests.errors_before_window)
    return ", ".join(f"{name} {count(errors)}" for name, errors in total.items()) or "none"


def calls_per_request(trial: Trial, call: str) -> float | None:
    """System calls that the server counted, per request.

    The server counts from its start to its end, the load only within the window: the bytes that
    came in tell how many requests the server has seen in all.
    """
    if trial.load is None or trial.server is None or trial.server.summary is None:
        return None
    summary, load = trial.server.summary, trial.load
    if summary.syscalls is None or not load.bytes.sent or not load.requests.received:
        return None
    whole = summary.bytes_in / load.bytes.sent
    calls: int = getattr(summary.syscalls, call)
    return calls / (load.requests.received * whole) if whole else None


def traffic(loads: Sequence[LoadResult]) -> str:
    """Payload bytes of all trials together."""
    sent = sum(load.bytes.sent for load in loads)
    received = sum(load.bytes.received for load in loads)
    return f"{readable(sent, 'memory')} · {readable(received, 'memory')}".replace(" ", NARROW_SPACE)
