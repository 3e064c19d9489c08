"""The plan of an experiment whose server may be on one host and its generators on others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serverlab.design.plan import make_plan
from serverlab.errors import UsageError

if TYPE_CHECKING:
    from serverlab.design.experiment import Experiment
    from serverlab.records import Plan


def plan_for(
    experiment: Experiment, *, seed: int | None, duration: str | None, generators: int
) -> Plan:
    """Lay out the trials: `generators` on hosts of their own load the server, or one beside it.

    Raises UsageError for what needs one machine.
    """
    if generators and experiment.design.connection_log:
        raise UsageError("[design] connection_log: only one machine keeps a log of connections")
    return make_plan(experiment, seed=seed, duration=duration, generators=generators)
