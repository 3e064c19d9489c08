"""A run's folder, read: the plan, the machine, the trials."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.documents import content_of, decode
from serverlab.environment import Environment
from serverlab.errors import UsageError
from serverlab.hosts_of_run import read_hosts
from serverlab.measures import BY_NAME
from serverlab.quantities import quoted
from serverlab.records import read_plan, read_trials
from serverlab.slices import LEDGERS, ProbedLoad

if TYPE_CHECKING:
    from pathlib import Path

    from serverlab.hosts_of_run import HostsOfRun
    from serverlab.records import Plan, Trial


@dataclass(frozen=True, slots=True, kw_only=True)
class RunData:
    """A run, as far as it has come."""

    folder: Path
    plan: Plan
    environment: Environment  # nothing of it is known if the file is not there
    trials: list[Trial]
    hosts: HostsOfRun | None  # None: all ran on one
    ledgers: list[ProbedLoad]  # of the edges that were explained, in the order of the plan
    experiment: str  # the text of the experiment file; empty if it is not there

    @property
    def counted(self) -> list[Trial]:
        """The trials without those in place of which another is run."""
        again = {trial.repeats for trial in self.plan.trials}
        return [trial for trial in self.trials if not trial.is_noisy or trial.trial not in again]


def read_run(folder: Path) -> RunData:
    """Read a run's folder. @raises UsageError that names the file."""
    plan = read_plan(folder)
    named = plan.precision if isinstance(plan.precision, dict) else {}
    for name in (*plan.contrast.by, *named):
        if name not in BY_NAME:
            raise UsageError(f"{folder / 'plan.json'}: there is no measure {quoted(name)}")
    environment = folder / "environment.json"
    return RunData(
        folder=folder,
        plan=plan,
        environment=decode(environment, Environment, "run")
        if environment.exists()
        else Environment(),
        trials=read_trials(folder / "trials.jsonl", plan.trials),
        hosts=read_hosts(folder),
        ledgers=[
            decode(path, ProbedLoad, "run")
            for name in plan.family
            if (path := folder / LEDGERS / f"{name}.json").exists()
        ],
        experiment=text_of(folder / "experiment.toml"),
    )


def text_of(path: Path) -> str:
    """The text of a file, with marks for what is none; empty if it is not there."""
    try:
        return content_of(path).decode(errors="replace")
    except FileNotFoundError:
        return ""
