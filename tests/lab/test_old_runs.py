"""Runs that earlier versions wrote still open: those of old_runs are as they were written."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from serverlab.analysis.results import results
from serverlab.measures import GOODPUT, P99
from serverlab.report.csv_rows import cell_rows, trial_rows
from serverlab.running.store import RunFolder
from tests.lab.conftest import Serverlab

RUNS = Path(__file__).parent / "old_runs"
# The goodput of each cell, as `serverlab report --export` gave it on the day of the run.
GOODPUTS = {
    "separate": [
        ("threads", 1, 5440.0),
        ("threads", 8, 13577.5),
        ("epoll-level", 1, 6330.0),
        ("epoll-level", 8, 17037.5),
    ],
    "interleaved": [
        ("threads", None, 19852.777777777777),
        ("epoll-level", None, 17050.0),
        ("epoll-level again", None, 17127.777777777777),
    ],
}


@pytest.fixture(params=sorted(GOODPUTS))
def run(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return Path(shutil.copytree(RUNS / request.param, tmp_path / request.param))


def test_an_old_run_has_the_figures_that_it_had(run: Path) -> None:
    cells = results(run).cells
    figures = [(cell.subject, cell.level, cell.figures[GOODPUT.name].value) for cell in cells]
    assert figures == GOODPUTS[run.name]
    assert all(P99.name in cell.figures for cell in cells)


def test_the_connection_logs_of_an_old_run_are_drawn() -> None:
    curves = results(RUNS / "separate").curves
    assert [len(curve.requests) for curve in curves] == [8, 8]


def test_an_old_run_is_resumed_to_its_report(run: Path, serverlab: Serverlab) -> None:
    folder = RunFolder(run)
    planned = [trial.trial for trial in folder.plan().trials]
    assert [record.trial for record in folder.records()] == planned
    done = serverlab("run", "--resume", str(run))
    assert done.returncode == 0, done.stderr
    assert "0 trials to run" in done.stdout
    assert GOODPUT.title in (run / "report.html").read_text(encoding="utf-8")


def test_an_old_run_is_exported_as_tables(run: Path) -> None:
    shown = results(run)
    assert [row["verdict"] for row in trial_rows(shown)] == ["VALID"] * len(shown.run.trials)
    assert len(cell_rows(shown)) == len(shown.cells)


def test_an_old_run_is_compared(run: Path, serverlab: Serverlab) -> None:
    done = serverlab("compare", str(RUNS / run.name), str(run))
    assert done.returncode == 0, done.stderr
