"""A server whose answers take a known time is measured as taking that time.

Whatever else runs on the machine can only delay: a request never takes less than the server kept
it, and what it may take more leaves room for other programs that have the CPU for a while.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests.instrument.busy_host import while_the_host_lends_the_cpus
from tests.instrument.conftest import KnownLatency

MEAN_MS = 20
TOLERANCE = 0.02
RESOLUTION = 0.001  # of the generator's histograms
OTHERS_MAX_NS = {50: 1e6, 90: 10e6, 99: 10e6}  # half of all requests are hardly delayed by others

# The distributions' own percentiles, in multiples of the mean (known_latency_server.cpp).
PERCENTILES = {
    "fixed": {50: 1.0, 90: 1.0, 99: 1.0},
    "bimodal": {50: 0.5, 99: 5.5},  # p90 lies on the edge between the two
    "exponential": {50: math.log(2), 90: math.log(10), 99: math.log(100)},
}
# Enough connections that no request waits for one, however long the slowest take.
MODELS = {
    "open": ["--model=open", "--rate=1000", "--connections=250"],
    "closed": ["--model=closed", "--connections=20"],
}


def expect_measured_as_kept(
    result: dict[str, Any], known_latency: KnownLatency, percentile: int
) -> None:
    """Expect the server's own figure of how long it kept requests, and no less."""
    kept_ns = np.percentile(known_latency.kept_ns(), percentile, method="lower")
    measured_ns = result["latency_ns"][f"p{percentile}"]
    assert measured_ns > (1 - RESOLUTION) * kept_ns, percentile
    assert measured_ns < (1 + TOLERANCE) * kept_ns + OTHERS_MAX_NS[percentile], percentile


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("distribution", PERCENTILES)
@while_the_host_lends_the_cpus()  # a closed loop has no schedule, to which it could be late
def test_known_percentiles_are_recovered(
    distribution: str, model: str, known_latency: KnownLatency
) -> None:
    result = known_latency.load(
        distribution, MEAN_MS, *MODELS[model], "--duration=3s", "--warmup=0s"
    )
    assert result["requests"]["unanswered"] == 0
    for percentile, multiple in PERCENTILES[distribution].items():
        kept_ns = np.percentile(known_latency.kept_ns(), percentile)
        assert kept_ns > 0.99e6 * MEAN_MS * multiple  # the server kept its word
        expect_measured_as_kept(result, known_latency, percentile)


@pytest.mark.parametrize("transport", ["epoll", "uring"])
def test_both_transports_measure_alike(transport: str, known_latency: KnownLatency) -> None:
    result = known_latency.load(
        "fixed",
        MEAN_MS,
        f"--transport={transport}",
        "--model=open",
        "--rate=500",
        "--connections=50",
        "--duration=2s",
        "--warmup=0s",
    )
    for percentile in (50, 99):
        expect_measured_as_kept(result, known_latency, percentile)


def test_a_closed_loop_obeys_littles_law(known_latency: KnownLatency) -> None:
    result = known_latency.load(
        "fixed", MEAN_MS, "--connections=40", "--duration=3s", "--warmup=200ms"
    )
    rate_per_s = result["rate"]["goodput_per_s"]
    mean_s = result["latency_ns"]["mean"] / 1e9
    assert rate_per_s * mean_s == pytest.approx(40, rel=TOLERANCE)
    assert rate_per_s <= 40 / (MEAN_MS / 1000)


def test_think_time_lowers_the_rate_as_arithmetic_says(known_latency: KnownLatency) -> None:
    result = known_latency.load(
        "fixed", MEAN_MS, "--connections=40", "--think=30ms", "--duration=3s", "--warmup=500ms"
    )
    mean_s = result["latency_ns"]["mean"] / 1e9
    assert result["rate"]["goodput_per_s"] == pytest.approx(40 / (mean_s + 0.030), rel=TOLERANCE)


def test_sessions_take_their_requests_and_thinking_together(known_latency: KnownLatency) -> None:
    result = known_latency.load(
        "fixed",
        MEAN_MS,
        "--model=sessions",
        "--rate=50",
        "--arrivals=constant",
        "--connections=50",
        "--requests=4",
        "--think=10ms",
        "--expected-response=20ms",
        "--duration=4s",
        "--warmup=500ms",
    )
    # Four answers and three times to think, and connecting.
    together_ns = 4 * np.median(known_latency.kept_ns()) + 3 * 10e6
    assert result["session_ns"]["p50"] > (1 - TOLERANCE) * together_ns
    assert result["session_ns"]["p50"] < together_ns + 7 * OTHERS_MAX_NS[50]
    assert result["rate"]["goodput_per_s"] == pytest.approx(200, rel=TOLERANCE)
