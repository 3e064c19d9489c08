"""Little's law over the trials of a run: the bounds, and which trials break them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from serverlab.load_result import Verdict
from serverlab.quantities import duration_s
from serverlab.stats.little import ClosedLoop, broken
from serverlab.verdicts import VerdictName

if TYPE_CHECKING:
    from serverlab.records import Trial


def closed_loop(trial: Trial) -> ClosedLoop | None:
    """What bounds a trial; None if its load is no closed loop, or nothing was answered."""
    if trial.load is None or trial.load.load.model != "closed" or not trial.load.latency_ns.min:
        return None
    if not trial.load.load.connections:
        return None
    settings = trial.load_settings
    varies = settings.get("think-varies") == "on"  # then there are requests without any
    return ClosedLoop(
        places=trial.load.load.connections * trial.load.load.depth,
        shortest_s=trial.load.latency_ns.min / 1e9,
        think_s=0 if varies else duration_s(settings.get("think", "0s")),
    )


def checked(trial: Trial) -> Trial:
    """The same trial; IMPOSSIBLE if it counts and yet has more goodput than the law allows."""
    loop = closed_loop(trial)
    if loop is None or trial.load is None or not trial.is_valid:
        return trial
    load = trial.load
    if load.window.duration_s <= 0:
        return trial
    windows = max(1, len(load.slices))
    reason = broken(loop, load.rate.goodput_per_s, load.window.duration_s, windows)
    if not reason:
        return trial
    return msgspec.structs.replace(
        trial, verdict=Verdict(name=VerdictName.IMPOSSIBLE, reason=reason)
    )
