"""Runs a plan's trials in order.

Each is on disk before the next begins; a killed run goes on where it was. Where a precision is
wanted, blocks are added to the plan, one by one and on disk before they begin, until it is reached;
they have the levels at which it is not.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from serverlab.analysis.subjects import subjects_of
from serverlab.design.catalog import catalog
from serverlab.design.kind import SEPARATE
from serverlab.design.outputs import refuse_foreign
from serverlab.design.plan import with_another_block
from serverlab.design.turns import groups_of
from serverlab.documents import check_trials
from serverlab.errors import LabError
from serverlab.load_result import Verdict
from serverlab.machine.machine import cpus_of_all
from serverlab.machine.native import dies_with_parent
from serverlab.running.capacity import with_rates
from serverlab.running.checks import levels, unsupported
from serverlab.running.host import HERE
from serverlab.running.more_blocks import places_to_repeat
from serverlab.running.neighbours import measuring
from serverlab.running.network import with_network
from serverlab.running.noise import judged, with_repeats
from serverlab.running.proof import unproven
from serverlab.running.trial import now, run_trials, verdict_of
from serverlab.verdicts import VerdictName

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from serverlab.records import Plan, PlannedTrial, Trial
    from serverlab.running.events import Event
    from serverlab.running.host import Hosts
    from serverlab.running.proof import Cell
    from serverlab.running.store import RunFolder


NOT_MEASURED = {VerdictName.FAILED, VerdictName.NOT_OFFERED, VerdictName.UNSUPPORTED}


@dataclass(frozen=True, slots=True)
class Done:
    """What of a run has been done; it grows with each record."""

    trials: set[str] = field(default_factory=set)
    other_cpus_busy: list[float] = field(default_factory=list)  # of trials where it is known
    failures: defaultdict[str, list[tuple[str, str]]] = field(
        default_factory=lambda: defaultdict(list)
    )  # by verdict: trials of this call, each with the reason

    def add(self, record: Trial) -> None:
        """A trial is on disk."""
        self.trials.add(record.trial)
        if record.other_cpus_busy is not None:
            self.other_cpus_busy.append(record.other_cpus_busy)


class Progress(Protocol):
    """Is told how a run goes on: `console.Progress` shows it."""

    def of(self, plan: Plan, done: set[str]) -> AbstractContextManager[None]:
        """Show a plan, some trials of which are done, while the context lasts."""

    def extend(self, plan: Plan, more: Sequence[PlannedTrial]) -> None:
        """The plan has these trials more: a block, or one that repeats another."""

    def begin(self, group: Sequence[PlannedTrial]) -> None:
        """A trial begins, or several that take turns."""

    def event(self, event: Event) -> None:
        """The load of the current trial reports an event."""

    def end(self, record: Trial) -> None:
        """A trial has ended."""

    def end_block(self, block: int) -> None:
        """All trials of a block have ended."""

    def complain(self, text: str) -> None:
        """Something disturbs the measurement."""


def run(
    folder: RunFolder,
    progress: Progress,
    command: str,
    places: Callable[[], Hosts] = lambda: HERE,
) -> list[str]:
    """Run the trials that the folder does not hold yet, for a command.

    `places` is asked before each trial for the hosts that it is to have.

    Returns a sentence for each reason for which trials of this call failed, or, if this machine can
    run none of them, for which it cannot. Raises, before the first trial, UsageError if a setting
    is wrong, and LabError if contestants fail their proof and only one subject is left.
    """
    refuse_unmeasurable_build()
    plan = folder.plan()
    refuse_foreign_settings(folder, plan)
    cannot = {
        cell: Verdict(VerdictName.UNSUPPORTED, why)
        for cell, why in unsupported(plan, str(folder.path / "plan.json")).items()
    }
    folder.mend()
    done, recorded = Done(), folder.records()
    check_trials(
        folder.trials,
        [record.trial for record in recorded],
        {trial.trial for trial in plan.trials},
    )
    for record in recorded:
        done.add(record)
    cpus = cpus_of_all(
        settings
        for trial in plan.trials
        for settings in (trial.server_settings, trial.load_settings)
    )
    missing = [trial for trial in plan.trials if trial.trial not in done.trials]
    failed = unproven(missing, folder.logs, progress.complain)
    expect_comparison(plan, failed)
    cannot |= failed
    with measuring(command, cpus, progress.complain), progress.of(plan, done.trials):
        plan = run_missing(folder, plan, cannot, done, progress, places)
        while plan.precision is not None and (wide := places_to_repeat(folder.path)):
            plan = with_more(folder, plan, with_another_block(plan, wide), progress)
            plan = run_missing(folder, plan, cannot, done, progress, places)
    of_verdict = done.failures
    wrong = [*of_verdict[VerdictName.FAILED], *of_verdict[VerdictName.NOT_OFFERED]]
    if not of_verdict.keys() - NOT_MEASURED:
        wrong += of_verdict[VerdictName.UNSUPPORTED]
    return sentences(wrong)


def expect_comparison(plan: Plan, failed: Mapping[Cell, Verdict]) -> None:
    """Raise LabError if of what a plan compares only one can be timed, or none, and say why."""
    subjects = subjects_of(plan)
    own = [trial for trial in plan.trials if subjects.name(trial.cell) != subjects.twin]
    able = {subjects.name(trial.cell) for trial in own if levels(trial) not in failed}
    lost = {subjects.name(trial.cell) for trial in own} - able
    if lost and len(able) < 2 <= len(able | lost):
        reasons = "; ".join(dict.fromkeys(verdict.reason for verdict in failed.values()))
        raise LabError(f"there is nothing to compare, and nothing was timed: {reasons}")


def sentences(failures: Iterable[tuple[str, str]]) -> list[str]:
    """A sentence for each reason, with the trials that it ended."""
    trials = defaultdict(list)
    for trial, reason in failures:
        trials[reason].append(trial)
    return [
        f"{names[0]}{f' and {len(names) - 1} more' if names[1:] else ''}: {reason}"
        for reason, names in trials.items()
    ]


def run_missing(
    folder: RunFolder,
    plan: Plan,
    cannot: Mapping[Cell, Verdict],
    done: Done,
    progress: Progress,
    places: Callable[[], Hosts],
) -> Plan:
    """Run what is planned and not done; `done` grows by it.

    Returns the plan, which has grown by the trials that were NOISY.
    """
    connections = folder.connections if plan.connection_log else None
    while group := first_missing(plan, done.trials):
        progress.begin(group)
        able = [trial for trial in group if levels(trial) not in cannot]
        records = [
            trial.ended(now(), cannot[levels(trial)]) for trial in group if levels(trial) in cannot
        ]
        if able:
            records += run_able(able, folder, connections, progress, places)
        if plan.design == SEPARATE:
            records = [judged(record, done.other_cpus_busy) for record in records]
            plan = with_more(folder, plan, with_repeats(plan, records), progress)
        for record in records:
            if record.trial in done.trials:  # of a group that was cut off while it was written
                continue
            folder.append(record)
            done.add(record)
            progress.end(record)
            done.failures[record.verdict.name].append((record.trial, record.verdict.reason))
        if done.trials.issuperset(one.trial for one in plan.trials if one.block == group[0].block):
            progress.end_block(group[0].block)
    return plan


def first_missing(plan: Plan, done: set[str]) -> list[PlannedTrial] | None:
    """The first trials that are run together, and of which one is missing."""
    missing = (
        group for group in groups_of(plan) if not done.issuperset(trial.trial for trial in group)
    )
    return next(missing, None)


def with_more(folder: RunFolder, plan: Plan, longer: Plan, progress: Progress) -> Plan:
    """The longer plan, on disk before its trials are run."""
    names = {trial.trial for trial in plan.trials}
    if more := [trial for trial in longer.trials if trial.trial not in names]:
        folder.write("plan.json", longer)
        progress.extend(longer, more)
    return longer


def run_able(
    group: Sequence[PlannedTrial],
    folder: RunFolder,
    connections: Path | None,
    progress: Progress,
    places: Callable[[], Hosts],
) -> list[Trial]:
    """Run trials that this machine can run, at rates that may depend on those before."""
    try:
        ready = with_rates(group, folder.records)
        hosts = with_network(places(), folder)
    except LabError as error:
        return [trial.ended(now(), verdict_of(error)) for trial in group]
    return run_trials(ready, folder.logs, connections, progress.event, hosts)


def refuse_foreign_settings(folder: RunFolder, plan: Plan) -> None:
    """Raise UsageError for a plan whose settings serverlab did not write."""
    path = folder.path / "plan.json"
    server = {name for trial in plan.trials for name in trial.server_settings}
    load = {name for trial in plan.trials for name in trial.load_settings}
    refuse_foreign(f"{path}: ", server, catalog().server_settings)
    refuse_foreign(f"{path}: ", load, catalog().load_settings)


def refuse_unmeasurable_build() -> None:
    """Raise LabError if trials could not be run, or would say nothing about the engines."""
    dies_with_parent([])
    for name, version in catalog().versions.items():
        if not version.is_measurable:
            raise LabError(
                f"{name} {version} is no release build, so its figures would mean nothing"
            )
