"""The generator's book-keeping: parts make the whole, and a figure is the same everywhere."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import pytest
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader

from tests.instrument.conftest import Running, load

if TYPE_CHECKING:
    from pathlib import Path

MODELS = {
    "closed": ["--model=closed", "--depth=4"],
    "open": ["--model=open", "--rate=5000"],
    "open-bounded": ["--model=open-bounded", "--rate=5000", "--backlog-max=10"],
    "sessions": ["--model=sessions", "--rate=300", "--requests=5"],
    "churn": ["--model=churn", "--requests=3"],
    "ramp of connections": ["--model=ramp", "--ramp-from=1"],
    "hold": ["--model=hold", "--rate=500"],
}
WORKERS = {
    "one": [],
    "threads": ["--threads=3"],
    "processes": ["--processes=2", "--threads=2"],
    "uring": ["--transport=uring", "--threads=2"],
}


@pytest.mark.parametrize("workers", WORKERS)
@pytest.mark.parametrize("model", MODELS)
def test_parts_make_the_whole(
    model: str, workers: str, echo_server: Running, tmp_path: Path
) -> None:
    log, hlog = tmp_path / "connections.csv", tmp_path / "intervals.hlog"
    result = load(
        echo_server,
        *MODELS[model],
        *WORKERS[workers],
        "--connections=24",
        "--duration=1500ms",
        "--warmup=200ms",
        f"--connection-log={log}",
        f"--hlog={hlog}",
    )
    requests = result["requests"]
    accounted = (
        requests["completed"] + requests["unanswered"] + requests["unsent"] + requests["dropped"]
    )
    assert requests["intended"] == accounted
    assert result["latency_ns"]["count"] == requests["completed"]
    rows = list(csv.DictReader(log.read_text(encoding="ascii").splitlines()))
    assert len(rows) == 24
    assert sum(int(row["requests"]) for row in rows) == requests["completed"]
    assert sum(row["completed"] for row in result["series"]) == requests["received"]
    reader = HistogramLogReader(str(hlog), HdrHistogram(1, 3_600_000_000_000, 3))
    counts = []
    while (interval := reader.get_next_interval_histogram()) is not None:
        counts.append(interval.get_total_count())
    reader.close()
    assert sum(counts) == requests["completed"]


@pytest.mark.parametrize("workers", WORKERS)
@pytest.mark.parametrize("model", MODELS)
def test_littles_law_holds(model: str, workers: str, echo_server: Running) -> None:
    result = load(
        echo_server,
        *MODELS[model],
        *WORKERS[workers],
        "--connections=24",
        "--duration=500ms",
        "--warmup=100ms",
    )
    in_flight = result["in_flight"]
    assert in_flight["by_gauge"] == pytest.approx(in_flight["by_requests"], rel=0.02, abs=1e-6)
    assert result["verdict"]["name"] != "IMPOSSIBLE"


def test_the_encoded_histograms_give_the_percentiles_that_are_printed(echo_server: Running) -> None:
    result = load(echo_server, "--connections=24", "--duration=1s", "--warmup=100ms")
    for name in ("latency_ns", "service_time_ns", "send_lag_ns"):
        figures = result[name]
        decoded = HdrHistogram.decode(figures["hdr"])
        assert decoded.get_total_count() == figures["count"]
        for key, percentile in (("p50", 50), ("p90", 90), ("p99", 99), ("p99_9", 99.9)):
            assert decoded.get_value_at_percentile(percentile) == figures[key], (name, key)


def test_the_server_counts_the_same_bytes(echo_server: Running) -> None:
    result = load(
        echo_server, "--connections=8", "--payload=1000", "--duration=500ms", "--warmup=0s"
    )
    assert result["bytes"]["sent"] == 1000 * result["requests"]["sent"]
    assert result["bytes"]["received"] == 1000 * result["requests"]["completed"]


def test_a_bounded_backlog_drops_and_counts_the_rest(echo_server: Running) -> None:
    result = load(
        echo_server,
        "--model=open-bounded",
        "--rate=1000000",
        "--connections=2",
        "--backlog-max=20",
        "--duration=500ms",
        "--warmup=0s",
    )
    requests = result["requests"]
    assert requests["dropped"] > 0
    assert requests["unsent"] + requests["in_flight_at_end"] <= 22
    assert result["verdict"]["name"] in {"NOT-SUSTAINED", "CLIENT-LIMITED", "CLIENT-STALLED"}


def test_a_rate_beyond_the_server_is_not_sustained_and_has_no_percentiles(
    echo_server: Running,
) -> None:
    result = load(
        echo_server,
        "--model=open",
        "--rate=2000000",
        "--connections=4",
        "--duration=500ms",
        "--warmup=0s",
        "--timeout=200ms",
    )
    late = {"NOT-SUSTAINED", "CLIENT-LIMITED", "CLIENT-STALLED"}
    assert result["verdict"]["name"] in {*late, "ERRORS"}
    assert result["latency_ns"]["p99"] is None


def test_slices_of_one_server_against_itself_are_alike(echo_server: Running) -> None:
    result = load(
        echo_server,
        f"--target={echo_server.address}",
        f"--server-pid={echo_server.pid}",
        f"--server-pid={echo_server.pid}",
        "--connections=16",
        "--slice=50ms",
        "--duration=1s",
        "--warmup=100ms",
    )
    assert all(target["requests"]["errors"] == {} for target in result["targets"])
    order = [row["target"] for row in result["slices"]]
    assert order == [0, 1, 1, 0] * 10
    for row in result["slices"]:
        assert row["answered"] >= row["completed"] > 0
        assert row["server_cpu_s"] > 0
    for number, target in enumerate(result["targets"]):
        rows = [row for row in result["slices"] if row["target"] == number]
        assert sum(row["completed"] for row in rows) == target["requests"]["received"]
