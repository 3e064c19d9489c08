"""A run's folder: what is planned, what has been measured.

Each trial is on disk before the next begins.
"""

from __future__ import annotations

import contextlib
import datetime
import os
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from serverlab.design.plan import check_settings
from serverlab.errors import UsageError
from serverlab.files import UNFINISHED, as_name, write_whole, writing
from serverlab.records import read_plan, read_trials

if TYPE_CHECKING:
    from serverlab.environment import Environment
    from serverlab.records import Plan, Trial


class RunFolder:
    """A folder under runs/: the plan, the machine, the trials, and what belongs to them."""

    def __init__(self, path: Path) -> None:
        """Name an existing folder; `create` makes one."""
        self.path = path

    @classmethod
    def create(
        cls, path: Path, *, experiment: str, plan: Plan, environment: Environment
    ) -> RunFolder:
        """Make the folder and write what is known before the first trial."""
        if os.path.lexists(path / "plan.json"):
            raise UsageError(f"{path} already holds a run: --resume {path} continues it")
        run = cls(path)
        with writing(path):
            run.logs.mkdir(parents=True, exist_ok=True)
        write_whole(path / "experiment.toml", experiment.encode())
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
        plan = read_plan(self.path)
        try:
            check_settings(plan)
        except UsageError as error:
            raise UsageError(f"{self.path / 'plan.json'}: {error}") from None
        return plan

    def records(self) -> list[Trial]:
        """The finished trials; a last line that was cut off is none.

        Raises UsageError for a line that is no trial.
        """
        return read_trials(self.trials)

    def append(self, record: msgspec.Struct) -> None:
        """Put a trial on disk, whole or not at all."""
        line = msgspec.json.encode(record) + b"\n"
        with writing(self.trials), self.trials.open("ab", buffering=0) as file:
            whole = file.tell()
            try:
                while line:  # what is written in part is tried again, so that the system says why
                    line = line[file.write(line) :]
                os.fsync(file.fileno())
            except OSError:
                with contextlib.suppress(OSError):
                    file.truncate(whole)
                raise

    def mend(self) -> None:
        """Make the folder fit to go on, whatever killed the run or carried it here.

        Files without a name yet and a last line without an end go. Empty folders, which git does
        not keep, come back.
        """
        with writing(self.logs):
            self.logs.mkdir(exist_ok=True)
        for left in self.path.rglob(UNFINISHED):
            with writing(left):
                left.unlink(missing_ok=True)
        if not self.trials.exists():
            return
        with writing(self.trials), self.trials.open("r+b") as file:
            file.truncate(file.read().rfind(b"\n") + 1)

    def write(self, name: str, content: msgspec.Struct) -> Path:
        """Write a JSON file, in place of an old one if there is one, whole or not at all."""
        path = self.path / name
        write_whole(path, msgspec.json.format(msgspec.json.encode(content), indent=1) + b"\n")
        return path


def new_folder(out: Path | None, name: str) -> Path:
    """The folder that was named, or runs/TIME-NAME."""
    started = datetime.datetime.now(datetime.UTC).strftime("%Y%m%d-%H%M%S")
    return out or Path("runs") / f"{started}-{as_name(name)}"
