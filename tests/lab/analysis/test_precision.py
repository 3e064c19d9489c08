"""Until it is sure: which headline intervals are wider than was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serverlab.analysis.results import results
from serverlab.report.findings import findings
from serverlab.report.shortfall import imprecise
from tests.lab.report_data import Record, failed, restless, wanting, write_run

if TYPE_CHECKING:
    from pathlib import Path


def test_what_is_wide_is_named_with_its_place_and_its_width(tmp_path: Path) -> None:
    run = wanting(write_run(tmp_path, blocks=5, edit=restless(64)))
    [said] = imprecise(run)
    assert said.startswith("`threads` at 64 connections, goodput ±")
    shown = results(run)
    [caveat] = [
        one
        for one in findings(shown).caveats
        if one.startswith("Each ratio to the baseline was to be known to ±3")
    ]
    assert "after 5 blocks (of 30 at most) these are not: `threads` at 64" in caveat


def test_a_single_common_block_leaves_everything_open(tmp_path: Path) -> None:
    def only_once(trial: Record) -> Record:
        is_it = trial["cell"]["engine"] == "threads" and trial["block"] > 1
        return failed(trial) if is_it else trial

    run = wanting(write_run(tmp_path, blocks=5, factors={"connections": [64]}, edit=only_once))
    assert imprecise(run) == ["`threads`, no interval for its goodput"]


def test_a_run_without_a_wish_is_never_short_of_it(tmp_path: Path) -> None:
    run = write_run(tmp_path, edit=restless(64))
    assert imprecise(run) == []
