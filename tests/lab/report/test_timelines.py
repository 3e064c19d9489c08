"""What happened within a window is in the page's charts over time, and in a table of all trials."""

from __future__ import annotations

from pathlib import Path

import polars
import pytest

from serverlab.analysis.results import results
from serverlab.analysis.timelines import moments
from serverlab.notation import NARROW_SPACE
from serverlab.report import timeline_charts
from serverlab.report.csv_rows import timeline_rows
from serverlab.report.export import export_table, export_timelines
from serverlab.report.page import write_report
from serverlab.report.palette import looks
from tests.lab.report_data import Record, invalid, write_run

BUSY = 0.25  # CPUs


def looked_at(trial: Record) -> Record:
    """Four looks at the server, and two intervals of the load."""
    trial["server"]["samples"] = [
        {
            "t_s": 0.5 * look, "cpu_s": 7 + 0.5 * BUSY * look, "rss_bytes": 2**20 * (look + 1),
            "threads": 1 + look, "descriptors": 10 + look,
        }
        for look in range(4)
    ]  # fmt: skip
    last = trial["server"]["samples"][-1]  # a look at the window's end, too soon after it
    trial["server"]["samples"].append(last | {"t_s": last["t_s"] + 0.01})
    trial["load"]["series"] = [
        {"t_s": end_s, "duration_s": 1.0, "established": open_by_then}
        for end_s, open_by_then in ((1.0, 64), (2.0, 3))
    ]
    return trial


def test_moments_come_from_the_load_and_from_the_looks_at_the_server(tmp_path: Path) -> None:
    shown = results(write_run(tmp_path, factors={}, edit=looked_at))
    found = moments(shown.cells[0].trials[0])
    assert [one.t_s for one in found] == [0.5, 1.0, 1.0, 1.5, 2.0]
    assert [one.established for one in found if one.established is not None] == [64, 3]
    looks_at = [one for one in found if one.cpus_busy is not None]
    assert [one.cpus_busy for one in looks_at] == pytest.approx([BUSY] * 3)
    assert [one.rss_bytes for one in looks_at] == [2 * 2**20, 3 * 2**20, 4 * 2**20]
    assert [(one.threads, one.descriptors) for one in looks_at] == [(2, 11), (3, 12), (4, 13)]


def test_the_charts_are_of_the_level_with_most_connections_and_of_valid_trials(
    tmp_path: Path,
) -> None:
    def edit(trial: Record) -> Record:
        trial = looked_at(trial)
        return invalid(trial) if trial["cell"]["engine"] == "threads" else trial

    shown = results(write_run(tmp_path, factors={"connections": [8, 64]}, edit=edit))
    assert {line.cell.level for line in shown.timelines} == {64}
    assert {line.cell.subject for line in shown.timelines} == {"poll", "epoll-level", "poll again"}
    established, cpu, memory = timeline_charts.drawn(shown.timelines, looks(shown.subjects))
    assert [row["value"] for row in established.rows if row["subject"] == "poll"] == [64, 3]
    assert {row["value"] for row in cpu.rows} == {BUSY}
    assert memory.rows[0]["words"] == f"2.00{NARROW_SPACE}MiB after 0.50 s"
    for one in (established, cpu, memory):
        one.chart.to_dict()  # which validates


def test_the_page_folds_them_under_an_interest_of_their_own(tmp_path: Path) -> None:
    run = write_run(tmp_path / "with", factors={}, edit=looked_at)
    page = write_report(run).read_text(encoding="utf-8")
    folded = page.partition('<details class="of-charts" id="over-time">')[2]
    inside = folded.partition("</details>")[0]
    for name in ("established", "server-cpu", "server-memory"):
        assert f'id="chart-{name}-over-time"' in inside
    without = write_report(write_run(tmp_path / "without", factors={}))
    assert "over-time" not in without.read_text(encoding="utf-8")


def test_a_long_window_has_as_many_points_as_can_be_told_apart(tmp_path: Path) -> None:
    def edit(trial: Record) -> Record:
        trial["load"]["series"] = [{"t_s": float(t), "established": 1} for t in range(1, 3601)]
        return trial

    [line, *_] = results(write_run(tmp_path, factors={}, edit=edit)).timelines
    thinned = timeline_charts.thinned(line, timeline_charts.CHARTS[0])
    assert len(thinned) == timeline_charts.POINTS_MAX
    assert (thinned[0][0].t_s, thinned[1][0].t_s) == (1, 19)


def test_the_table_has_the_moments_of_every_trial(tmp_path: Path) -> None:
    shown = results(write_run(tmp_path, factors={}, edit=looked_at))
    export_table(timeline_rows(shown), tmp_path / "timelines.csv")
    table = polars.read_csv(tmp_path / "timelines.csv")
    assert len(table) == 4 * 3 * 5  # engines, blocks, moments
    assert table.columns == [
        "engine", "trial", "t_s", "established", "server_cpus_busy", "server_rss_bytes",
        "server_threads", "server_descriptors",
    ]  # fmt: skip
    assert table["server_cpus_busy"].drop_nulls().unique().to_list() == pytest.approx([BUSY])


def test_the_export_has_a_chart_of_each(tmp_path: Path) -> None:
    shown = results(write_run(tmp_path / "run", factors={}, edit=looked_at))
    export_timelines(shown, tmp_path)
    charts = {path.name for path in tmp_path.glob("*.svg")}
    assert charts == {f"{one.name}.svg" for one in timeline_charts.CHARTS}
    svg = (tmp_path / "established-over-time.svg").read_text(encoding="utf-8")
    assert "Open connections" in svg
