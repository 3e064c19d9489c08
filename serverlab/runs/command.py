"""`serverlab runs`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import msgspec
from cyclopts import Parameter

from serverlab import console, terminal
from serverlab.browser import open_in_browser
from serverlab.paths import GivenPath  # noqa: TC001 - the command line reads it
from serverlab.runs.listed import ListedRun, listed_runs


def runs(
    folder: GivenPath = Path("runs"),
    /,
    *,
    json: bool = False,
    html: bool = False,
    open_: Annotated[bool, Parameter(name="--open")] = False,
) -> int:
    """List the runs in a folder, the newest first, with their questions and answers.

    Parameters
    ----------
    folder
        The folder that holds them.
    json
        Print the list as JSON.
    html
        Write index.html in that folder: the list, and how the ratios of runs that asked the same
        question changed over time.
    open_
        Write that page, and open it in a browser.
    """
    found = listed_runs(folder)
    page = None
    if html or open_:
        from serverlab.runs.page import write_page  # noqa: PLC0415 - what draws takes long to load

        page = write_page(folder, found)
    if json:
        rows = [as_json(run) for run in found]
        terminal.write(msgspec.json.format(msgspec.json.encode(rows)).decode() + "\n")
    else:
        show(folder, found)
        if page is not None:
            console.say(f"page: {page}")
    if open_ and page is not None:
        open_in_browser(page)
    return 0


def show(folder: Path, found: list[ListedRun]) -> None:
    """Print the list."""
    for run in found:
        console.heading(run.question)
        console.sentence(
            run.answer.answer
            if run.answer
            else f"No answer yet: `serverlab run --resume {run.folder}`."
        )
        console.sentence(f"{run.when} UTC  {run.folder}")
    if not found:
        console.say(f"no run in {folder}")


def as_json(run: ListedRun) -> dict[str, Any]:
    """A row of what --json prints (docs/results-schema.md)."""
    return {
        "folder": str(run.folder),
        "planned_at": run.planned_at.isoformat(),  # ISO 8601
        "question": run.question,
        "answer": run.answer.answer if run.answer else None,
    }
