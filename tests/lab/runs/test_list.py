"""The list of runs: the newest first, also of those that have no answer yet."""

from __future__ import annotations

import json
import os
from pathlib import Path

from serverlab.analysis.results import results
from serverlab.report.answer import write_answer
from tests.lab.conftest import Serverlab
from tests.lab.report_data import QUESTION, write_run


def two_runs() -> None:
    """An older one with an answer, and a newer one without."""
    for name, at_s in (("old", 1_000_000_000), ("new", 2_000_000_000)):
        folder = write_run(Path("runs") / name, factors={})
        os.utime(folder / "plan.json", (at_s, at_s))
    write_answer(results(Path("runs/old")))


def test_the_list_has_each_run_with_its_answer(serverlab: Serverlab) -> None:
    two_runs()
    ended = serverlab("runs")
    assert ended.returncode == 0
    lines = ended.stdout.splitlines()
    assert lines[0] == lines[3] == QUESTION
    assert lines[1] == "No answer yet: `serverlab run --resume runs/new`."
    assert lines[2] == "2033-05-18 03:33 UTC  runs/new"
    assert lines[4].startswith("epoll-level has the highest goodput")
    assert lines[5] == "2001-09-09 01:46 UTC  runs/old"


def test_the_list_is_there_for_programs(serverlab: Serverlab) -> None:
    two_runs()
    new, old = json.loads(serverlab("runs", "runs", "--json").stdout)
    assert (new["folder"], new["answer"]) == ("runs/new", None)
    assert (old["folder"], old["question"]) == ("runs/old", QUESTION)
    assert old["answer"].startswith("epoll-level has")
    assert old["planned_at"] == "2001-09-09T01:46:40+00:00"


def test_a_folder_without_a_run_and_one_that_is_not_there_are_told_apart(
    serverlab: Serverlab, tmp_path: Path
) -> None:
    assert serverlab("runs", str(tmp_path)).stdout == f"no run in {tmp_path}\n"
    ended = serverlab("runs")
    assert ended.returncode == 2
    assert "there is no folder runs" in ended.stderr


def test_a_run_that_cannot_be_read_is_named(serverlab: Serverlab) -> None:
    two_runs()
    Path("runs/old/answer.json").write_text("{", encoding="utf-8")
    ended = serverlab("runs")
    assert ended.returncode == 2
    assert "runs/old/answer.json" in ended.stderr
