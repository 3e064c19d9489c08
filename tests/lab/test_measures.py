"""Measures that only some loads have, and the classes of requests that services tell apart."""

from __future__ import annotations

import re
from pathlib import Path

import polars
import pytest

from serverlab.analysis.results import results
from serverlab.machine.native import ROOT
from serverlab.measures import BYTES, CLASSES, LOCK_WAITS, MEASURES, REQUESTS_SPREAD
from serverlab.report.csv_rows import cell_rows, trial_rows
from serverlab.report.page import write_report
from tests.lab.report_data import Record, times, write_run


def with_classes(trial: Record) -> Record:
    """A forum's load: three posts for each read, and a lock that is found taken."""
    load, server = trial["load"], trial["server"]
    load["classes"] = {"post": times(2e6) | {"count": 300}, "read": times(1e6) | {"count": 100}}
    server["summary"] = {
        "requests": 400, "accepts": 1, "unanswered": 0, "bytes_in": 1, "bytes_out": 1,
        "service": {"post_lock_waits": 30, "read_lock_waits": 10, "post_lock_wait_s": 9},
    }  # fmt: skip
    return trial


def test_every_class_that_a_service_has_is_a_measure() -> None:
    text = "".join(path.read_text("utf-8") for path in ROOT.glob("services/*/*.cpp"))
    lists = re.findall(r"\.classes = \{([^}]*)\}", text)
    assert sorted(re.findall(r'"(\w+)"', "".join(lists))) == sorted(CLASSES)
    assert lists


def test_each_class_of_requests_has_its_rate_and_its_latency(tmp_path: Path) -> None:
    run = write_run(tmp_path, factors={}, edit=with_classes)
    [row, *_] = cell_rows(results(run))
    assert row["answered_post_per_s"] == 300
    assert row["answered_read_per_s"] == 100
    medians = (row["latency_p50_post_ns"], row["latency_p50_read_ns"])
    assert medians == pytest.approx((2e6, 1e6), rel=0.05)
    assert not any("unknown" in column for column in row)
    assert polars.DataFrame(trial_rows(results(run)))["answered_read_per_s"].unique().item() == 100
    page = write_report(run).read_text(encoding="utf-8")
    assert "Each class of requests" in page
    assert 'id="chart-answered-post"' in page
    assert 'id="chart-answered-get"' not in page


def test_a_load_without_classes_says_nothing_of_them(tmp_path: Path) -> None:
    run = write_run(tmp_path, factors={})
    assert not any("answered" in column for column in cell_rows(results(run))[0])
    assert "Each class of requests" not in write_report(run).read_text(encoding="utf-8")


def test_waits_for_locks_payload_and_evenness_are_figures_of_a_cell(tmp_path: Path) -> None:
    run = write_run(tmp_path, factors={}, edit=with_classes)
    [cell, *_] = results(run).cells
    assert cell.figures[LOCK_WAITS.name].value == 0.1
    assert cell.figures[REQUESTS_SPREAD.name].value == 0.05
    assert cell.figures["most-served"].value == 1.1
    assert cell.figures["least-served"].value == 0.9
    [load, *_] = cell.loads
    moved = load.bytes.sent + load.bytes.received
    assert cell.figures[BYTES.name].by_block[1] == moved / load.window.duration_s


def test_no_two_measures_share_a_name() -> None:
    assert len({measure.name for measure in MEASURES}) == len(MEASURES)


def with_stamps(trial: Record) -> Record:
    """A server that was asked for its own times, and whose locks nobody held."""
    nothing = times(1e6) | {"count": 0, "mean": None, "p50": None, "p99": None}
    trial["server"]["summary"] = {
        "stamps": {
            "message_ns": times(2000) | {"mean": 3000.0},
            "store_ns": times(400) | {"mean": 500.0},
            "lock_wait_ns": nothing,
            "connection_ns": times(5e9) | {"mean": 7e9},
        }
    }
    return trial


def test_the_servers_own_times_are_figures_where_it_was_asked_for_them(tmp_path: Path) -> None:
    run = write_run(tmp_path, factors={}, edit=with_stamps)
    [row, *_] = cell_rows(results(run))
    assert row["server_time_mean_ns"] == 3000
    assert row["server_time_p50_ns"] == pytest.approx(2000, rel=0.05)
    assert row["store_time_mean_ns"] == 500
    assert row["socket_open_mean_ns"] == 7e9
    assert not any("lock_wait" in column for column in row)
    assert polars.DataFrame(trial_rows(results(run)))["store_time_mean_ns"].unique().item() == 500
    page = write_report(run).read_text(encoding="utf-8")
    assert "Stamps of the server" in page
    assert 'id="chart-server-time-mean"' in page
    assert 'id="chart-lock-wait-mean"' not in page


def test_a_server_that_was_not_asked_for_its_times_has_no_figures_of_them(tmp_path: Path) -> None:
    run = write_run(tmp_path, factors={})
    assert not any("server_time" in column for column in cell_rows(results(run))[0])
    assert "Stamps of the server" not in write_report(run).read_text(encoding="utf-8")


def with_an_end(trial: Record) -> Record:
    """A load that ended once all clients were done."""
    trial["load"]["window"]["all_done_s"] = 0.25
    return trial


def test_the_time_until_all_clients_are_done_is_a_figure_where_they_have_an_end(
    tmp_path: Path,
) -> None:
    run = write_run(tmp_path, factors={}, edit=with_an_end)
    assert cell_rows(results(run))[0]["all_done_ns"] == 0.25e9
    assert 'id="chart-all-done"' in write_report(run).read_text(encoding="utf-8")
    assert "all_done_ns" not in cell_rows(results(write_run(tmp_path / "other", factors={})))[0]
