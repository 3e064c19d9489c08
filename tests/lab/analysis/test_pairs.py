"""Subjects that took turns: which slices are compared, and which figures stand for them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from serverlab.analysis.cells import Cell
from serverlab.analysis.pairs import compare, paired
from serverlab.analysis.results import results
from serverlab.duel.outcome import outcome
from serverlab.measures import GOODPUT, P50, P90, P99, P99_9, SERVER_CPU
from serverlab.report.caveats import lateness
from tests.lab.report_data import Edit, Record, decide_by, in_turns, times, write_run

if TYPE_CHECKING:
    from pathlib import Path

PERCENTILES = (P50, P90, P99, P99_9)
TAKEN = (2, 7, 8)  # slices of threads that other work met


def beside_bursts(trial: Record) -> Record:
    """In turns; three slices of `threads` lost half of their CPU, and answered half as much."""
    trial = in_turns(trial)
    for place, row in enumerate(trial["load"]["series"]):
        row["disturbed"] = trial["cell"]["engine"] == "threads" and place in TAKEN
        if row["disturbed"]:
            row["completed"] //= 2
            row["answered"] //= 2
            row["server_cpu_s"] *= 0.6
    return trial


def cells(folder: Path) -> dict[str, Cell]:
    run = write_run(folder, factors={}, edit=beside_bursts)
    return {cell.subject: cell for cell in results(run).cells}


def test_slices_that_other_work_disturbed_do_not_count(tmp_path: Path) -> None:
    found = cells(tmp_path)
    compared = compare(found["threads"], found["poll"], GOODPUT)
    assert compared is not None
    assert compared.estimate == pytest.approx(0.5, rel=0.03)
    assert compared.half_width < 0.05
    assert compared.pairs == 3 * (12 - len(TAKEN))


def test_what_others_took_of_slices_is_taken_out_of_goodput(tmp_path: Path) -> None:
    def told(trial: Record) -> Record:
        trial = beside_bursts(trial)
        for place, row in enumerate(trial["load"]["series"]):
            row["other_cpus_busy"] = 0.6 if row["disturbed"] else 0.02 + 0.001 * (place % 3)
        if trial["cell"]["engine"] == "threads":
            trial["load"]["series"][TAKEN[0]]["completed"] = 0
        return trial

    run = write_run(tmp_path, factors={}, edit=told)
    found = {cell.subject: cell for cell in results(run).cells}
    compared = compare(found["threads"], found["poll"], GOODPUT)
    assert compared is not None
    assert compared.estimate == pytest.approx(0.5, rel=0.03)
    assert compared.pairs == 3 * (12 - 1)  # all that have a reply count


def test_of_an_open_loop_slices_that_other_work_disturbed_do_not_count(tmp_path: Path) -> None:
    def told(trial: Record) -> Record:
        trial = beside_bursts(trial)
        trial["load"]["load"] = {**trial["load"]["load"], "model": "open"}
        for row in trial["load"]["series"]:
            row["other_cpus_busy"] = 0.6 if row["disturbed"] else 0.02
        return trial

    run = write_run(tmp_path, factors={}, edit=told)
    found = {cell.subject: cell for cell in results(run).cells}
    compared = compare(found["threads"], found["poll"], GOODPUT)
    assert compared is not None
    assert compared.pairs == 3 * (12 - len(TAKEN))


def test_of_the_server_cpu_of_a_request_slices_count_that_other_work_disturbed(
    tmp_path: Path,
) -> None:
    found = cells(tmp_path)
    compared = compare(found["threads"], found["poll"], SERVER_CPU)
    assert compared is not None
    assert compared.estimate == pytest.approx(2, rel=0.03)
    assert compared.pairs == 3 * 12


def test_of_the_server_cpu_of_a_request_trials_count_whose_generator_was_late(
    tmp_path: Path,
) -> None:
    def is_late_once(trial: Record) -> Record:
        verdict = {"name": "CLIENT-LIMITED", "reason": "the generator was late in 6 of 10 slices"}
        return {**beside_bursts(trial), **({"verdict": verdict} if trial["block"] == 1 else {})}

    run = write_run(tmp_path, factors={}, edit=is_late_once)
    found = {cell.subject: cell for cell in results(run).cells}
    of_cpu = compare(found["threads"], found["poll"], SERVER_CPU)
    of_goodput = compare(found["threads"], found["poll"], GOODPUT)
    assert of_cpu is not None
    assert of_goodput is not None
    assert of_cpu.pairs == 3 * 12
    assert of_goodput.pairs == 2 * (12 - len(TAKEN))
    assert len(found["threads"].figures[SERVER_CPU.name].by_block) == 3
    assert len(found["threads"].figures[GOODPUT.name].by_block) == 2


def test_all_percentiles_of_a_trial_in_turns_are_of_all_its_requests(tmp_path: Path) -> None:
    found = cells(tmp_path)
    for cell in found.values():
        for block, trial in enumerate(cell.trials, start=1):
            assert trial.load is not None
            own = [cell.figures[measure.name].by_block[block] for measure in PERCENTILES]
            times = trial.load.latency_ns
            assert own == [times.p50, times.p90, times.p99, times.p99_9]
            assert own == sorted(own)


def test_beside_other_work_a_trial_has_its_cpu_and_no_latency(tmp_path: Path) -> None:
    def told(trial: Record) -> Record:
        return {**in_turns(trial), "other_cpus_busy": 0.63 if trial["block"] > 1 else 0.02}

    run = write_run(tmp_path, factors={}, edit=told)
    cell = {cell.subject: cell for cell in results(run).cells}["threads"]
    assert list(cell.figures[SERVER_CPU.name].by_block) == [1, 2, 3]
    for measure in PERCENTILES:
        assert list(cell.figures[measure.name].by_block) == [1]


def late(lag_s: float) -> Edit:
    """Open loops in turns whose generator was late by so much; `poll` replies twice as late."""

    def edit(trial: Record) -> Record:
        trial = in_turns(trial)
        own = 2e-4 if trial["cell"]["engine"] == "poll" else 1e-4
        noise = 1 + 0.01 * (trial["block"] % 3)
        load = {
            **trial["load"],
            "latency_ns": times(1e9 * noise * (own + lag_s)),
            "service_time_ns": times(1e9 * noise * own),
        }
        verdict = {"name": "CLIENT-LIMITED", "reason": "the generator was late"}
        return {**trial, "load": load, "verdict": verdict}

    return edit


def test_latencies_of_a_late_generator_count_if_they_are_so_from_the_send_on(
    tmp_path: Path,
) -> None:
    run = write_run(tmp_path, factors={}, edit=late(1e-4))
    found = {cell.subject: cell for cell in results(run).cells}
    compared = compare(found["poll"], found["threads"], P99)
    assert compared is not None
    assert compared.again is not None
    assert compared.estimate == pytest.approx(1.5, rel=0.01)
    assert compared.again.estimate == pytest.approx(2, rel=0.01)
    assert compared.chance < 0.05


def test_what_only_the_lateness_of_the_generator_differs_in_is_no_difference(
    tmp_path: Path,
) -> None:
    def edit(trial: Record) -> Record:
        trial = late(1e-4)(trial) or trial
        if trial["cell"]["engine"] == "poll":
            trial["load"]["service_time_ns"] = times(1e5 * (1 + 0.01 * (trial["block"] % 2)))
        return trial

    run = write_run(tmp_path, factors={}, baseline="threads", twin=None, edit=edit)
    decide_by(run, "latency-p99")
    shown = results(run)
    found = {cell.subject: cell for cell in shown.cells}
    compared = compare(found["poll"], found["threads"], P99)
    assert compared is not None
    assert compared.is_distinguishable
    assert compared.chance > 0.05
    [sentence] = lateness(shown)
    assert sentence.startswith("In p99 latency `poll` differs from the baseline as seen from")
    assert "the generator was late" in {row.verdict for row in outcome(shown)}


def test_the_figure_of_a_trial_is_that_of_the_slices_that_count(tmp_path: Path) -> None:
    found = cells(tmp_path)
    goodput = found["threads"].figures[GOODPUT.name].value
    assert goodput == pytest.approx(found["poll"].figures[GOODPUT.name].value / 2, rel=0.05)


def test_another_one_that_was_measured_twice_is_the_mean_of_both(tmp_path: Path) -> None:
    found = cells(tmp_path)
    threads, poll, uring = found["threads"], found["poll"], found["epoll-level"]
    alone = paired(threads, poll, SERVER_CPU)
    both = paired(threads, poll, SERVER_CPU, again=uring)
    other = paired(threads, uring, SERVER_CPU)
    assert alone is not None
    assert both is not None
    assert other is not None
    assert both.copies == 2
    assert both.logs == pytest.approx((alone.logs + other.logs) / 2)


def test_a_copy_that_lacks_a_block_does_not_count(tmp_path: Path) -> None:
    found = cells(tmp_path)
    threads, poll, again = found["threads"], found["poll"], found["epoll-level"]
    fewer = replace(again, trials=again.trials[:-1])
    pair = paired(threads, poll, SERVER_CPU, again=fewer)
    assert pair is not None
    assert pair.copies == 1
    assert len(pair.logs) == len(threads.valid)
