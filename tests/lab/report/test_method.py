"""The page's method says what the code does: a flag that changes makes its sentence false here."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from serverlab.analysis.cells import OTHER_WORK_MAX
from serverlab.analysis.run_data import read_run
from serverlab.measures import GOODPUT, LATENCIES, MEASURES, SERVER_CPU
from serverlab.report.method import method
from serverlab.stats.paired import ALARM
from serverlab.stats.shift import ROUNDS_APART_MAX
from tests.lab.report_data import Record, in_turns, write_run

if TYPE_CHECKING:
    from pathlib import Path


def text_of(folder: Path, *, tells: bool = True, blocks: int = 3) -> str:
    """The method of a run whose servers took turns, on a machine that tells of other work."""

    def edit(trial: Record) -> Record:
        trial = in_turns(trial)
        for row in trial["load"]["series"]:
            row |= {"disturbed": False, "other_cpus_busy": 0.02 if tells else None}
        return trial

    run = write_run(folder, factors={}, blocks=blocks, edit=edit)
    plan = run / "plan.json"
    text = plan.read_text(encoding="utf-8")
    plan.write_text(text.replace("{", '{"design": "interleaved", ', 1), encoding="utf-8")
    return " ".join(method(read_run(run)))


def test_measures_of_slices_are_those_that_it_names(tmp_path: Path) -> None:
    assert {one for one in MEASURES if one.of_slice is not None} == {GOODPUT, SERVER_CPU}
    assert f"slices that are at most {ROUNDS_APART_MAX} round apart" in text_of(tmp_path)


def test_all_slices_count_for_the_measures_that_it_names(tmp_path: Path) -> None:
    assert [one for one in MEASURES if one.counts_disturbed] == [SERVER_CPU]
    assert [one for one in MEASURES if one.falls_with_other_work] == [GOODPUT]
    assert "All slices count for server CPU. So they do for goodput" in text_of(tmp_path)


def test_a_machine_that_does_not_tell_what_others_took_is_named(tmp_path: Path) -> None:
    assert "this machine does not tell what other work took" in text_of(tmp_path, tells=False)


def test_latencies_are_of_all_requests_of_a_block(tmp_path: Path) -> None:
    assert all(one.is_latency and one.of_slice is None for one in LATENCIES)
    text = text_of(tmp_path)
    assert "A latency is of all requests that a server had in a block." in text
    assert f"more than {OTHER_WORK_MAX:g} CPUs" in text


def test_it_says_how_often_equal_subjects_are_called_different(tmp_path: Path) -> None:
    assert f"in at most {ALARM:.0%} of levels" in text_of(tmp_path)


@pytest.mark.parametrize(("blocks", "is_told"), [(3, True), (12, False)])
def test_how_often_the_extremes_miss_the_median_is_said_if_it_ever_happens(
    blocks: int, tmp_path: Path, *, is_told: bool
) -> None:
    text = text_of(tmp_path, blocks=blocks)
    assert (f"miss the true median in one of {2 ** (blocks - 1)} runs" in text) is is_told
