"""What is said of the work that others did on the CPUs of a measurement, meanwhile."""

from __future__ import annotations

from statistics import mean
from typing import TYPE_CHECKING

from serverlab.analysis.cells import OTHER_WORK_MAX, is_beside_other_work

if TYPE_CHECKING:
    from collections.abc import Iterable

    from serverlab.records import Trial


def other_cpus_busy(trials: Iterable[Trial]) -> float | None:
    """CPUs that other work kept busy, on average over trials; None where it is not known."""
    known = [trial.other_cpus_busy for trial in trials if trial.other_cpus_busy is not None]
    return mean(known) if known else None


def other_work(trials: Iterable[Trial]) -> str:
    """That other work took CPU time meanwhile, a sentence; empty if it took next to none."""
    own = list(trials)
    busy = other_cpus_busy(own)
    if busy is None or busy < OTHER_WORK_MAX:
        return ""
    most = max(trial.other_cpus_busy or 0.0 for trial in own)
    return (
        f"Other work took {busy:.2f} CPUs from server and generator meanwhile "
        f"(at most {most:.2f} in a trial){disturbed(own)}."
    )


def noise_words(trials: Iterable[Trial]) -> str:
    """Why figures say nothing that are far apart from block to block."""
    busy = other_cpus_busy(trials)
    work = "other work" if busy is None else f"other work, which took {busy:.2f} CPUs,"
    return f"{work} or pauses of the machine held up some blocks and not others"


def disturbed(trials: Iterable[Trial]) -> str:
    """How many trials have no latency because of it; empty if all have."""
    beside = [trial for trial in trials if is_beside_other_work(trial)]
    return f", so that latencies of {len(beside)} trials do not count" if beside else ""
