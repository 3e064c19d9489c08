"""Clients that have an end of their own: a number of sessions, or the same time from connecting."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars
import pytest

from tests.conformance.loads import RIGHT, load, load_address, loading
from tests.conformance.programs import engines
from tests.conformance.server import Server, serving
from tests.conformance.sockets import HOST

CLIENTS, SESSIONS, REQUESTS = 6, 5, 4
COUNTED = (f"--connections={CLIENTS}", f"--sessions={SESSIONS}", f"--requests={REQUESTS}")
LIMIT = ("--warmup=0s", "--duration=1h")


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A server that the tests of this file share."""
    with serving(engines()[0]) as running:
        yield running


def expect_all_done(result: dict[str, Any]) -> None:
    """Each client has done all its sessions, and that is the whole window."""
    assert result["verdict"]["name"] in RIGHT | {"CLIENT-LIMITED"}, result["verdict"]
    assert result["session_ns"]["count"] == CLIENTS * SESSIONS
    assert result["requests"]["completed"] == CLIENTS * SESSIONS * REQUESTS
    assert result["fairness"]["min"] == result["fairness"]["max"] == SESSIONS * REQUESTS
    window = result["window"]
    assert window["duration_s"] == window["all_done_s"] >= result["session_ns"]["max"] / 1e9
    assert result["series"][-1]["t_s"] <= window["duration_s"] * 1.001


def test_a_load_of_so_many_sessions_ends_when_each_client_has_done_them(engine: str) -> None:
    with serving(engine, connections=CLIENTS) as server:
        expect_all_done(load(server, "--model=churn", *COUNTED, *LIMIT).result)
        server.ask_to_stop()
        summary = server.summary()
    if summary["syscalls"] is not None:
        assert summary["accepts"] == CLIENTS * SESSIONS


@pytest.mark.parametrize("workers", ["--threads=3", "--processes=2"])
@pytest.mark.parametrize("model", [("--model=churn",), ("--model=sessions", "--rate=1000")])
def test_sessions_are_counted_over_all_workers(
    server: Server, model: tuple[str, ...], workers: str
) -> None:
    expect_all_done(load(server, *model, *COUNTED, *LIMIT, workers).result)


def test_sessions_with_time_to_think_take_that_time_each(server: Server) -> None:
    result = load(server, "--model=churn", *COUNTED, *LIMIT, "--think=10ms").result
    expect_all_done(result)
    assert result["session_ns"]["min"] >= (REQUESTS - 1) * 10e6
    assert result["window"]["all_done_s"] >= SESSIONS * (REQUESTS - 1) * 0.01


def test_a_limit_that_comes_first_is_said(server: Server) -> None:
    limit = ("--warmup=0s", "--duration=100ms")
    ended = load(server, "--model=churn", "--sessions=1000000", "--connections=2", *limit)
    assert ended.result["verdict"] == {
        "name": "UNFINISHED",
        "reason": "2 of 2 clients had not done 1000000 sessions at the limit, --duration=0.1s",
    }
    assert ended.status == 18
    assert ended.result["window"]["all_done_s"] is None
    assert ended.result["window"]["duration_s"] == pytest.approx(0.1)


def test_clients_that_start_on_their_own_have_the_same_time_each(
    server: Server, tmp_path: Path
) -> None:
    log = tmp_path / "log.csv"
    settings = ("--start=own", "--warmup=0s", "--duration=400ms", f"--connection-log={log}")
    paced = ("--connections=20", "--connect-rate=50", "--threads=2")
    result = load(server, *settings, *paced).result
    assert result["verdict"]["name"] in RIGHT, result["verdict"]
    sessions = result["session_ns"]
    assert sessions["count"] == 20
    assert sessions["min"] * 1.001 >= 400e6
    connecting_s = 9 / 25  # of a thread's ten, half of the rate
    assert result["window"]["all_done_s"] >= connecting_s + 0.4
    rows = polars.read_csv(log).sort("connection")
    assert rows["requests"].sum() == result["requests"]["completed"]
    assert rows["requests"].min() == result["fairness"]["min"] > 0
    for worker in (rows[::2], rows[1::2]):  # connections are dealt to threads in turn
        assert worker["connected_at_s"].is_sorted()
        assert worker["connected_at_s"][0] >= 0
        assert worker["connected_at_s"][9] >= connecting_s


def test_a_client_that_starts_on_its_own_does_not_wait_for_the_others(server: Server) -> None:
    # Seen at the end of the first second, and gone at the end of the second one.
    settings = ("--start=own", "--warmup=0s", "--duration=1500ms", "--connect-timeout=1h")
    with loading(server.address, *settings, "--connections=2", "--connect-rate=0.001") as running:
        running.await_established(1, 0)
        running.await_established(0, 0)
        running.interrupt()
        result = running.end().result
    assert result["session_ns"]["count"] == 1
    assert result["verdict"]["name"] == "INTERRUPTED"
    assert result["window"]["all_done_s"] is None


def test_clients_that_are_never_connected_do_not_keep_the_load_from_ending() -> None:
    settings = ("--start=own", "--warmup=0s", "--duration=50ms", "--connect-timeout=50ms")
    ended = load_address(f"{HOST}:1", *settings, "--connections=3")
    # Those that had no CPU to be refused within the timeout are unfinished.
    assert ended.result["verdict"]["name"] in {"ERRORS", "UNFINISHED"}
    assert ended.result["window"]["duration_s"] == pytest.approx(0.1, abs=0.001)
