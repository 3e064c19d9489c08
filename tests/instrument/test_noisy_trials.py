"""A trial beside which other work runs for a while: it is noticed, and run once more."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

from serverlab.design.catalog import catalog
from serverlab.design.experiment import parse
from serverlab.design.plan import make_plan
from serverlab.environment import Environment
from serverlab.machine.machine import cpus_of_all
from serverlab.running.runner import run
from serverlab.running.store import RunFolder
from serverlab.verdicts import VerdictName
from tests.instrument.busy_host import while_the_host_lends_the_cpus

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from serverlab.records import Plan, PlannedTrial, Trial
    from serverlab.running.events import Event

TEXT = """question = "Which?"
[server]
engine = ["poll", "threads"]
[load]
duration = "1 s"
warmup = "100 ms"
[design]
kind = "separate"
twin = false
blocks = 3
"""
DISTURBED = "b3-001"


class Disturbing:
    """Lets other work run on the CPUs of one trial."""

    def __init__(self) -> None:
        self.others: list[subprocess.Popen[bytes]] = []

    @contextlib.contextmanager
    def of(self, plan: Plan, done: set[str]) -> Iterator[None]:
        """Nothing is shown."""
        assert plan.trials
        assert not done
        yield

    def extend(self, plan: Plan, more: Sequence[PlannedTrial]) -> None:
        """A trial is run once more."""

    def begin(self, group: Sequence[PlannedTrial]) -> None:
        """Begin the other work, if it is this trial's turn."""
        [trial] = group
        if trial.trial == DISTURBED:
            busy = [sys.executable, "-c", "while True: pass"]
            for cpu in cpus_of_all([trial.server_settings, trial.load_settings]):
                self.others.append(subprocess.Popen(["taskset", "-c", str(cpu), *busy]))

    def event(self, event: Event) -> None:
        """Nothing is shown."""

    def end(self, record: Trial) -> None:
        """End the other work."""
        assert record.load is not None
        while self.others:
            with self.others.pop() as other:
                other.kill()

    def end_block(self, block: int) -> None:
        """Nothing is shown."""

    def complain(self, text: str) -> None:
        """Nothing else measures."""
        raise AssertionError(text)


# What the host takes is other work, too: where it takes much from each trial, that is usual.
@while_the_host_lends_the_cpus()
def test_a_trial_beside_other_work_is_run_once_more(tmp_path: Path) -> None:
    plan = make_plan(parse(tomllib.loads(TEXT), name="x", text=TEXT, catalog=catalog()), seed=1)
    folder = RunFolder.create(
        tmp_path / "run", plan=plan, environment=Environment(), experiment=TEXT
    )
    assert run(folder, Disturbing(), "run") == []
    verdicts = {record.trial: record.verdict.name for record in folder.records()}
    assert verdicts[DISTURBED] == VerdictName.NOISY
    assert verdicts[f"{DISTURBED}-again"] == VerdictName.VALID
    assert verdicts.keys() > {trial.trial for trial in plan.trials}
