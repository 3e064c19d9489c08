"""Runs a plan's trials in order.

Each is on disk before the next begins; a killed run goes on where it was. Where a precision is
wanted, blocks are added to the plan, one by one and on disk before they begin, until it is reached.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from serverlab.errors import LabError
from serverlab.machine.native import output_of
from serverlab.report import needs_more_blocks
from serverlab.running.trial import run_trials

if TYPE_CHECKING:
    from serverlab.console import Progress
    from serverlab.design.plan import Plan
    from serverlab.running.store import RunFolder

Sentences = defaultdict[str, list[str]]  # of trials, by verdict


def run(folder: RunFolder, progress: Progress) -> list[str]:
    """Run the trials that the folder does not hold yet.

    Returns a sentence for each trial of this call that failed; and if none was anything but
    refused, for each of these.
    """
    refuse_unmeasurable_build()
    plan = folder.plan()
    folder.mend()
    done = {record["trial"] for record in folder.records()}
    sentences: Sentences = defaultdict(list)
    with progress.of(plan, done):
        run_missing(folder, plan, done, sentences, progress)
        while plan.precision is not None and needs_more_blocks(folder.path):
            plan = plan.with_another_block()
            folder.write("plan.json", plan)
            progress.extend(plan)
            run_missing(folder, plan, done, sentences, progress)
    measured = sentences.keys() - {"FAILED", "NOT-OFFERED"}
    return sentences["FAILED"] + ([] if measured else sentences["NOT-OFFERED"])


def run_missing(
    folder: RunFolder, plan: Plan, done: set[str], sentences: Sentences, progress: Progress
) -> None:
    """Run what is planned and not done; `done` and `sentences` grow by it."""
    connections = folder.connections if plan.connection_log else None
    for group in plan.groups():
        if done.issuperset(trial.trial for trial in group):
            continue
        progress.begin(group)
        for record in run_trials(group, folder.logs, connections, progress.event):
            if record["trial"] in done:  # of a group that was cut off while it was written
                continue
            folder.append(record)
            done.add(record["trial"])
            progress.end(record)
            verdict = record["verdict"]
            sentences[verdict["name"]].append(f"{record['trial']}: {verdict['reason']}")


def refuse_unmeasurable_build() -> None:
    """A debug or sanitizer build says nothing about the engines."""
    for name in ("serverlab-server", "serverlab-load"):
        version = output_of(name, "--version").strip()
        if "(release," not in version:
            raise LabError(f"{version} is no release build, so its figures would mean nothing")
