"""A server that falls silent: no load calls it valid, however few requests that costs."""

from __future__ import annotations

import re
import signal
import threading
from typing import Any

import pytest

from tests.conformance.loads import RIGHT, Load, loading
from tests.conformance.programs import verdict_statuses
from tests.conformance.server import Server, serving

MODELS = {
    "closed": ["--model=closed"],
    "open": ["--model=open", "--rate=20000"],
    "churn": ["--model=churn"],
}
ERRORS = verdict_statuses()["ERRORS"]


def result_of(running: Load) -> dict[str, Any]:
    """The result of a load that finds errors."""
    loaded = running.end()
    assert loaded.result["verdict"]["name"] == "ERRORS"
    assert loaded.status == ERRORS
    return loaded.result


def expect_reason(result: dict[str, Any], reason: str) -> None:
    """The verdict says so; on a slow machine so few requests are right that their share shows."""
    said = result["verdict"]["reason"]
    assert re.search(reason, said) or "requests failed" in said


def silence_at_end_s(result: dict[str, Any]) -> float:
    """For how long nothing was received before the window's end, in whole intervals."""
    silent = 0.0
    for row in reversed(result["series"]):
        if row["completed"] > 0:
            break
        silent += row["duration_s"]
    return silent


@pytest.mark.parametrize(
    ("model", "threads", "timeout"),
    [("closed", 1, "500ms"), ("closed", 2, "20s"), ("open", 2, "500ms"), ("churn", 1, "500ms")],
)
def test_a_server_that_falls_silent_for_good_is_found_to(
    model: str, threads: int, timeout: str
) -> None:
    settings = [
        *MODELS[model], f"--threads={threads}", f"--timeout={timeout}", "--connections=4",
        "--duration=5s",
    ]  # fmt: skip
    with serving("epoll-level") as server:
        with loading(server.address, *settings) as running:
            running.await_event("interval")
            server.freeze()
            result = result_of(running)
        server.thaw()
    silent_s = silence_at_end_s(result)
    assert silent_s >= 2
    assert result["pauses"]["silence_longest_s"] > silent_s - 0.01
    expect_reason(
        result,
        r"^no reply came in the last ([2-9]|\d\d+)\.\d s of the window of 5\.0 s; the server was "
        "silent when the load ended$",
    )


def test_a_server_that_is_killed_shortly_before_the_end_is_found_to() -> None:
    settings = ["--connections=6", "--duration=2500ms"]
    with serving("epoll-level") as server, loading(server.address, *settings) as running:
        running.await_event("interval")
        running.await_next()
        server.process.kill()
        server.expect_killed_by(signal.SIGKILL)
        result = result_of(running)
    expect_reason(result, "6 of 6 connections")


def thaw_later(server: Server, after_s: float) -> threading.Timer:
    """Let the server go on after so long."""
    timer = threading.Timer(after_s, server.thaw)
    timer.start()
    return timer


def test_connections_that_all_time_out_are_found_whenever_their_requests_were_intended() -> None:
    settings = ["--connections=6", "--warmup=1s", "--duration=4s", "--timeout=1500ms"]
    with serving("epoll-level") as server:
        with loading(server.address, *settings) as running:
            running.await_event("connected")
            server.freeze()
            running.await_event("window")
            timer = thaw_later(server, 1.0)
            result = result_of(running)
        timer.join()
    assert result["requests"]["errors_before_window"]["request_timeout"] >= 6
    expect_reason(result, "6 of 6 connections")


def test_a_server_that_replies_after_the_window_is_slow_and_not_silent() -> None:
    settings = ["--connections=2", "--duration=2500ms", "--timeout=20s"]
    with serving("epoll-level") as server, loading(server.address, *settings) as running:
        running.await_event("interval")
        server.freeze()
        timer = thaw_later(server, 3.0)
        result = running.end().result
        timer.join()
    assert result["verdict"]["name"] in RIGHT
    assert result["pauses"]["silence_longest_s"] > 1.2
