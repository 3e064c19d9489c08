"""Cells: which trials count, what blocks make of a measure, what becomes of the others."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serverlab.analysis.all_requests import percentiles
from serverlab.analysis.cells import Cell
from serverlab.analysis.results import results
from serverlab.errors import UsageError
from serverlab.measures import (
    DESCRIPTORS,
    GOODPUT,
    GOODPUT_PER_CONNECTION,
    P50,
    P90,
    P99,
    P99_9,
    SWITCHES,
)
from serverlab.report.tables import flags, rejections
from serverlab.stats.histogram import decode, merge
from tests.lab.report_data import Edit, Record, failed, invalid, times, write_run


def one_cell(folder: Path, edit: Edit, *, blocks: int = 3) -> Cell:
    """The only cell of a run of one engine."""
    run = write_run(folder, speeds={"poll": 1.0}, twin=None, factors={}, blocks=blocks, edit=edit)
    [cell] = results(run).cells
    return cell


def in_block(block: int, change: Edit) -> Edit:
    return lambda trial: change(trial) if trial["block"] == block else trial


def with_latency(trial: Record, **fields: object) -> Record:
    """Other latencies, but one request that was quick enough for any goodput."""
    latency = {**trial["load"]["latency_ns"], **fields, "min": 1}
    return {**trial, "load": {**trial["load"], "latency_ns": latency}}


def with_goodput(trial: Record, goodput: float) -> Record:
    rate = {**trial["load"]["rate"], "goodput_per_s": goodput}
    return with_latency({**trial, "load": {**trial["load"], "rate": rate}})


def test_a_figure_is_the_median_over_blocks_with_the_extremes(tmp_path: Path) -> None:
    goodputs = {1: 100.0, 2: 300.0, 3: 110.0}
    cell = one_cell(tmp_path, lambda trial: with_goodput(trial, goodputs[trial["block"]]))
    figure = cell.figures[GOODPUT.name]
    assert (figure.value, figure.low, figure.high) == (110, 100, 300)
    assert figure.by_block == goodputs


def test_the_goodput_of_a_connection_is_its_part_of_all(tmp_path: Path) -> None:
    cell = one_cell(tmp_path, lambda trial: with_goodput(trial, 1000))
    assert cell.figures[GOODPUT_PER_CONNECTION.name].value == 1000 / 8


def test_a_percentile_of_all_requests_is_that_of_the_merged_histograms(tmp_path: Path) -> None:
    latencies = {1: times(1e6), 2: times(2e6), 3: times(9e6)}
    cell = one_cell(tmp_path, lambda trial: with_latency(trial, **latencies[trial["block"]]))
    merged = merge(decode(latency["hdr"]) for latency in latencies.values())
    assert cell.figures[P99.name].value == latencies[2]["p99"]
    assert percentiles(cell)[P99.name].value == merged.quantile(0.99)
    assert merged.quantile(0.99) != latencies[2]["p99"]


def test_a_percentile_that_one_trial_lacks_is_not_known(tmp_path: Path) -> None:
    cell = one_cell(tmp_path, in_block(2, lambda trial: with_latency(trial, p99_9=None)))
    assert P99_9.name not in cell.figures
    assert percentiles(cell)[P99_9.name].value is None
    assert P99.name in cell.figures


def test_invalid_trials_are_in_no_figure(tmp_path: Path) -> None:
    cell = one_cell(tmp_path, in_block(2, lambda trial: invalid(with_goodput(trial, 1e9))))
    assert cell.verdict == "VALID in 2 of 3"
    assert cell.figures[GOODPUT.name].by_block.keys() == {1, 3}
    assert cell.rejected == {}


def test_a_cell_without_a_valid_trial_has_only_rejected_figures(tmp_path: Path) -> None:
    cell = one_cell(tmp_path, invalid)
    assert (cell.verdict, cell.reason) == ("ERRORS", "12 wrong answers")
    assert cell.figures == {}
    assert cell.rejected[GOODPUT.name].value > 0


VERDICTS: dict[str, tuple[Edit, str]] = {
    "all valid": (lambda trial: trial, "VALID"),
    "one to come": (in_block(3, lambda _: None), "VALID in 2 of 3"),
    "none was run": (lambda _: None, "not run"),
    "failed": (failed, "FAILED"),
    "different": (in_block(1, failed), "VALID in 2 of 3"),
    "unsupported": (lambda trial: failed(trial, "UNSUPPORTED"), "unsupported"),
    "not offered": (lambda trial: failed(trial, "NOT-OFFERED"), "NOT-OFFERED"),
    "skipped and failed": (
        lambda trial: failed(trial, "NOT-OFFERED" if trial["block"] == 1 else "FAILED"),
        "NOT-OFFERED, FAILED",
    ),
}


@pytest.mark.parametrize(("edit", "verdict"), VERDICTS.values(), ids=VERDICTS.keys())
def test_a_cell_has_one_verdict(tmp_path: Path, edit: Edit, verdict: str) -> None:
    assert one_cell(tmp_path, edit).verdict == verdict


def test_the_limit_of_a_cell_is_that_of_most_of_its_trials(tmp_path: Path) -> None:
    sides = {1: "generator", 2: "server", 3: "generator"}
    cell = one_cell(tmp_path, lambda trial: {**trial, "saturated": sides[trial["block"]]})
    assert cell.limit == "generator"


def test_switches_that_ended_with_their_threads_are_not_known(tmp_path: Path) -> None:
    def with_lost_threads(trial: Record) -> Record:
        lost = {"voluntary": -900, "involuntary": 3}
        return {**trial, "server": {**trial["server"], "switches": lost}}

    cell = one_cell(tmp_path, with_lost_threads)
    assert SWITCHES.name not in cell.figures
    assert DESCRIPTORS.name in cell.figures


def test_a_damaged_histogram_is_named_by_its_trial(tmp_path: Path) -> None:
    edit = in_block(2, lambda trial: with_latency(trial, hdr="HISTFAAAAB14nJNp"))
    cell = one_cell(tmp_path, edit)
    with pytest.raises(UsageError, match=r"latency_ns\.hdr of trial b2-001: not an HdrHistogram"):
        percentiles(cell)


def test_trials_with_the_same_reason_are_listed_together(tmp_path: Path) -> None:
    run = write_run(tmp_path, edit=lambda trial: failed(trial) if trial["order"] == 2 else trial)
    shown = results(run)
    [rejection], unsupported = rejections(shown.axes, shown.cells)
    assert rejection.trials == ("b1-002", "b2-002", "b3-002")
    assert (rejection.subject, rejection.where) == ("poll", "at 64 connections")
    assert (rejection.verdict, rejection.reason) == ("FAILED", "the server died: signal 11")
    assert unsupported == []


def test_a_block_far_from_the_others_is_flagged_and_counts(tmp_path: Path) -> None:
    run = write_run(
        tmp_path, speeds={"poll": 1.0}, twin=None, factors={}, blocks=6,
        edit=in_block(4, lambda trial: with_goodput(trial, 5e6)),
    )  # fmt: skip
    shown = results(run)
    [flag] = [one for one in flags(shown.axes, shown.cells) if "goodput" in one]
    assert flag.startswith("Block 4 of `poll`: goodput 5\u202f000\u202f000\u202frequests/s, where")
    assert shown.cells[0].figures[GOODPUT.name].high == 5e6


def test_percentiles_that_are_out_of_order_are_refused_with_their_trial(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"the percentiles of b1-001 are out of order"):
        one_cell(tmp_path, lambda trial: with_latency(trial, p90=271_000, p99=212_000))


@given(
    blocks=st.lists(
        st.lists(st.integers(1, 10**9), min_size=4, max_size=4).map(sorted), min_size=1, max_size=6
    )
)
def test_percentiles_of_a_cell_are_in_order(blocks: list[list[int]]) -> None:
    names = ("p50", "p90", "p99", "p99_9")

    def edit(trial: Record) -> Record:
        own = dict(zip(names, blocks[trial["block"] - 1], strict=True))
        return with_latency(trial, **own, max=10**9)

    with tempfile.TemporaryDirectory() as folder:
        cell = one_cell(Path(folder), edit, blocks=len(blocks))
    figures = [cell.figures[one.name].value for one in (P50, P90, P99, P99_9)]
    assert figures == sorted(figures)
