"""The load program against servers that keep their word: its document, its events, its end."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from hdrh.histogram import HdrHistogram

from tests.conformance.commands import run
from tests.conformance.loads import RIGHT, load, loading
from tests.conformance.programs import LOAD, engines, is_sanitized
from tests.conformance.server import Server, serving
from tests.conformance.sockets import has_ipv6

Schema: TypeAlias = "type | tuple[type, ...] | dict[str, Schema]"

NUMBER = (int, float)
COUNT = int
OPTIONAL_NUMBER = (int, float, type(None))
TEXT = str

LATENCY: dict[str, Schema] = {
    "count": COUNT, "unanswered": COUNT, "min": OPTIONAL_NUMBER, "mean": OPTIONAL_NUMBER,
    "p50": OPTIONAL_NUMBER, "p90": OPTIONAL_NUMBER, "p99": OPTIONAL_NUMBER,
    "p99_9": OPTIONAL_NUMBER, "max": OPTIONAL_NUMBER, "hdr": TEXT,
}  # fmt: skip
COUNTS_MIN = {"p50": 20, "p90": 100, "p99": 1_000, "p99_9": 10_000}  # then ten values lie beyond it
DISTRIBUTIONS = ["latency_ns", "service_time_ns", "send_lag_ns", "connect_ns", "session_ns"]

# docs/results-schema.md, "The result of a load".
RESULT: dict[str, Schema] = {
    "schema": COUNT,
    "verdict": {"name": TEXT, "reason": TEXT},
    "service": TEXT,
    "settings": dict,
    "load": {
        "model": TEXT, "connections": COUNT, "depth": COUNT, "rate_per_s": NUMBER, "workers": COUNT,
    },
    "window": {"duration_s": NUMBER, "warmup_s": NUMBER, "steady": (bool, type(None))},
    "requests": {
        "intended": COUNT, "sent": COUNT, "completed": COUNT, "received": COUNT,
        "unanswered": COUNT, "unsent": COUNT, "dropped": COUNT, "in_flight_at_end": COUNT,
        "errors": dict, "errors_before_window": dict, "wrong_reply": (dict, type(None)),
    },
    "rate": {"offered_per_s": NUMBER, "achieved_per_s": NUMBER, "goodput_per_s": NUMBER},
    "bytes": {"sent": COUNT, "received": COUNT},
    **dict.fromkeys(DISTRIBUTIONS, LATENCY),
    "connections": {
        "requested": COUNT, "established": COUNT, "alive": NUMBER, "asked": NUMBER,
        "starved": NUMBER, "lost": COUNT, "reopened": COUNT, "outage_s": NUMBER,
    },
    "fairness": {"min": NUMBER, "mean": NUMBER, "max": NUMBER, "cv": NUMBER, "jain": NUMBER},
    "pauses": {"stalled_s": NUMBER, "stall_longest_s": NUMBER, "silence_longest_s": NUMBER},
    "in_flight": {"by_gauge": NUMBER, "by_requests": NUMBER},
    "cpu": {
        "user_s": NUMBER, "system_s": NUMBER, "per_request_us": NUMBER, "busiest_thread": NUMBER,
        "server_s": OPTIONAL_NUMBER, "server_per_request_us": OPTIONAL_NUMBER,
    },
    "series": list,
}  # fmt: skip
INTERVAL: dict[str, Schema] = {
    "t_s": NUMBER, "duration_s": NUMBER, "completed": COUNT, "errors": COUNT,
    "mean_ns": OPTIONAL_NUMBER, "p50_ns": OPTIONAL_NUMBER, "p99_ns": OPTIONAL_NUMBER,
    "established": COUNT,
}  # fmt: skip


def differences(document: object, schema: Schema, path: str) -> list[str]:
    """Where a document is not as its schema says: fields that are missing, or of another type."""
    if not isinstance(schema, dict):
        return [] if isinstance(document, schema) else [f"{path} is {document!r}"]
    if not isinstance(document, dict):
        return [f"{path} is {document!r}"]
    found = [f"{path}.{name} is not there" for name in schema.keys() - document.keys()]
    for name in schema.keys() & document.keys():
        found += differences(document[name], schema[name], f"{path}.{name}")
    return found


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A server that the tests of this file share."""
    with serving(engines()[0]) as running:
        yield running


@pytest.fixture(scope="module")
def result(server: Server) -> dict[str, Any]:
    """The result of an ordinary load, which several tests look at."""
    return load(server, "--connections=16", "--duration=1200ms", "--payload=100").result


def test_an_ordinary_load_is_valid(result: dict[str, Any]) -> None:
    assert result["verdict"]["name"] in RIGHT, result["verdict"]


def test_the_result_is_as_the_schema_says(result: dict[str, Any]) -> None:
    assert differences(result, RESULT, "result") == []
    for number, row in enumerate(result["series"]):
        assert differences(row, INTERVAL, f"series[{number}]") == []


def test_the_result_repeats_what_was_asked_for(result: dict[str, Any]) -> None:
    assert result["service"] == "echo"
    assert result["settings"]["payload"] == "100"
    assert result["settings"]["connections"] == "16"
    assert result["load"]["connections"] == result["connections"]["requested"] == 16
    assert result["window"]["duration_s"] == pytest.approx(1.2)
    assert result["window"]["warmup_s"] == pytest.approx(0.05)


def test_the_figures_of_a_load_agree_with_one_another(result: dict[str, Any]) -> None:
    requests, duration_s = result["requests"], result["window"]["duration_s"]
    assert requests["intended"] == requests["sent"] == requests["completed"] > 0
    assert requests["unanswered"] == requests["unsent"] == requests["dropped"] == 0
    assert requests["errors"] == requests["errors_before_window"] == {}
    assert result["rate"]["goodput_per_s"] == pytest.approx(requests["received"] / duration_s)
    assert result["rate"]["offered_per_s"] == pytest.approx(requests["intended"] / duration_s)
    assert sum(row["completed"] for row in result["series"]) == requests["received"]
    assert [row["t_s"] for row in result["series"]] == pytest.approx([1.0, 1.2])
    assert result["latency_ns"]["count"] == requests["completed"]
    assert result["connect_ns"]["count"] == 16
    assert result["in_flight"]["by_gauge"] <= 16
    assert result["fairness"]["mean"] * 16 == pytest.approx(requests["completed"])
    assert 1 / 16 <= result["fairness"]["jain"] <= 1


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_another_implementation_reads_the_histogram(result: dict[str, Any], name: str) -> None:
    figures = result[name]
    histogram = HdrHistogram.decode(figures["hdr"])
    assert histogram.get_total_count() == figures["count"]
    assert figures["unanswered"] == 0
    for percentile, share in (("p50", 50), ("p90", 90), ("p99", 99), ("p99_9", 99.9)):
        if figures[percentile] is not None:
            assert figures[percentile] == histogram.get_value_at_percentile(share)
    if figures["count"] > 0:
        assert figures["mean"] == pytest.approx(histogram.get_mean_value(), rel=1e-3)
        assert figures["min"] == pytest.approx(histogram.get_min_value(), rel=1e-3)
        assert figures["max"] == pytest.approx(histogram.get_max_value(), rel=1e-3)


def test_the_histograms_of_an_ordinary_load_have_percentiles(result: dict[str, Any]) -> None:
    for name in ("latency_ns", "service_time_ns", "send_lag_ns"):
        figures = dict(result[name])
        for percentile, count_min in COUNTS_MIN.items():
            assert (figures.pop(percentile) is None) == (figures["count"] < count_min), percentile
        assert None not in figures.values(), name


def test_the_events_come_in_their_order(server: Server) -> None:
    events = load(server, "--connections=4", "--duration=1100ms").events
    names = [event["event"] for event in events]
    assert names[:3] == ["start", "connected", "window"]
    assert names[-1] == "end"
    assert sorted(names[3:-1]) == ["drain", "interval", "interval"]
    assert events[1]["established"] == 4
    assert [event for event in events if event["event"] == "interval"] == [
        {"event": "interval"} | row for row in events[-1]["result"]["series"]
    ]


def test_the_result_is_written_to_a_file_too(server: Server, tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    loaded = load(server, f"--json={file}")
    assert json.loads(file.read_text()) == loaded.result


@pytest.mark.parametrize(
    "settings",
    [
        ["--connections=1000"],
        ["--connections=1", "--depth=16"],
        ["--connections=50", "--depth=16", "--threads=2"],
        ["--connections=7", "--threads=2", "--processes=2"],
        ["--connections=3", "--payload=1"],
        ["--connections=3", "--payload=1MB"],
        ["--connections=8", "--send-buffer=5kB", "--receive-buffer=5kB", "--payload=20kB"],
        ["--connections=20", "--connect-rate=200", "--duration=1s"],
        ["--connections=10", "--transport=uring"],
        ["--connections=10", "--warmup=0s"],
    ],
    ids=str,
)
def test_a_load_of_another_kind_is_valid(server: Server, settings: list[str]) -> None:
    if is_sanitized() and "--duration=1s" not in settings:
        settings = [*settings, "--duration=3s"]  # a machine with other work has replied by then
    result = load(server, *settings).result
    assert result["verdict"]["name"] in RIGHT, result["verdict"]
    assert result["connections"]["established"] == result["connections"]["requested"]
    assert result["requests"]["completed"] > 0
    # The other verdicts say that a process had no CPU, which may last longer than the timeout.
    if result["verdict"]["name"] == "VALID":
        assert result["requests"]["unanswered"] == 0, result


def test_the_bytes_of_both_sides_agree() -> None:
    with serving(engines()[0]) as server:
        result = load(server, "--connections=5", "--payload=1000", "--warmup=0s").result
        server.ask_to_stop()
        summary = server.summary()
    assert result["bytes"]["sent"] == summary["bytes_in"]
    assert result["bytes"]["received"] == summary["bytes_out"]
    assert summary["accepts"] == 5


def test_a_load_without_connections_says_so_in_one_sentence() -> None:
    with serving(engines()[0]) as server:
        address = server.address
    ended = run(LOAD, f"--target={address}")
    assert ended.sentence("serverlab-load") == f"cannot connect to {address}: Connection refused"
    assert ended.status == 1


def test_an_interrupted_load_ends_with_what_it_has_seen() -> None:
    with serving(engines()[0]) as server, loading(server.address, "--duration=1h") as running:
        running.await_event("interval")
        running.interrupt()
        ended = running.end()
    assert ended.status == 130
    assert ended.result["verdict"]["name"] == "INTERRUPTED"
    assert ended.result["requests"]["completed"] > 0
    duration_s = ended.result["window"]["duration_s"]
    assert 1 <= duration_s < 60
    assert all(row["t_s"] < duration_s + 1 for row in ended.result["series"])


@pytest.mark.parametrize("event", ["start", "connected"])
def test_a_load_that_is_interrupted_before_its_window_ends_too(event: str) -> None:
    with (
        serving(engines()[0]) as server,
        loading(server.address, "--duration=1h", "--warmup=1h") as running,
    ):
        running.await_event(event)
        running.interrupt()
        ended = running.end()
    assert ended.status == 130
    assert ended.result["verdict"]["name"] == "INTERRUPTED"
    assert ended.result["series"] == []


@pytest.mark.skipif(not has_ipv6(), reason="this machine has no ::1")
@pytest.mark.parametrize("source", ["::1", "[::1]"])
def test_a_server_is_loaded_by_ipv6(source: str) -> None:
    with serving(engines()[0], "--listen=[::1]:0") as ipv6:
        result = load(ipv6, "--connections=4", f"--source={source}").result
    assert result["verdict"]["name"] in RIGHT, result["verdict"]
    assert result["connections"]["established"] == 4


@pytest.mark.parametrize("model", ["open", "open-bounded", "sessions", "hold"])
def test_a_rate_that_cannot_be_met_ends_in_time_and_is_accounted_for(
    server: Server, model: str
) -> None:
    settings = ["--rate=2000000", "--connections=10", "--warmup=20ms", "--timeout=500ms"]
    result = load(server, f"--model={model}", "--arrivals=constant", *settings).result
    requests = result["requests"]
    assert result["verdict"]["name"] in {
        "NOT-SUSTAINED", "CLIENT-LIMITED", "CLIENT-STALLED", "ERRORS",
    }  # fmt: skip
    if model != "sessions":
        assert requests["intended"] == 1_000_000
    accounted = ["completed", "unanswered", "unsent", "dropped"]
    assert requests["intended"] == sum(requests[name] for name in accounted)


def test_a_connection_that_is_lost_is_counted_and_reopened(engine: str) -> None:
    """More than once, where one of several listeners takes it in while another is closed."""
    with serving(engine) as server:
        address = server.address
        with loading(address, "--connections=10", "--duration=1h") as running:
            running.await_event("window")
            began_s = time.monotonic()
            running.await_event("interval")  # what a late worker loses before is not of the window
            server.ask_to_stop()
            server.summary()
            with serving(engine, f"--listen={address}"):
                running.await_established(10, after_s=time.monotonic() - began_s + 1)
                running.interrupt()
                result = running.end().result
    connections = result["connections"]
    assert connections["lost"] == connections["reopened"] >= 10
    assert connections["outage_s"] > 0
    assert result["verdict"]["name"] == "INTERRUPTED"
    assert set(result["requests"]["errors"]) <= {
        "idle_eof", "read_eof_in_reply", "read_reset", "broken_pipe", "connect_refused",
        "connect_reset",
    }  # fmt: skip


def test_a_session_connects_as_soon_as_it_begins(server: Server) -> None:
    # A worker looks for what is overdue 100 ms later at the latest; a busy machine has five tries.
    settings = ("--model=churn", "--connections=1", "--warmup=0s", "--duration=80ms")
    assert any(load(server, *settings).result["requests"]["completed"] > 0 for _ in range(5))
