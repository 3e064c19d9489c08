"""A run's folder: what is planned, what has been measured.

Each trial is on disk before the next begins.
"""

from __future__ import annotations

import contextlib
import datetime
import errno
import os
from pathlib import Path
from typing import Any

import msgspec

from serverlab.documents import check_schema, decode
from serverlab.errors import LabError, UsageError
from serverlab.design.plan import SCHEMA, Plan

Record = dict[str, Any]


class RunFolder:
    """A folder under runs/: the plan, the machine, the trials, and what belongs to them."""

    def __init__(self, path: Path) -> None:
        """Name an existing folder; `create` makes one."""
        self.path = path

    @classmethod
    def create(
        cls, path: Path, *, experiment: str, plan: Plan, environment: dict[str, Any]
    ) -> RunFolder:
        """Make the folder and write what is known before the first trial."""
        if (path / "plan.json").exists():
            raise UsageError(f"{path} holds a run already: --resume {path} continues it")
        run = cls(path)
        try:
            run.logs.mkdir(parents=True, exist_ok=True)
            (path / "experiment.toml").write_text(experiment, encoding="utf-8")
        except OSError as error:
            raise LabError(f"cannot write into {path}: {error.strerror}") from error
        run.write("environment.json", environment)
        run.write("plan.json", plan)
        return run

    @property
    def logs(self) -> Path:
        """Where the stderr of failed programs is kept."""
        return self.path / "logs"

    @property
    def connections(self) -> Path:
        """A row for each connection, a file for each trial."""
        return self.path / "connections"

    @property
    def trials(self) -> Path:
        """A line of JSON for each finished trial."""
        return self.path / "trials.jsonl"

    def plan(self) -> Plan:
        """The plan that the run was started with, and the blocks that were added to it."""
        path = self.path / "plan.json"
        plan = decode(path, Plan, "run")
        check_schema(path, plan.schema, SCHEMA)
        return plan

    def records(self) -> list[Record]:
        """The finished trials; a last line that was cut off is none."""
        if not self.trials.exists():
            return []
        lines = self.trials.read_bytes().splitlines(keepends=True)
        return [msgspec.json.decode(line) for line in lines if line.endswith(b"\n")]

    def append(self, record: Record) -> None:
        """Put a trial on disk, whole or not at all."""
        line = msgspec.json.encode(record) + b"\n"
        with self.trials.open("ab", buffering=0) as file:
            whole = file.tell()
            try:
                written = file.write(line)
                os.fsync(file.fileno())
            except OSError as error:
                with contextlib.suppress(OSError):
                    file.truncate(whole)
                raise LabError(f"cannot write {self.trials}: {error.strerror}") from error
            if written != len(line):
                file.truncate(whole)
                raise LabError(f"cannot write {self.trials}: {os.strerror(errno.ENOSPC)}")

    def mend(self) -> None:
        """Cut off a last line that a killed run left unfinished."""
        if not self.trials.exists():
            return
        content = self.trials.read_bytes()
        with self.trials.open("r+b") as file:
            file.truncate(content.rfind(b"\n") + 1)

    def write(self, name: str, content: object) -> Path:
        """Write a JSON file, in place of an old one if there is one, whole or not at all."""
        path, new = self.path / name, self.path / f"{name}.new"
        try:
            new.write_bytes(msgspec.json.format(msgspec.json.encode(content), indent=1) + b"\n")
            return new.replace(path)
        except OSError as error:
            raise LabError(f"cannot write {path}: {error.strerror}") from error


def new_folder(out: Path | None, name: str) -> Path:
    """The folder that was named, or runs/TIME-NAME."""
    started = datetime.datetime.now(datetime.UTC).strftime("%Y%m%d-%H%M%S")
    return out or Path("runs") / f"{started}-{name}"
