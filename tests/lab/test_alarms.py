"""The count of false alarms: what it calls different, and what it cannot ask."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from bench.alarms import CONNECTIONS, EVERYTHING, count
from serverlab.analysis.results import results
from serverlab.analysis.standings import CRITERIA
from tests.lab.report_data import Edit, Record, invalid, write_run


def counted(folder: Path, speed: float, edit: Edit = lambda trial: trial) -> tuple[int, int, str]:
    """Comparisons, alarms and words of an engine that is `speed` times as fast as itself."""
    path = write_run(
        folder / "run",
        speeds={"poll": 1.0, "poll again": speed},
        factors={"connections": CONNECTIONS},
        edit=edit,
    )
    asked: Counter[str] = Counter()
    alarms: Counter[str] = Counter()
    words = count(results(path), asked, alarms)
    return asked[EVERYTHING], alarms[EVERYTHING], words


def test_what_is_alike_raises_no_alarm(tmp_path: Path) -> None:
    assert counted(tmp_path, 1.0) == (len(CRITERIA) * len(CONNECTIONS), 0, "the same")


def test_what_differs_in_everything_that_speed_moves_raises_them(tmp_path: Path) -> None:
    _, alarms, words = counted(tmp_path, 1.3)
    assert alarms >= 3 * len(CONNECTIONS)
    assert "different in goodput at 4 connections" in words


def test_a_level_without_a_valid_trial_is_not_counted_but_named(tmp_path: Path) -> None:
    def spoiled(trial: Record) -> Record:
        return invalid(trial) if trial["cell"]["connections"] == 64 else trial

    asked, alarms, words = counted(tmp_path, 1.0, spoiled)
    assert (asked, alarms) == (len(CRITERIA), 0)
    assert "at 64 connections (ERRORS" in words
