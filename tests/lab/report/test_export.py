"""The export: every chart and table as a file."""

from __future__ import annotations

from pathlib import Path

import polars
import pytest

from serverlab.analysis.cells import measures_of
from serverlab.analysis.results import results
from serverlab.errors import LabError
from serverlab.measures import GOODPUT
from serverlab.report.csv_rows import cell_rows, trial_rows
from serverlab.report.export import export, export_chart, export_table
from tests.lab.report_data import failed, invalid, of_sessions, write_run

Tables = tuple[polars.DataFrame, polars.DataFrame]


def test_every_chart_is_there_as_png_and_svg(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", factors={"connections": [8, 64]}, edit=of_sessions)
    export(run, tmp_path / "out")
    for measure in measures_of(results(run).cells):
        svg = (tmp_path / "out" / f"{measure.name}.svg").read_text(encoding="utf-8")
        assert measure.title in svg
        assert "epoll-level" in svg
        png = (tmp_path / "out" / f"{measure.name}.png").read_bytes()
        assert png.startswith(b"\x89PNG")


def test_each_panel_has_charts_of_its_own(tmp_path: Path) -> None:
    others = {"payload": ["64 B", "1 KiB"], "queue": ["fifo", "lifo"]}
    shown = results(write_run(tmp_path, blocks=1, factors={"connections": [8, 64], **others}))
    for panel in range(4):
        export_chart(shown, GOODPUT, panel, tmp_path)
    assert {path.name for path in tmp_path.glob("*.svg")} == {
        "goodput-payload-64-b-queue-fifo.svg", "goodput-payload-64-b-queue-lifo.svg",
        "goodput-payload-1-kib-queue-fifo.svg", "goodput-payload-1-kib-queue-lifo.svg",
    }  # fmt: skip


@pytest.fixture
def tables(tmp_path: Path) -> Tables:
    """The CSVs of a run in which one cell is invalid and one failed in its first block."""

    def edit(trial: dict[str, object]) -> dict[str, object]:
        if trial["cell"] == {"engine": "threads", "connections": 64}:
            return invalid(trial)
        return failed(trial) if trial["trial"] == "b1-001" else trial

    shown = results(write_run(tmp_path, edit=edit))
    export_table(cell_rows(shown), tmp_path / "cells.csv")
    export_table(trial_rows(shown), tmp_path / "trials.csv")
    cells, trials = (polars.read_csv(tmp_path / f"{name}.csv") for name in ("cells", "trials"))
    return cells, trials


def test_the_table_of_cells_has_figures_of_valid_trials_only(tables: Tables) -> None:
    cells, _ = tables
    by_cell = {(row["engine"], row["connections"]): row for row in cells.iter_rows(named=True)}
    assert len(by_cell) == 12
    assert by_cell["threads", 64]["goodput_per_s"] is None
    assert by_cell["threads", 64]["reason"] == "12 wrong answers"
    assert by_cell["poll", 1]["verdict"] == "VALID in 2 of 3"
    assert by_cell["poll", 1]["blocks_valid"] == 2
    low, middle, high = (
        by_cell["poll", 64][f"latency_p99_ns{end}"] for end in ("_low", "", "_high")
    )
    assert low <= middle <= high
    assert by_cell["poll", 64]["latency_p99_ns_merged"] == pytest.approx(middle, rel=0.1)


def test_the_table_of_trials_has_all_of_them(tables: Tables) -> None:
    _, trials = tables
    assert trials.height == 36
    by_name = {row["trial"]: row for row in trials.iter_rows(named=True)}
    assert by_name["b1-001"]["verdict"] == "FAILED"
    assert by_name["b1-001"]["goodput_per_s"] is None
    assert by_name["b1-005"]["verdict"] == "ERRORS"
    assert by_name["b1-005"]["goodput_per_s"] > 0


def test_a_run_without_trials_has_tables_but_no_charts(tmp_path: Path) -> None:
    export(write_run(tmp_path / "run", edit=lambda _: None), tmp_path / "out")
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"cells.csv", "trials.csv"}


def test_a_folder_that_cannot_be_made_is_an_error_in_words(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", edit=lambda _: None)
    with pytest.raises(LabError, match=r"cannot write into .*plan\.json"):
        export(run, run / "plan.json")
