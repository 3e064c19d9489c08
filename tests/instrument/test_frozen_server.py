"""A server that freezes for a second.

The open loop charges it for every request that it kept waiting; the closed loop asks nothing
meanwhile, and so would have missed it.
"""

from __future__ import annotations

import os
import signal
import threading
from typing import Any

import pytest

from tests.instrument.conftest import Running, load, running

WINDOW_S = 10
FREEZE_S = 1.0
RATE_PER_S = 1000
TOLERANCE = 0.03


def against_freezing(server: Running, *settings: str) -> dict[str, Any]:
    """The result of a load of a server that is stopped for a second in the midst of the window."""

    def freeze() -> None:
        os.kill(server.pid, signal.SIGSTOP)
        threading.Timer(FREEZE_S, os.kill, (server.pid, signal.SIGCONT)).start()

    timer = threading.Timer(4.0, freeze)
    timer.start()
    try:
        return load(
            server, f"--duration={WINDOW_S}s", "--warmup=500ms", "--connections=64", *settings
        )
    finally:
        timer.cancel()


@pytest.fixture(scope="module")
def of_the_open_loop() -> dict[str, Any]:
    """What the open loop says of it."""
    with running("serverlab-server", "--engine=epoll-level") as server:
        return against_freezing(
            server, "--model=open", f"--rate={RATE_PER_S}", "--arrivals=constant"
        )


def test_the_open_loop_charges_the_freeze_as_arithmetic_says(
    of_the_open_loop: dict[str, Any],
) -> None:
    result = of_the_open_loop
    assert result["requests"]["unanswered"] == 0
    # A tenth of all requests were intended within the freeze, and waited for what was left of it:
    # the slowest hundredth are those of its first tenth, which waited for nine tenths or more.
    frozen_share = FREEZE_S / WINDOW_S
    assert result["latency_ns"]["p99"] == pytest.approx(
        1e9 * FREEZE_S * (1 - 0.01 / frozen_share), rel=TOLERANCE
    )
    assert result["latency_ns"]["max"] == pytest.approx(1e9 * FREEZE_S, rel=TOLERANCE)


def test_service_time_alone_would_have_hidden_it(of_the_open_loop: dict[str, Any]) -> None:
    result = of_the_open_loop
    # Only the 64 requests that were on their way felt the freeze from their sending on.
    assert result["service_time_ns"]["p99"] < 0.1 * result["latency_ns"]["p99"]


def test_the_closed_loops_percentiles_miss_it_and_its_silence_shows_it(
    echo_server: Running,
) -> None:
    result = against_freezing(echo_server, "--model=closed")
    assert result["latency_ns"]["max"] > 0.9e9 * FREEZE_S
    assert result["latency_ns"]["p99"] < 0.1e9
    assert result["pauses"]["silence_longest_s"] > 0.9 * FREEZE_S
