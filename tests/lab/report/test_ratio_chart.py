"""The picture of the answer: what is drawn, and where the page has it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import vl_convert

from serverlab.analysis.comparisons import HIGHER, Comparison
from serverlab.analysis.results import results
from serverlab.report.answer import ratio_tables
from serverlab.report.findings import findings
from serverlab.report.page import write_report
from serverlab.report.ratio_chart import FARTHEST, LevelChart, domain, ratio_charts, ticks
from tests.lab.report_data import Record, write_run

SPEEDS = {"poll": 1.0, "threads": 0.5, "epoll-level": 1.25, "select": 1.0, "poll again": 1.0}


def charts(folder: Path) -> list[LevelChart]:
    return ratio_charts(results(folder))


def test_each_level_has_a_chart_with_a_row_for_each_subject(tmp_path: Path) -> None:
    drawn = charts(write_run(tmp_path, speeds=SPEEDS))
    assert [one.heading for one in drawn] == [
        "1 connection",
        "64 connections",
        "1\u202f000 connections",
    ]
    for level in drawn:
        assert level.title == "Goodput over that of poll (more is better)"
        rows = [row for row in level.drawn.rows or [] if row["kind"] != "floor"]
        kinds = {row["subject"]: row["kind"] for row in rows}
        assert kinds == {"threads": "worse", "epoll-level": "better", "select": "alike"}


def test_a_chart_can_be_drawn_and_the_best_one_is_on_top(tmp_path: Path) -> None:
    [level] = charts(write_run(tmp_path, speeds=SPEEDS, factors={}))
    spec = level.drawn.chart.to_dict() | {"data": {"values": level.drawn.rows}, "width": 400}
    svg = vl_convert.vegalite_to_svg(spec)
    places = [svg.index(f">{name}<") for name in ("epoll-level", "select", "threads")]
    assert places == sorted(places)


def test_an_interval_that_is_not_known_is_not_drawn(tmp_path: Path) -> None:
    [level] = charts(write_run(tmp_path, blocks=1, factors={}))
    rows = [row for row in level.drawn.rows or [] if row["kind"] != "floor"]
    assert rows
    assert all((row["low"], row["high"]) == (None, None) for row in rows)


def test_each_panel_has_its_own_rows_in_one_picture(tmp_path: Path) -> None:
    [level] = charts(write_run(tmp_path, factors={"service": ["echo", "http"]}))
    names = [row["subject"] for row in level.drawn.rows or [] if row["kind"] != "floor"]
    assert "threads, echo" in names
    assert "threads, http" in names


def test_what_the_plan_leaves_out_is_in_no_chart_and_in_no_sentence(tmp_path: Path) -> None:
    factors: dict[str, list[Any]] = {"service": ["echo", "http"], "connections": [1, 64]}
    left_out = {"service": "http", "connections": 64}
    folder = write_run(tmp_path, factors=factors, exclude=left_out)
    few, many = charts(folder)
    names = [row["subject"] for row in many.drawn.rows or []]
    assert "threads, http" in [row["subject"] for row in few.drawn.rows or []]
    assert "threads, echo" in names
    assert "threads, http" not in names
    assert "with service http at 64" not in findings(results(folder)).headline
    [table] = ratio_tables(results(folder))
    assert {row[0]: bool(row[2].strip()) for row in table.rows}["threads, http"] is False
    write_report(folder)


@pytest.mark.parametrize("left", ["poll", "nobody"])
def test_without_a_comparison_there_is_no_picture(left: str, tmp_path: Path) -> None:
    def alone(trial: Record) -> Record | None:
        return trial if trial["cell"]["engine"] == left else None

    folder = write_run(tmp_path, edit=alone)
    assert charts(folder) == []
    assert 'class="ratios"' not in write_report(folder).read_text(encoding="utf-8")


def test_the_picture_comes_before_what_limits_the_answer(tmp_path: Path) -> None:
    page = write_report(write_run(tmp_path)).read_text(encoding="utf-8")
    marks = [
        'class="headline"',
        'id="chart-ratios-0"',
        "What limits this answer",
        'id="advice"',
        'id="levels"',
    ]
    places = [page.index(mark) for mark in marks]
    assert places == sorted(places)


def test_each_load_model_has_charts_of_the_measure_that_it_decides(tmp_path: Path) -> None:
    def open_loop(trial: Record) -> Record:
        if trial["cell"]["model"] == "open":
            trial["load"]["load"] = trial["load"]["load"] | {"model": "open"}
        return trial

    factors: dict[str, list[Any]] = {"model": ["closed", "open"], "connections": [1, 64]}
    drawn = charts(write_run(tmp_path, factors=factors, edit=open_loop))
    assert [(one.heading, one.title.partition(" over")[0]) for one in drawn] == [
        ("1 connection", "Goodput"), ("64 connections", "Goodput"),
        ("1 connection", "p99 latency"), ("64 connections", "p99 latency"),
    ]  # fmt: skip
    assert len({one.drawn.name for one in drawn}) == 4
    for level in drawn:
        rows = [row for row in level.drawn.rows or [] if row["kind"] != "floor"]
        assert [row["subject"] for row in rows] == ["threads", "epoll-level"]


@pytest.mark.parametrize(
    ("ends", "labels"),
    [
        ((0.95, 1.06), [1]),
        ((0.85, 1.2), [0.9, 1, 1.1]),
        ((0.8, 2.6), [0.8, 1, 1.25, 2]),
        ((0.7, 11), [1, 2, 5, 10]),
    ],
)
def test_labels_of_the_axis_do_not_touch(ends: tuple[float, float], labels: list[float]) -> None:
    assert ticks(ends) == labels


@pytest.mark.parametrize("high", [58.9, 5000.0, None])
def test_what_is_too_far_is_drawn_where_the_axis_ends_and_not_before(high: float | None) -> None:
    far = Comparison(
        level={}, measure="latency-p99", baseline="poll", subject="far", ratio=20.03, low=6.8,
        high=high, verdict=HIGHER, noise_floor=None,
    )  # fmt: skip
    low, top = domain([far])
    assert low <= 1
    assert FARTHEST <= top <= 1.2 * FARTHEST
