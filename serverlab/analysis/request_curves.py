"""Requests of each connection, from the few to the many, and in the order of connecting.

They come from the connection logs of a run, where it has kept some. Every engine is shown at the
same level of x, the one with the most connections, by its first valid trial there: blocks drift,
and several together would look less fair than each of them.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from serverlab.analysis.cells import Cell
    from serverlab.records import Trial

FOLDER = "connections"  # within the run's
STEPS_MAX = 250  # of a curve: more than can be told apart


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestCurve:
    """A cell's connections, sorted by their requests."""

    cell: Cell
    trial: str
    requests: tuple[int, ...]
    by_connecting: tuple[int, ...]  # the same, the connection first that was connected first

    def steps(self) -> list[tuple[float, int]]:
        """Shares of the connections in percent, each with the most requests that one of it has.

        The first share is 0, with the least of all.
        """
        total = len(self.requests)
        count = min(total, STEPS_MAX)
        ends = [-(-step * total // count) for step in range(1, count + 1)]  # rounded up
        steps = [(100 * end / total, self.requests[end - 1]) for end in ends]
        return [(0.0, self.requests[0]), *steps]

    def in_order(self) -> list[tuple[float, float]]:
        """Shares of the connections in percent, in the order of connecting, with mean requests.

        A share is the middle of a stretch of neighbours, the mean that of their requests.
        """
        total = len(self.by_connecting)
        count = min(total, STEPS_MAX)
        ends = [step * total // count for step in range(count + 1)]
        return [
            (50 * (begin + end) / total, sum(self.by_connecting[begin:end]) / (end - begin))
            for begin, end in itertools.pairwise(ends)
        ]


def request_curves(run_folder: Path, cells: Iterable[Cell]) -> list[RequestCurve]:
    """A curve for each engine and panel that has a log; none if the run has kept no logs."""
    folder = run_folder / FOLDER
    logged = [(cell, trial) for cell in cells if (trial := first_logged(folder, cell)) is not None]
    if not logged:
        return []
    widest, _ = max(logged, key=lambda one: connections_of(one[1]))
    return [
        RequestCurve(
            cell=cell, trial=trial.trial, requests=tuple(sorted(requests)), by_connecting=requests
        )
        for cell, trial in logged
        if cell.level == widest.level and (requests := requests_of(log_of(folder, trial)))
    ]


def first_logged(folder: Path, cell: Cell) -> Trial | None:
    """The first trial of a cell that counts and has a log."""
    return next((trial for trial in cell.valid if log_of(folder, trial).exists()), None)


def log_of(folder: Path, trial: Trial) -> Path:
    """A row for each connection."""
    return folder / f"{trial.trial}.parquet"


def connections_of(trial: Trial) -> int:
    """How many were asked for."""
    return 0 if trial.load is None else trial.load.connections.requested


def requests_of(log: Path) -> tuple[int, ...]:
    """Of each connection, in the order of connecting. Raises UsageError that names the file."""
    import polars  # noqa: PLC0415 - it takes long to load, and few runs keep logs

    try:
        rows = polars.read_parquet(log, columns=["connected_at_s", "requests"])
        return tuple(rows.sort("connected_at_s", maintain_order=True)["requests"])
    except (OSError, polars.exceptions.PolarsError) as error:
        raise UsageError(f"{log}: {error}") from error
