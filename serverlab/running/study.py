"""A folder of trials that are chosen one by one: what is asked, the machine, what was found.

Unlike a run it has no plan: which trial is next follows from those that are on disk, so that a
study which was killed goes on where it was.
"""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from serverlab.documents import check_schema, decode
from serverlab.errors import LabError, RefusedError, UsageError
from serverlab.running.observer import Observer
from serverlab.running.process import NativeProcess
from serverlab.running.store import RunFolder
from serverlab.running.trial import blank_record, limit_s, results_of, run_trials

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from serverlab.design.plan import Trial
    from serverlab.running.process import Event
    from serverlab.design.subject import Subject

SCHEMA = 1
ASKED = "asked.json"
RESULT = "result.json"

Asked = TypeVar("Asked", bound=msgspec.Struct)


class Study(RunFolder):
    """A folder under runs/, without a plan."""

    @classmethod
    def begin(cls, path: Path, *, asked: msgspec.Struct, environment: dict[str, Any]) -> Study:
        """Make the folder, and write down what is asked."""
        if (path / ASKED).exists():
            raise UsageError(f"{path} holds a study already: --resume={path} goes on with it")
        study = cls(path)
        try:
            study.logs.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise LabError(f"cannot write into {path}: {error.strerror}") from error
        study.write("environment.json", environment)
        study.write(ASKED, asked)
        return study

    def asked(self, kind: type[Asked], command: str) -> Asked:
        """What was asked. Raises UsageError if this is no folder of that command."""
        path = self.path / ASKED
        document = decode(path, dict[str, Any], "study")
        try:
            if document["command"] != command:
                raise UsageError(f"{self.path} is of `serverlab {document['command']}`")
            check_schema(path, document["schema"], SCHEMA)
            return msgspec.convert(document, kind)
        except (msgspec.ValidationError, KeyError) as error:
            raise UsageError(f"{path}: {error}") from error

    def environment(self) -> dict[str, Any]:
        """The machine."""
        content: dict[str, Any] = msgspec.json.decode((self.path / "environment.json").read_bytes())
        return content


def run_trial(
    trial: Trial, subject: Subject, logs: Path, on_event: Callable[[Event], None]
) -> dict[str, Any]:
    """Run one trial of a subject, and return its record (docs/results-schema.md)."""
    if subject.target is None:
        return run_trials([trial], logs, None, on_event)[0]
    started_at = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
    record = blank_record(trial, started_at)
    settings = {
        "target": subject.target,
        "service": trial.service,
        **trial.load_settings,
    }
    log = logs / f"{trial.trial}-load.log"
    try:
        with NativeProcess("serverlab-load", settings, log) as load:
            record["load"] = results_of(Observer(on_event, []).follow(load, limit_s([trial])))[0]
        record["verdict"] = record["load"]["verdict"]
        log.unlink()
    except LabError as error:
        name = "NOT-OFFERED" if isinstance(error, RefusedError) else "FAILED"
        record["verdict"] = {"name": name, "reason": str(error)}
    return record
