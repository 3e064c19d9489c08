"""What is said of the work that others did on the CPUs of a measurement, meanwhile."""

from __future__ import annotations

from statistics import mean
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from serverlab.records import Trial

# CPUs. The kernel's own work, and what it charges to no process where a CPU falls asleep
# between two requests, came to 0.02 to 0.09 on a quiet machine (1 and 64 connections).
OTHER_WORK_MIN = 0.15


def other_cpus_busy(trials: Iterable[Trial]) -> float | None:
    """CPUs that other work kept busy, on average over trials; None where it is not known."""
    known = [trial.other_cpus_busy for trial in trials if trial.other_cpus_busy is not None]
    return mean(known) if known else None


def other_work(trials: Iterable[Trial]) -> str:
    """That other work took CPU time meanwhile, a sentence; empty if it took next to none."""
    own = list(trials)
    busy = other_cpus_busy(own)
    if busy is None or busy < OTHER_WORK_MIN:
        return ""
    most = max(trial.other_cpus_busy or 0.0 for trial in own)
    return (
        f"Other work took {busy:.2f} CPUs from server and generator meanwhile "
        f"(at most {most:.2f} in a trial){disturbed(own)}."
    )


def disturbed(trials: Iterable[Trial]) -> str:
    """How many slices it disturbed, which mostly do not count; empty if there are no slices."""
    rows = [row for trial in trials if trial.load is not None for row in trial.load.slices]
    if not rows:
        return ""
    share = sum(bool(row.disturbed) for row in rows) / len(rows)
    if share == 0:
        return ", and disturbed no slice"
    return f"; latencies are without the {share:.0%} of slices that it disturbed"
