"""`serverlab runs`: what has been asked so far, and what came of it."""

from __future__ import annotations

import datetime
from pathlib import Path

import msgspec

from serverlab import console, terminal
from serverlab.documents import decode
from serverlab.errors import UsageError
from serverlab.paths import GivenPath  # noqa: TC001 - the command line reads it
from serverlab.records import read_plan
from serverlab.report.answer import ANSWER, Answer


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """A run's folder, with what it was asked; None of an answer that it does not have yet."""

    folder: str
    planned_at: str  # UTC, ISO 8601
    question: str
    answer: str | None


def runs(folder: GivenPath = Path("runs"), /, *, json: bool = False) -> int:
    """List the runs in a folder, the newest first, with their questions and answers.

    Parameters
    ----------
    folder
        The folder that holds them.
    json
        Print the list as JSON.
    """
    if not folder.is_dir():
        raise UsageError(f"there is no folder {folder}: `serverlab run` makes it")
    found = sorted(
        (run_of(path.parent) for path in folder.glob("*/plan.json")),
        key=lambda run: (run.planned_at, run.folder),
        reverse=True,
    )
    if json:
        terminal.write(msgspec.json.format(msgspec.json.encode(found)).decode() + "\n")
        return 0
    for run in found:
        console.heading(f"{run.question}")
        console.sentence(run.answer or f"No answer yet: `serverlab run --resume {run.folder}`.")
        console.sentence(f"{run.planned_at[:16].replace('T', ' ')} UTC  {run.folder}")
    if not found:
        console.say(f"no run in {folder}")
    return 0


def run_of(folder: Path) -> Run:
    """A run as the list shows it. Raises UsageError for a folder that holds no whole run."""
    plan, answer = folder / "plan.json", folder / ANSWER
    planned_at = datetime.datetime.fromtimestamp(plan.stat().st_mtime, datetime.UTC)
    return Run(
        folder=str(folder),
        planned_at=planned_at.isoformat(timespec="seconds"),
        question=read_plan(folder).question,
        answer=decode(answer, Answer, "run").answer if answer.exists() else None,
    )
