"""Blocks that other work disturbed from their first slice to their last are left out, and named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from serverlab.analysis.pairs import compare
from serverlab.analysis.results import Results, results
from serverlab.measures import GOODPUT
from tests.lab.report.test_findings import found
from tests.lab.report_data import Record, in_turns, write_run

if TYPE_CHECKING:
    from pathlib import Path


def beside(other_cpus: dict[int, float], trial: Record) -> Record:
    """In turns; in some blocks other work takes so many CPUs, and `threads` loses most of its."""
    trial = in_turns(trial)
    cpus = other_cpus.get(trial["block"], 0.08)
    for row in trial["load"]["series"]:
        row["other_cpus_busy"] = cpus
        row["disturbed"] = False  # compared with the others of its load
        if trial["block"] in other_cpus and trial["cell"]["engine"] == "threads":
            row["completed"] //= 4
    return trial


def run_beside(folder: Path, other_cpus: dict[int, float]) -> Results:
    return results(
        write_run(folder, factors={}, blocks=5, edit=lambda trial: beside(other_cpus, trial))
    )


def goodput_ratio(shown: Results) -> tuple[float, int]:
    cells = {cell.subject: cell for cell in shown.cells}
    ratio = compare(cells["threads"], cells["poll"], GOODPUT)
    assert ratio is not None
    return ratio.estimate, ratio.pairs


def test_a_block_whose_quiet_slices_lost_more_than_is_usual_does_not_count(tmp_path: Path) -> None:
    shown = run_beside(tmp_path, {1: 0.6})
    estimate, pairs = goodput_ratio(shown)
    assert estimate == pytest.approx(0.5, rel=0.05)
    assert pairs == 4 * 12
    assert "4 of 20 trials were not valid" in " ".join(found(tmp_path).caveats)
    [reason] = {cell.reason for cell in shown.cells}
    assert reason == "other work took 0.60 CPUs in the quieter slices, where 0.08 is usual"


def test_where_most_blocks_are_disturbed_that_is_usual(tmp_path: Path) -> None:
    estimate, pairs = goodput_ratio(run_beside(tmp_path, {1: 0.6, 2: 0.6, 3: 0.6}))
    assert pairs == 5 * 12
    assert estimate < 0.4


def test_a_little_more_than_usual_is_no_reason(tmp_path: Path) -> None:
    assert goodput_ratio(run_beside(tmp_path, {1: 0.3}))[1] == 5 * 12


def test_slices_beside_which_nothing_else_ran_are_the_quiet_ones(tmp_path: Path) -> None:
    def half_quiet(trial: Record) -> Record:
        trial = beside({1: 0.6}, trial)
        if trial["block"] == 1:
            for row in trial["load"]["series"][::2]:
                row["other_cpus_busy"] = 0.0
        return trial

    shown = results(write_run(tmp_path, factors={}, blocks=5, edit=half_quiet))
    assert {cell.reason for cell in shown.cells} == {""}
