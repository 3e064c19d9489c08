"""What happened within a window: open connections, CPU and memory of the server, over time.

Every subject is shown at the same level of x, the one with the most connections, by its first valid
trial there.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from serverlab.analysis.cells import Cell
    from serverlab.records import Trial


BETWEEN_MIN_S = 0.1  # two looks: CPU time over less is a matter of the kernel's ticks


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """What is known at an instant, from the load or from the looks at the server."""

    t_s: float  # since the window began
    established: int | None = None
    cpus_busy: float | None = None  # by the server, since the last look
    rss_bytes: int | None = None
    threads: int | None = None
    descriptors: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """A cell's trial, moment by moment."""

    cell: Cell
    trial: str
    moments: tuple[Moment, ...]


def timelines(cells: Iterable[Cell]) -> list[Timeline]:
    """A timeline for each subject and panel that has a valid trial."""
    valid = [cell for cell in cells if cell.valid and moments(cell.valid[0])]
    if not valid:
        return []
    widest = max(valid, key=lambda cell: connections_of(cell.valid[0]))
    return [
        Timeline(cell=cell, trial=cell.valid[0].trial, moments=tuple(moments(cell.valid[0])))
        for cell in valid
        if cell.level == widest.level
    ]


def moments(trial: Trial) -> list[Moment]:
    """A trial's moments by time: the load's intervals, and the looks at the server."""
    return sorted([*of_load(trial), *of_server(trial)], key=lambda moment: moment.t_s)


def of_load(trial: Trial) -> Iterator[Moment]:
    """The connections that were open at the end of each interval, or slice."""
    for row in [] if trial.load is None else trial.load.series:
        yield Moment(t_s=row.t_s, established=row.established)


def of_server(trial: Trial) -> Iterator[Moment]:
    """Each look at the server, with its CPU time since the one before."""
    samples = [] if trial.server is None else trial.server.samples
    for before, after in itertools.pairwise(samples):
        if after.t_s - before.t_s >= BETWEEN_MIN_S:
            yield Moment(
                t_s=after.t_s,
                cpus_busy=(after.cpu_s - before.cpu_s) / (after.t_s - before.t_s),
                rss_bytes=after.rss_bytes,
                threads=after.threads,
                descriptors=after.descriptors,
            )


def connections_of(trial: Trial) -> int:
    """How many were asked for."""
    return 0 if trial.load is None else trial.load.connections.requested
