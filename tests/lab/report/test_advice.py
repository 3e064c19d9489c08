"""The decision table: which is best or tied, in which situation, and what proves it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from serverlab.analysis.results import results
from serverlab.notation import NARROW_SPACE
from serverlab.report.advice import Advice, Choice, advice
from serverlab.report.page import write_report
from tests.lab.report_data import SPEEDS, Edit, Record, failed, invalid, write_run

if TYPE_CHECKING:
    from pathlib import Path


def advised(folder: Path) -> Advice:
    shown = results(folder)
    found = advice(shown.run.plan, shown.compared)
    assert found is not None
    return found


def goodput(found: Advice, row: int = 1) -> Choice:
    return found.rows[row].choices[0]


def opened(trial: Record) -> Record:
    load = trial["load"]
    return {**trial, "load": {**load, "load": {**load["load"], "model": "open"}}}


def test_few_medium_and_many_have_a_row_each(tmp_path: Path) -> None:
    found = advised(write_run(tmp_path))
    assert found.head == ("Goodput", "Server CPU per request", "p99 latency", "Server memory")
    assert [row.situation.replace(NARROW_SPACE, " ") for row in found.rows] == [
        "Few: 1 connection", "Medium: 64 connections", "Many: 1 000 connections",
    ]  # fmt: skip


def test_the_best_is_named_with_its_figure(tmp_path: Path) -> None:
    choice = goodput(advised(write_run(tmp_path)))
    assert choice.subjects == "`epoll-level`"
    assert choice.remark.replace(NARROW_SPACE, " ") == "68 900 requests/s"


def test_engines_that_cannot_be_told_apart_are_tied(tmp_path: Path) -> None:
    speeds = {**SPEEDS, "epoll-edge": 1.25}
    found = advised(write_run(tmp_path, speeds=speeds))
    assert goodput(found).subjects == "`epoll-level` and `epoll-edge`"
    assert goodput(found).remark.startswith("tied, ")
    assert found.rows[1].overall == "`epoll-level` and `epoll-edge`"


def test_where_nothing_can_be_told_apart_none_is_named(tmp_path: Path) -> None:
    found = advised(write_run(tmp_path, blocks=1))
    assert goodput(found).subjects == ""
    assert goodput(found).remark.startswith("all 3 tied, ")
    assert {row.overall for row in found.rows} == {"all tied"}


def generator_bound(trial: Record) -> Record:
    return {**trial, "saturated": "generator"}


@pytest.mark.parametrize(
    ("edit", "criterion", "remark"),
    [
        (lambda trial: trial, 2, "closed loop: no verdict on latency"),
        (opened, 0, "open loop: what was asked for"),
        (generator_bound, 0, "not ranked: the generator was saturated"),
        (invalid, 3, "no valid figure"),
    ],
    ids=["p99 of a closed loop", "goodput of an open one", "busy generator", "nothing valid"],
)
def test_what_decides_nothing_says_why(
    tmp_path: Path, edit: Edit, criterion: int, remark: str
) -> None:
    choice = advised(write_run(tmp_path, edit=edit)).rows[1].choices[criterion]
    assert (choice.subjects, choice.remark) == ("", remark)


def test_an_open_loop_is_advised_by_p99(tmp_path: Path) -> None:
    found = advised(write_run(tmp_path, edit=opened))
    assert found.rows[1].choices[2].subjects == "`epoll-level`"


def test_the_best_by_one_and_not_by_the_other_is_not_best_by_all(tmp_path: Path) -> None:
    def hungry(trial: Record) -> Record:
        is_it = trial["cell"]["engine"] == "epoll-level"
        more = {**trial["server"], "rss_bytes_max": (90 if is_it else 5) * 2**20 + trial["block"]}
        return {**trial, "server": more}

    found = advised(write_run(tmp_path, edit=hungry))
    assert found.rows[1].choices[3].subjects == "`poll` and `threads`"
    assert found.rows[1].overall == "none"


def test_every_panel_has_its_rows(tmp_path: Path) -> None:
    handlers = {"handler": ["cheap", "blocking"]}
    found = advised(write_run(tmp_path, factors={"connections": [1, 64], **handlers}))
    assert [(row.panel, row.situation) for row in found.rows] == [
        ("handler cheap", "Few: 1 connection"), ("handler cheap", "Many: 64 connections"),
        ("handler blocking", "Few: 1 connection"), ("handler blocking", "Many: 64 connections"),
    ]  # fmt: skip


def test_a_factor_that_counts_nothing_has_no_few_and_many(tmp_path: Path) -> None:
    found = advised(write_run(tmp_path, factors={"payload": ["64 B", "16 KiB"]}))
    assert [row.situation for row in found.rows] == ["At payload 64 B", "At payload 16 KiB"]


def without_threads_at_64(trial: Record) -> Record:
    is_it = trial["cell"] == {"engine": "threads", "connections": 64}
    return failed(trial) if is_it else trial


def at_1_alone(trial: Record) -> Record:
    return trial if trial["cell"]["connections"] == 1 else failed(trial)


@pytest.mark.parametrize("edit", [without_threads_at_64, at_1_alone, failed])
def test_every_cell_leads_to_an_element_of_the_page(tmp_path: Path, edit: Edit) -> None:
    page = write_report(write_run(tmp_path, edit=edit)).read_text(encoding="utf-8")
    [table] = re.findall(r'<table class="advice">.*?</table>', page, re.DOTALL)
    targets = re.findall(r'href="#([^"]+)"', table)
    assert len(targets) == 3 * 4
    for target in targets:
        assert page.count(f'id="{target}"') == 1


def test_one_engine_needs_no_advice(tmp_path: Path) -> None:
    folder = write_run(tmp_path, speeds={"poll": 1.0}, twin=None)
    shown = results(folder)
    assert advice(shown.run.plan, shown.compared) is None
    assert 'id="advice"' not in write_report(folder).read_text(encoding="utf-8")
