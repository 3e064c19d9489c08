"""The generator's book-keeping: a figure is the same everywhere."""

from __future__ import annotations

import pytest
from hdrh.histogram import HdrHistogram

from tests.conformance.load_models import MODELS, WORKERS
from tests.instrument.conftest import Running, load


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
