"""The page of all runs: what it lists, what it draws, and where it says that something changed."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

from serverlab.analysis.results import results
from serverlab.report.answer import write_answer
from tests.lab.conftest import Serverlab
from tests.lab.report_data import QUESTION, SPEEDS, write_run


def write_runs(*threads: float) -> None:
    """A run for each speed of `threads`, the oldest first, in the folder `runs`."""
    for number, speed in enumerate(threads):
        folder = write_run(Path("runs") / f"run {number}", speeds=SPEEDS | {"threads": speed})
        at_s = 1_000_000_000 + 86_400 * number
        os.utime(folder / "plan.json", (at_s, at_s))
        write_answer(results(folder))


def page_data(page: str) -> dict[str, Any]:
    """What the page's script draws."""
    found = re.search(r'id="page-data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


def test_the_page_lists_the_runs_and_tells_where_a_ratio_changed(serverlab: Serverlab) -> None:
    write_runs(0.5, 0.5, 0.4)
    Path("runs/run 2/report.html").touch()
    ended = serverlab("runs", "--html")
    assert ended.returncode == 0
    assert ended.stdout.endswith("page: runs/index.html\n")
    page = Path("runs/index.html").read_text(encoding="utf-8")
    assert page.count(f"<h2>{QUESTION}</h2>") == 1
    assert '<a href="run%202/report.html">run 2</a>' in page
    assert re.search(r"UTC ·\s+run 1</p>", page)
    changes = re.findall(r"<li>(.*?)</li>", page)
    assert any(
        change.startswith(
            "Goodput of <code>threads</code> over <code>poll</code>, 64 connections: 0.501"
        )
        and "in run 1, 0.400" in change
        and change.endswith("in run 2.")
        for change in changes
    )
    assert not any("epoll-level" in change for change in changes)


def test_a_chart_has_each_run_and_rings_at_change_points(serverlab: Serverlab) -> None:
    write_runs(0.5, 0.4)
    assert serverlab("runs", "runs", "--html").returncode == 0
    charts = page_data(Path("runs/index.html").read_text(encoding="utf-8"))["charts"]
    assert [row["run"] for row in charts[0]["rows"] if row["subject"] == "threads"] == [
        "run 0",
        "run 1",
    ]
    rings = {
        (row["subject"], row["run"]) for one in charts for row in one["rows"] if row["changed"]
    }
    assert rings == {("threads", "run 1")}
    names = [one["name"] for one in charts]
    assert len(set(names)) == len(names)


def test_a_question_asked_once_has_no_chart_and_no_run_is_a_page_too(serverlab: Serverlab) -> None:
    write_runs(0.5)
    assert serverlab("runs", "--html").returncode == 0
    page = Path("runs/index.html").read_text(encoding="utf-8")
    assert "Change points" not in page
    assert page_data(page)["charts"] == []
    Path("empty").mkdir()
    assert serverlab("runs", "empty", "--html").returncode == 0
    assert "No run yet." in Path("empty/index.html").read_text(encoding="utf-8")


def test_a_question_is_text_and_never_markup(serverlab: Serverlab) -> None:
    write_runs(0.5, 0.4)
    for plan in Path("runs").glob("*/plan.json"):
        text = plan.read_text(encoding="utf-8")
        plan.write_text(text.replace(QUESTION, "<script>alert(1)</script>"), encoding="utf-8")
    assert serverlab("runs", "--html").returncode == 0
    assert "<script>alert" not in Path("runs/index.html").read_text(encoding="utf-8")


def test_json_stays_json_with_a_page_beside_it(serverlab: Serverlab) -> None:
    write_runs(0.5)
    ended = serverlab("runs", "--json", "--html")
    assert [row["folder"] for row in json.loads(ended.stdout)] == ["runs/run 0"]
    assert Path("runs/index.html").exists()
