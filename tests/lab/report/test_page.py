"""The page: whole, self-contained, and silent about nothing."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import vl_convert

from serverlab.analysis.results import results
from serverlab.measures import KERNEL_CPU, MEASURES, USER_CPU
from serverlab.report import curve_chart
from serverlab.report.library import library
from serverlab.report.page import measure_chart, write_report
from serverlab.report.palette import looks
from serverlab.report.ratio_chart import ratio_charts
from tests.lab.report_data import (
    QUESTION,
    Edit,
    Record,
    failed,
    invalid,
    of_sessions,
    write_json,
    write_run,
)

SIZE_MAX = 2_000_000
SPLIT = {USER_CPU, KERNEL_CPU}  # whose trials here are long enough
ALWAYS_SHOWN = [one for one in MEASURES if not one.of_some_loads or one in SPLIT]


class Elements(HTMLParser):
    """What a page's elements refer to, what its scripts hold, and what a reader sees."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.references: list[str] = []
        self.scripts: dict[str, str] = {}
        self.text = ""
        self.inside: str | None = None
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what it refers to, and whether what follows is for machines."""
        values = dict(attrs)
        self.references += [values[name] or "" for name in ("src", "href") if name in values]
        if tag in {"script", "style"}:
            self.inside = values.get("id") or tag

    def handle_endtag(self, tag: str) -> None:
        """What follows is for readers again."""
        if tag in {"script", "style"}:
            self.inside = None

    def handle_data(self, data: str) -> None:
        """Keep the text."""
        if self.inside is None:
            self.text += f"{data} "
        else:
            self.scripts[self.inside] = self.scripts.get(self.inside, "") + data


def page_of(folder: Path) -> str:
    return write_report(folder).read_text(encoding="utf-8")


def charts_of(page: str) -> dict[str, dict[str, Any]]:
    data = json.loads(Elements(page).scripts["page-data"])
    return {chart["name"]: {**chart, "cells": data["cells"]} for chart in data["charts"]}


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A plain run's page, which most tests only look at."""
    return page_of(write_run(tmp_path_factory.mktemp("run")))


def test_the_report_lies_in_the_runs_folder(tmp_path: Path) -> None:
    assert write_report(write_run(tmp_path)) == tmp_path / "report.html"


def test_question_answer_charts_and_the_rest_come_in_this_order(page: str) -> None:
    text = " ".join(Elements(page).text.split())
    milestones = [
        QUESTION, "epoll-level has the highest goodput", "What limits this answer", "Charts",
        "Goodput", "p99.9 latency", "Context switches per request", "Table", "Invalid trials",
        "Method", "seed 7", "Machine", "An Exact CPU", "Raw data",
    ]  # fmt: skip
    place = 0
    for milestone in milestones:
        place = text.index(milestone, place)


def test_every_measure_is_a_chart(page: str) -> None:
    drawn = [name for name in charts_of(page) if not name.startswith("ratios-")]
    assert drawn == [measure.name for measure in ALWAYS_SHOWN]
    for measure in ALWAYS_SHOWN:
        assert f'id="chart-{measure.name}"' in page


def test_nothing_is_fetched(page: str) -> None:
    elements = Elements(page)
    assert [one for one in elements.references if not one.startswith("#")] == [
        "trials.jsonl", "plan.json", "environment.json", "experiment.toml",
    ]  # fmt: skip
    assert "default-src 'none'" in page
    assert not re.search(r"@import|url\(", elements.scripts["style"])


def test_the_library_is_there_once_and_the_page_is_small(page: str) -> None:
    assert page.count("window.vegaEmbed=") == 1
    assert len(page.encode()) < SIZE_MAX


def test_each_chart_has_an_engines_colour_symbol_and_dash(page: str) -> None:
    domains = {
        json.dumps(encoding["scale"]["domain"])
        for name, chart in charts_of(page).items()
        if not name.startswith("ratios-")
        for layer in chart["spec"]["layer"]
        for channel, encoding in layer["encoding"].items()
        if channel in {"color", "shape", "strokeDash"}
    }
    assert domains == {json.dumps(["poll", "threads", "epoll-level", "poll again"])}


def test_each_chart_is_one_of_vega_lite(tmp_path: Path) -> None:
    """The page is made without asking, as that takes long."""
    shown = results(write_run(tmp_path, edit=of_sessions))
    made = [measure_chart(shown, measure) for measure in MEASURES]
    assert any(made)
    for one in (*made, *(level.drawn for level in ratio_charts(shown))):
        if one is not None:
            one.chart.to_dict(validate=True)
    for kind in curve_chart.KINDS:
        curve_chart.chart(kind, looks(shown.subjects)).to_dict(validate=True)


def completed(chart: dict[str, Any], mode: str) -> dict[str, Any]:
    """What the page's script makes of a chart."""
    spec: dict[str, Any] = chart["spec"]
    rows = [
        {**cell, **(figure or {})}
        for cell, figure in zip(chart["cells"], chart["figures"], strict=True)
    ]
    for layer in spec["layer"]:
        for channel, scale in chart["scales"][mode].items():
            if layer["encoding"][channel]["type"] == "quantitative":
                layer["encoding"][channel]["scale"] = scale
    return {**spec, "width": 600, "data": {"values": rows}}


@pytest.mark.parametrize("mode", ["linear", "log-x", "log"])
def test_a_chart_is_drawn_on_every_kind_of_axis(page: str, mode: str) -> None:
    svg = vl_convert.vegalite_to_svg(completed(charts_of(page)["latency-p99"], mode))
    assert svg.count('aria-roledescription="point"') >= 12
    assert all(f">{level}<" in svg for level in ("1", "64", "1\u202f000"))


def test_no_line_is_drawn_through_a_cell_without_a_valid_figure(tmp_path: Path) -> None:
    def edit(trial: Record) -> Record:
        is_it = trial["cell"] == {"engine": "threads", "connections": 16}
        return failed(trial) if is_it else trial

    run = write_run(tmp_path, factors={"connections": [4, 8, 16, 32, 64]}, edit=edit)
    svg = vl_convert.vegalite_to_svg(completed(charts_of(page_of(run))["goodput"], "linear"))
    lines = re.findall(r'aria-roledescription="line mark" d="([^"]*)"', svg)
    # Four engines, of which one is broken; and the scaling law of two that have all five levels.
    assert sorted(line.count("M") for line in lines) == [1, 1, 1, 1, 1, 2]


def test_a_tooltip_says_engine_level_figure_spread_and_verdict(page: str) -> None:
    chart = charts_of(page)["goodput"]
    row = {**chart["cells"][0], **chart["figures"][0]}
    assert (row["subject"], row["where"]) == ("poll", "at 1 connection")
    assert row["amount"] == "55\u202f200\u202frequests/s"
    assert row["spread"] == "52\u202f500 to 57\u202f500 in 3 blocks"
    assert row["verdict"] == "VALID"


def test_invalid_trials_are_listed_and_drawn_as_rejected(tmp_path: Path) -> None:
    def edit(trial: Record) -> Record:
        return (
            invalid(trial) if trial["cell"] == {"engine": "threads", "connections": 64} else trial
        )

    page = page_of(write_run(tmp_path, edit=edit))
    text = " ".join(Elements(page).text.split())
    assert "These trials are in no median and no ratio, but for those" in text
    assert "threads at 64 connections ERRORS 12 wrong answers b1-005, b2-005, b3-005" in text
    [cell] = [cell for cell in charts_of(page)["goodput"]["cells"] if not cell["valid"]]
    assert cell["verdict"] == "ERRORS: 12 wrong answers"


def test_what_is_unsupported_is_not_listed_as_a_failure(tmp_path: Path) -> None:
    def edit(trial: Record) -> Record:
        is_it = trial["cell"]["engine"] == "threads"
        return failed(trial, "UNSUPPORTED", "needs io_uring") if is_it else trial

    text = " ".join(Elements(page_of(write_run(tmp_path, edit=edit))).text.split())
    assert "Every trial that was run is valid, or is unsupported on this machine." in text
    assert "Unsupported The engine or the machine cannot do this; it is no failure." in text
    assert "threads at 64 connections UNSUPPORTED needs io_uring" in text


def test_the_switch_of_axes_is_there_only_with_an_x_factor(tmp_path: Path, page: str) -> None:
    assert page.count('name="mode"') == 3
    bars = page_of(write_run(tmp_path, factors={"connections": [64]}))
    assert 'name="mode"' not in bars
    assert charts_of(bars)["goodput"]["spec"]["layer"][0]["mark"]["type"] == "bar"


def test_further_factors_are_chosen_from_a_list(tmp_path: Path, page: str) -> None:
    assert 'id="panel"' not in page
    queues = {"queue": ["fifo", "lifo"]}
    panels = page_of(write_run(tmp_path, factors={"connections": [8, 64], **queues}))
    assert re.findall(r'<option value="(\d)">(.*?)</option>', panels) == [
        ("0", "queue fifo"), ("1", "queue lifo"),
    ]  # fmt: skip


def test_text_of_a_run_cannot_become_markup(tmp_path: Path) -> None:
    evil = "</script><b>bold</b>`"
    folder = write_run(
        tmp_path,
        edit=lambda trial: invalid(trial, "ERRORS", evil) if trial["order"] == 1 else trial,
    )
    plan = json.loads((folder / "plan.json").read_text(encoding="utf-8"))
    write_json(folder / "plan.json", {**plan, "question": evil})
    page = page_of(folder)
    assert evil not in page
    assert "&lt;/script&gt;&lt;b&gt;bold" in page
    assert charts_of(page).keys() >= {measure.name for measure in ALWAYS_SHOWN}


def test_a_measure_that_no_trial_has_is_said_to_be_missing(tmp_path: Path) -> None:
    page = page_of(write_run(tmp_path, edit=lambda trial: {**trial, "server": None}))
    assert "server-cpu-per-request" not in charts_of(page)
    assert "No trial could give it." in page


def test_the_time_of_a_session_is_shown_where_the_load_has_sessions(
    tmp_path: Path, page: str
) -> None:
    sessions = page_of(write_run(tmp_path, edit=of_sessions))
    for name in ("p50 session time", 'id="chart-session-p50"'):
        assert name in sessions
        assert name not in page
    assert "No trial could give it." not in sessions


def test_a_page_does_without_the_calls_that_a_library_makes(tmp_path: Path) -> None:
    def edit(trial: Record) -> Record:
        summary = {**trial["server"]["summary"], "syscalls": None}
        return {**trial, "server": {**trial["server"], "summary": summary}}

    assert QUESTION in page_of(write_run(tmp_path, edit=edit))


@pytest.mark.parametrize("edit", [failed, lambda _: None], ids=["all failed", "none run"])
def test_a_run_without_any_figure_still_has_a_page(tmp_path: Path, edit: Edit) -> None:
    page = page_of(write_run(tmp_path, edit=edit))
    assert QUESTION in page
    assert charts_of(page) == {}


def test_the_library_is_kept_for_the_next_report_where_it_can_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = library.__wrapped__
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    text = made()
    [kept] = (tmp_path / "serverlab").iterdir()
    kept.write_text("kept", encoding="utf-8")
    assert made() == "kept"
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null")
    assert made() == text


@pytest.mark.parametrize(
    ("confine", "said"),
    [
        ("off", "The engines ran without the filter of system calls"),
        ("on", "Each system call of the engines passed a filter"),
    ],
)
def test_whether_system_calls_passed_a_filter_is_on_the_page(
    tmp_path: Path, confine: str, said: str
) -> None:
    def edit(trial: Record) -> Record:
        return trial | {"server_settings": {"cpus": "0", "confine": confine}}

    text = Elements(page_of(write_run(tmp_path, edit=edit))).text
    assert said in " ".join(text.split())
