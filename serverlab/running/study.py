"""A folder of trials that are chosen one by one: what is asked, the machine, what was found.

Unlike a run it has no plan: which trial is next follows from those that are on disk, so that a
study which was killed goes on where it was.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TypeVar

import msgspec

from serverlab.design.plan import told_load
from serverlab.documents import check_schema, decode
from serverlab.environment import Environment
from serverlab.errors import LabError, UsageError
from serverlab.files import writing
from serverlab.load_result import SCHEMA
from serverlab.running.host import HERE
from serverlab.running.observer import Observer
from serverlab.running.process import NativeProcess
from serverlab.running.proof import Ask, verdict_on
from serverlab.running.store import RunFolder
from serverlab.running.trial import limit_s, now, run_trials, verdict_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from serverlab.design.subject import Subject
    from serverlab.records import PlannedTrial, Trial
    from serverlab.running.events import Event
    from serverlab.running.host import Hosts

ASKED = "asked.json"
RESULT = "result.json"

Asked = TypeVar("Asked", bound="Question")


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked of any study; each command adds its own."""

    command: str
    schema: int = SCHEMA


class Study(RunFolder):
    """A folder under runs/, without a plan."""

    @classmethod
    def begin(cls, path: Path, *, asked: Question, environment: Environment) -> Study:
        """Make the folder, and write down what is asked."""
        if os.path.lexists(path / ASKED):
            raise UsageError(f"{path} already holds a study: --resume={path} continues it")
        study = cls(path)
        with writing(path):
            study.logs.mkdir(parents=True, exist_ok=True)
        study.write("environment.json", environment)
        study.write(ASKED, asked)
        return study

    def asked(self, kind: type[Asked], command: str) -> Asked:
        """What was asked. Raises UsageError if this is no folder of that command."""
        path = self.path / ASKED
        document = decode(path, Question, "study")
        if document.command != command:
            raise UsageError(f"{self.path} is of `serverlab {document.command}`")
        check_schema(path, document.schema, SCHEMA)
        return decode(path, kind, "study")

    def environment(self) -> Environment:
        """The machine."""
        return decode(self.path / "environment.json", Environment, "study")


def expect_proof(subject: Subject, logs: Path, say: Callable[[str], None]) -> None:
    """Raise LabError if a contestant cannot be timed at its service; `say` is told what is odd."""
    if subject.contestant is None:
        return
    verdict = verdict_on(
        subject.contestant,
        Ask(subject.service, subject.server_settings, subject.load_settings),
        logs,
        say,
    )
    if verdict is not None:
        raise LabError(verdict.reason)


def run_trial(
    trial: PlannedTrial,
    subject: Subject,
    logs: Path,
    on_event: Callable[[Event], None],
    hosts: Hosts = HERE,
) -> Trial:
    """Run one trial of a subject, and return its record (docs/results-schema.md).

    A server that is there already is loaded from this machine.
    """
    if subject.target is None:
        return run_trials([trial], logs, None, on_event, hosts)[0]
    started_at = now()
    log = logs / f"{trial.trial}-load.log"
    try:
        with NativeProcess("serverlab-load", told_load(trial, [subject.target]), log) as load:
            [result] = Observer(on_event, []).follow(load, limit_s([trial]))
        log.unlink()
    except LabError as error:
        return trial.ended(started_at, verdict_of(error))
    return trial.ended(started_at, result.verdict, load=result)
