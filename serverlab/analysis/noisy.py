"""Trials in slices that other work disturbed from the first slice to the last.

The generator knows the slices of its own load alone: where other work took the CPUs all the time,
that is usual, and each slice counts. Other blocks of the same subject show that it is not.
"""

from __future__ import annotations

from collections import defaultdict
from statistics import median
from typing import TYPE_CHECKING

import msgspec

from serverlab.analysis.cells import key_of
from serverlab.load_result import Verdict
from serverlab.verdicts import VerdictName

if TYPE_CHECKING:
    from collections.abc import Sequence

    from serverlab.quantities import Level
    from serverlab.records import Trial

# CPUs more than usual. What the kernel charges to no process differs by less than 0.1 between
# trials of one run on a quiet machine.
EXTRA_MAX = 0.25
QUIET_SHARE = 4  # one slice in so many is taken for undisturbed, as by the generator
BLOCKS_MIN = 3  # before one knows what is usual


def without_noisy(trials: Sequence[Trial]) -> list[Trial]:
    """The same trials, NOISY those of which even the quiet slices lost much more than is usual."""
    lost = [quiet_cpus(trial) for trial in trials]
    usual: dict[tuple[Level, ...], list[float]] = defaultdict(list)
    for trial, cpus in zip(trials, lost, strict=True):
        if cpus is not None:
            usual[key_of(trial.cell)].append(cpus)
    return [
        trial if cpus is None else judged(trial, cpus, usual[key_of(trial.cell)])
        for trial, cpus in zip(trials, lost, strict=True)
    ]


def quiet_cpus(trial: Trial) -> float | None:
    """What other work took of the quieter slices of a trial that counts; None if not known."""
    if trial.load is None or not trial.is_valid:
        return None
    measured = (row.other_cpus_busy for row in trial.load.slices)
    known = sorted(cpus for cpus in measured if isinstance(cpus, float))
    return known[(len(known) - 1) // QUIET_SHARE] if known else None


def judged(trial: Trial, cpus: float, usual: Sequence[float]) -> Trial:
    """The trial, NOISY if it lost more CPU time than is usual in all of its slices."""
    if len(usual) < BLOCKS_MIN or cpus <= median(usual) + EXTRA_MAX:
        return trial
    reason = (
        f"other work took {cpus:.2f} CPUs in the quieter slices, where {median(usual):.2f} is usual"
    )
    return msgspec.structs.replace(trial, verdict=Verdict(VerdictName.NOISY, reason))
