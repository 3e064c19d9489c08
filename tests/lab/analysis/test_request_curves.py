"""Requests of each connection as a sorted curve, where a run has logs of its connections."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars
import pytest

from serverlab.analysis.request_curves import STEPS_MAX, RequestCurve
from serverlab.analysis.results import results
from serverlab.errors import UsageError
from serverlab.report import curve_chart
from serverlab.report.export import export
from serverlab.report.page import write_report
from tests.lab.report_data import Record, failed, write_logs, write_run


def descending(trial: Record) -> list[int]:
    """Of n connections in block b: nb, ..., 2b, b."""
    connections = trial["cell"].get("connections", 4)
    return [trial["block"] * number for number in range(connections, 0, -1)]


def curve_of(folder: Path, requests: Sequence[int]) -> RequestCurve:
    """The curve of a run that has one trial."""
    run = write_run(folder, speeds={"poll": 1.0}, twin=None, factors={}, blocks=1)
    [curve] = results(write_logs(run, lambda _: requests)).curves
    return curve


def test_each_engine_has_a_curve_at_the_most_connections(tmp_path: Path) -> None:
    curves = results(write_logs(write_run(tmp_path), descending)).curves
    assert [curve.cell.subject for curve in curves] == [
        "poll", "threads", "epoll-level", "poll again",
    ]  # fmt: skip
    assert {curve.cell.level for curve in curves} == {1000}
    assert all(curve.requests == tuple(range(1, 1001)) for curve in curves)


def test_it_is_of_the_first_trial_that_counts(tmp_path: Path) -> None:
    run = write_run(
        tmp_path, factors={}, edit=lambda trial: failed(trial) if trial["block"] == 1 else trial
    )
    curves = results(write_logs(run, descending)).curves
    assert [curve.trial for curve in curves] == ["b2-001", "b2-002", "b2-003", "b2-004"]
    assert curves[0].requests == (2, 4, 6, 8)


def test_each_step_ends_at_the_share_of_connections_that_have_no_more(tmp_path: Path) -> None:
    steps = curve_of(tmp_path, [40, 10, 30, 20]).steps()
    assert steps == [(0, 10), (25, 10), (50, 20), (75, 30), (100, 40)]


def test_many_connections_make_no_more_steps_than_can_be_seen(tmp_path: Path) -> None:
    steps = curve_of(tmp_path, range(9_999)).steps()
    assert len(steps) == STEPS_MAX + 1
    assert steps[0] == (0, 0)
    assert steps[-1] == (100, 9_998)
    for share, requests in steps[1:]:
        assert share == pytest.approx(100 * (requests + 1) / 9_999)


def test_connections_are_also_in_the_order_of_connecting(tmp_path: Path) -> None:
    curve = curve_of(tmp_path, [40, 10, 30, 20])
    assert curve.in_order() == [(12.5, 40), (37.5, 10), (62.5, 30), (87.5, 20)]
    page = write_report(tmp_path).read_text(encoding="utf-8")
    assert f'id="chart-{curve_chart.BY_CONNECTING.name}"' in page


def test_neighbours_in_the_order_of_connecting_are_drawn_as_their_mean(tmp_path: Path) -> None:
    steps = curve_of(tmp_path, [number // 2 for number in range(1000)]).in_order()
    assert len(steps) == STEPS_MAX
    assert steps[0] == (0.2, 0.5)
    assert steps[-1] == (99.8, 498.5)


def test_the_note_says_which_connections_they_are(tmp_path: Path) -> None:
    shown = results(write_logs(write_run(tmp_path), descending))
    note = curve_chart.note(curve_chart.SORTED, shown.curves, shown.axes)
    assert note.endswith("first valid trial of 1\u202f000 connections")


def test_the_note_names_the_level_of_x_where_that_is_another_factor(tmp_path: Path) -> None:
    run = write_run(tmp_path, factors={"cpus": ["0", "0-1"], "connections": [2, 3]})
    shown = results(write_logs(run, descending))
    note = curve_chart.note(curve_chart.SORTED, shown.curves, shown.axes)
    assert note.endswith("first valid trial of 2 to 3 connections, at 1 CPU")


def test_the_page_has_the_chart_only_where_there_are_logs(tmp_path: Path) -> None:
    run = write_run(tmp_path)
    chart = f'id="chart-{curve_chart.SORTED.name}"'
    assert chart not in write_report(run).read_text(encoding="utf-8")
    page = write_report(write_logs(run, descending)).read_text(encoding="utf-8")
    assert chart in page
    assert '"words":"100 % have at most 1\u202f000"' in page


def test_the_export_has_a_chart_for_each_panel(tmp_path: Path) -> None:
    queues = {"queue": ["fifo", "lifo"]}
    run = write_run(tmp_path / "run", blocks=1, factors={"connections": [2, 3], **queues})
    out = tmp_path / "out"
    export(write_logs(run, descending), out)
    for queue in queues["queue"]:
        stem = out / f"{curve_chart.SORTED.name}-queue-{queue}"
        svg = stem.with_suffix(".svg").read_text(encoding="utf-8")
        assert svg.count('aria-roledescription="line mark"') == 4
        assert f"queue {queue}" in svg
        assert "first valid trial of 3 connections" in svg
        assert stem.with_suffix(".png").read_bytes().startswith(b"\x89PNG")
    table = polars.read_csv(out / f"{curve_chart.SORTED.name}.csv")
    own = table.filter(engine="threads", queue="lifo")
    assert own.select("connections", "requests").rows() == [(3, 1), (3, 2), (3, 3)]
    assert (out / f"{curve_chart.BY_CONNECTING.name}-queue-lifo.svg").exists()
    table = polars.read_csv(out / f"{curve_chart.BY_CONNECTING.name}.csv")
    own = table.filter(engine="threads", queue="lifo")
    assert own.select("place", "requests").rows() == [(1, 3), (2, 2), (3, 1)]


def test_a_log_that_cannot_be_read_is_an_error_in_words(tmp_path: Path) -> None:
    run = write_logs(write_run(tmp_path, factors={}), descending)
    (run / "connections" / "b1-002.parquet").write_bytes(b"cut off")
    with pytest.raises(UsageError, match=r"b1-002\.parquet: "):
        results(run)
