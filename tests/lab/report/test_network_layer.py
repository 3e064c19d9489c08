"""The line of what the network carries, in the chart of goodput."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from serverlab.analysis.results import results
from serverlab.measures import GOODPUT, P99
from serverlab.report.network_layer import ceiling, ceiling_rows
from serverlab.report.page import write_report
from tests.lab import report_data

if TYPE_CHECKING:
    from pathlib import Path

FRAME_BYTES = 64 + 66  # of a request of the runs that report_data makes, headers and all
EXPLAINED = "what the network between the hosts carries"


def run_on_hosts(folder: Path, wire_bytes_per_s: float) -> Path:
    """A run of engines of some 50 000 requests/s."""
    report_data.write_run(folder)
    hosts = {
        "schema": 1, "server": "a", "generators": ["b"], "wire_bytes_per_s": wire_bytes_per_s,
    }  # fmt: skip
    report_data.write_json(folder / "hosts.json", hosts)
    return folder


def test_the_line_lies_at_as_many_requests_as_the_network_carries(tmp_path: Path) -> None:
    shown = results(run_on_hosts(tmp_path, 70_000 * FRAME_BYTES))
    rows = ceiling_rows(shown)
    assert [row["x"] for row in rows] == [1, 64, 1000]
    assert [row["value"] for row in rows] == pytest.approx(3 * [70_000])
    assert len(ceiling(shown, GOODPUT)) == 2
    assert ceiling(shown, P99) == []
    assert EXPLAINED in " ".join(write_report(tmp_path).read_text(encoding="utf-8").split())


def test_a_line_far_above_the_figures_would_flatten_them_and_is_left_out(tmp_path: Path) -> None:
    shown = results(run_on_hosts(tmp_path, 10 * 70_000 * FRAME_BYTES))
    assert ceiling_rows(shown) == []
    assert EXPLAINED not in " ".join(write_report(tmp_path).read_text(encoding="utf-8").split())


def test_a_run_on_one_machine_has_no_line(tmp_path: Path) -> None:
    assert ceiling_rows(results(report_data.write_run(tmp_path))) == []
