"""What becomes of an experiment whose server is on one host and its generators on others."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from serverlab.design.kind import OF_SLICES, SEPARATE
from serverlab.design.plan import make_plan
from serverlab.errors import UsageError

if TYPE_CHECKING:
    from serverlab.design.experiment import Experiment
    from serverlab.records import Plan


def plan_for(
    experiment: Experiment, *, seed: int | None, duration: str | None, several_hosts: bool
) -> Plan:
    """Lay out the trials, on one machine or on several hosts. Raises UsageError."""
    if not several_hosts:
        return make_plan(experiment, seed=seed, duration=duration)
    return make_plan(
        on_hosts(experiment),
        seed=seed,
        duration=duration,
        generators=experiment.cluster.generators,
    )


def on_hosts(experiment: Experiment) -> Experiment:
    """The same experiment with its server on one host and its load from others.

    Generators have no common border between slices, so servers do not take turns.

    Raises UsageError for what needs one machine.
    """
    if experiment.design.connection_log:
        raise UsageError("[design] connection_log: only one machine keeps a log of connections")
    if of_slices := sorted(OF_SLICES & experiment.load_factors):
        raise UsageError(f"[load] {of_slices[0]}: generators on several hosts have no slices")
    reason = "generators on several hosts have no slices in common"
    return replace(
        experiment,
        design=replace(experiment.design, kind=SEPARATE, reason=reason),
        load={key: value for key, value in experiment.load.items() if key not in OF_SLICES},
    )
