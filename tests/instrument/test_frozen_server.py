"""A server that freezes for a second.

The open loop charges it for every request that it kept waiting; the closed loop asks nothing
meanwhile, and so would have missed it.
"""

from __future__ import annotations

import os
import signal
import threading
from typing import TYPE_CHECKING, Any

import pytest

from tests.instrument.conftest import Running, load

if TYPE_CHECKING:
    from collections.abc import Iterator

WINDOW_S = 10
FREEZE_S = 1.0
RATE_PER_S = 1000
TOLERANCE = 0.03


@pytest.fixture
def freezing_server(echo_server: Running) -> Iterator[Running]:
    """The echo server, stopped for a second in the middle of the window."""

    def freeze() -> None:
        os.kill(echo_server.pid, signal.SIGSTOP)
        threading.Timer(FREEZE_S, os.kill, (echo_server.pid, signal.SIGCONT)).start()

    timer = threading.Timer(4.0, freeze)
    timer.start()
    yield echo_server
    timer.cancel()


def against(server: Running, *settings: str) -> dict[str, Any]:
    return load(server, f"--duration={WINDOW_S}s", "--warmup=500ms", "--connections=64", *settings)


def test_the_open_loop_charges_the_freeze_as_arithmetic_says(freezing_server: Running) -> None:
    result = against(freezing_server, "--model=open", f"--rate={RATE_PER_S}", "--arrivals=constant")
    assert result["requests"]["unanswered"] == 0
    # A tenth of all requests were intended within the freeze, and waited for what was left of it:
    # the slowest hundredth are those of its first tenth, which waited for nine tenths or more.
    frozen_share = FREEZE_S / WINDOW_S
    assert result["latency_ns"]["p99"] == pytest.approx(
        1e9 * FREEZE_S * (1 - 0.01 / frozen_share), rel=TOLERANCE
    )
    assert result["latency_ns"]["max"] == pytest.approx(1e9 * FREEZE_S, rel=TOLERANCE)


def test_service_time_alone_would_have_hidden_it(freezing_server: Running) -> None:
    result = against(freezing_server, "--model=open", f"--rate={RATE_PER_S}", "--arrivals=constant")
    # Only the 64 requests that were on their way felt the freeze from their sending on.
    assert result["service_time_ns"]["p99"] < 0.1 * result["latency_ns"]["p99"]


def test_the_closed_loop_misses_it(freezing_server: Running) -> None:
    result = against(freezing_server, "--model=closed")
    assert result["latency_ns"]["max"] > 0.9e9 * FREEZE_S
    assert result["latency_ns"]["p99"] < 0.1e9
