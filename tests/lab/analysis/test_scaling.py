"""Scaling in the report: a law in the chart and in the table, or the reason why there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars
import pytest
import vl_convert

from serverlab.analysis.results import Results, results
from serverlab.measures import GOODPUT, P99
from serverlab.report.charts import chart
from serverlab.report.export import export
from serverlab.report.page import write_report
from serverlab.report.palette import looks
from serverlab.report.points import points, rows
from serverlab.report.scaling_layers import drawn_rows, predictions
from serverlab.report.scaling_table import scaling_table, summary
from serverlab.stats.usl import predicted
from tests.lab.report_data import Edit, Record, failed, write_run

if TYPE_CHECKING:
    from pathlib import Path

LEVELS = [1, 4, 16, 64, 256]
LAW = (1000.0, 0.05, 1e-4)  # its peak is at 97


def obeying(trial: Record) -> Record:
    """Goodput by the law, that of the latency left as it is; blocks drift."""
    number = trial["cell"].get("connections", trial["cell"].get("threads"))
    goodput = predicted(number, LAW) * (1 + 0.05 * trial["block"])
    rate = {**trial["load"]["rate"], "goodput_per_s": goodput}
    return {**trial, "load": {**trial["load"], "rate": rate}}


def scaled(
    folder: Path, edit: Edit = obeying, factor: str = "connections", **others: list[str]
) -> Results:
    return results(write_run(folder, factors={factor: LEVELS, **others}, edit=edit))


@pytest.mark.parametrize("factor", ["connections", "threads"])
def test_each_engine_has_its_law_and_the_twin_has_none(tmp_path: Path, factor: str) -> None:
    found = scaled(tmp_path, factor=factor).scalings
    assert [one.subject for one in found] == ["poll", "threads", "epoll-level"]
    for one in found:
        assert one.law is not None
        assert one.law.serial.value == pytest.approx(LAW[1], rel=0.01)
        assert not one.peak_is_beyond
    head, *_ = scaling_table(found).rows
    assert [entry.text for entry in head[:2]] == ["poll", factor]
    assert head[5].text.startswith("97.")
    assert " to " in head[5].small


def test_the_law_is_a_dashed_line_with_a_peak_in_the_chart_of_goodput_alone(
    tmp_path: Path,
) -> None:
    shown = scaled(tmp_path)
    assert predictions(shown, P99) == []
    layers = predictions(shown, GOODPUT)
    drawn = points(GOODPUT, shown.cells)
    spec = chart(drawn, shown.axes, looks(shown.subjects), layers).to_dict()
    spec["data"] = {"values": rows(drawn, shown.axes, shown.cells)}
    svg = vl_convert.vegalite_to_svg({**spec, "width": 600})
    assert svg.count('stroke-dasharray="2,4"') == 3
    peaks = [row for row in drawn_rows(shown.scalings) if row["peak"]]
    assert [row["x"] for row in peaks] == [pytest.approx(97.5, rel=0.01)] * 3


def test_each_panel_has_laws_of_its_own(tmp_path: Path) -> None:
    found = scaled(tmp_path, queue=["fifo", "lifo"]).scalings
    assert {(one.where, one.panel) for one in found} == {("queue fifo", 0), ("queue lifo", 1)}
    assert len(found) == 6


def test_a_factor_that_makes_panels_is_fitted_and_not_drawn(tmp_path: Path) -> None:
    both = {"threads": [1, 2], "connections": LEVELS}
    found = results(write_run(tmp_path, factors=both)).scalings
    fitted = [one for one in found if one.factor == "connections"]
    assert {one.panel for one in fitted} == {None}
    assert {one.where for one in fitted} == {"threads 1", "threads 2"}


def opened(trial: Record) -> Record:
    load = trial["load"]
    return {**trial, "load": {**load, "load": {**load["load"], "model": "open"}}}


def without_two_levels(trial: Record) -> Record:
    return failed(trial) if trial["cell"]["connections"] in {4, 64} else trial


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        (opened, "the load is no closed loop: its goodput is what was asked for"),
        (without_two_levels, "3 levels have a figure, and 5 are needed"),
        (failed, "0 levels have a figure, and 5 are needed"),
    ],
)
def test_where_there_is_no_law_the_page_says_why(tmp_path: Path, edit: Edit, reason: str) -> None:
    shown = scaled(tmp_path, edit)
    assert summary(shown.scalings) == f"No scaling law is fitted: {reason}."
    assert reason in write_report(tmp_path).read_text(encoding="utf-8")


def test_an_engine_without_a_law_has_its_reason_in_the_table(tmp_path: Path) -> None:
    def edit(trial: Record) -> Record:
        is_it = trial["cell"]["engine"] == "threads"
        return without_two_levels(obeying(trial)) if is_it else obeying(trial)

    table = scaling_table(scaled(tmp_path, edit).scalings)
    assert [row[-1].text for row in table.rows] == [
        "", "none: 3 levels have a figure, and 5 are needed", "",
    ]  # fmt: skip


def test_a_run_without_such_a_factor_says_nothing_of_scaling(tmp_path: Path) -> None:
    folder = write_run(tmp_path, factors={"payload": ["1 B", "64 B"]})
    assert results(folder).scalings == []
    assert 'id="scaling"' not in write_report(folder).read_text(encoding="utf-8")


def test_the_laws_and_the_refusals_are_exported(tmp_path: Path) -> None:
    def edit(trial: Record) -> Record:
        is_it = trial["cell"]["engine"] == "threads"
        return without_two_levels(obeying(trial)) if is_it else obeying(trial)

    folder = write_run(tmp_path / "run", factors={"connections": LEVELS}, edit=edit)
    export(folder, tmp_path / "out")
    table = polars.read_csv(tmp_path / "out" / "scaling.csv")
    assert table["serial"].to_list() == [
        pytest.approx(0.05, rel=0.01),
        None,
        pytest.approx(0.05, rel=0.01),
    ]
    assert table["refusal"].to_list()[1] == "3 levels have a figure, and 5 are needed"
    goodput = (tmp_path / "out" / "goodput.svg").read_text(encoding="utf-8")
    assert goodput.count('stroke-dasharray="2,4"') == 2
