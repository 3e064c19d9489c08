"""The runs in a folder: what each was asked, and its answer if it has one."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.documents import decode
from serverlab.errors import UsageError
from serverlab.records import read_plan
from serverlab.report.answer import ANSWER, Answer

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedRun:
    """A run's folder, with what it was asked; None of an answer that it does not have yet."""

    folder: Path
    planned_at: datetime.datetime  # UTC, to the second
    question: str
    answer: Answer | None

    @property
    def when(self) -> str:
        """The time of its plan, to the minute."""
        return f"{self.planned_at:%Y-%m-%d %H:%M}"


def listed_runs(folder: Path) -> list[ListedRun]:
    """Those in a folder, the newest first. Raises UsageError if one of them cannot be read."""
    if not folder.is_dir():
        raise UsageError(f"there is no folder {folder}: `serverlab run` makes it")
    return sorted(
        (listed(path.parent) for path in folder.glob("*/plan.json")),
        key=lambda run: (run.planned_at, run.folder),
        reverse=True,
    )


def listed(folder: Path) -> ListedRun:
    """A run as the list shows it. Raises UsageError for a folder that holds no whole run."""
    plan, answer = folder / "plan.json", folder / ANSWER
    planned_at = datetime.datetime.fromtimestamp(plan.stat().st_mtime, datetime.UTC)
    return ListedRun(
        folder=folder,
        planned_at=planned_at.replace(microsecond=0),
        question=read_plan(folder).question,
        answer=decode(answer, Answer, "run") if answer.exists() else None,
    )
