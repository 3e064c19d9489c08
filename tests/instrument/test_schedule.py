"""What is sent when: seen from the server, requests arrive as the schedule says."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from tests.instrument.conftest import KnownLatency, load

RATE_PER_S = 400
SPREAD = ["--connections=32", "--warmup=0s"]


def gaps_s(known_latency: KnownLatency, *settings: str) -> np.ndarray:
    """The gaps between arrivals that a load makes."""
    with known_latency.serving("fixed", 1) as server:
        load(server, *SPREAD, *settings)
    return np.diff(known_latency.arrivals_s())


def p_of_exponential(gaps: np.ndarray) -> float:
    """How likely gaps like these are, if they are exponential with the rate's mean."""
    return float(stats.kstest(gaps, "expon", args=(0, 1 / RATE_PER_S)).pvalue)


def test_poisson_gaps_are_exponential(known_latency: KnownLatency) -> None:
    gaps = gaps_s(
        known_latency, "--model=open", f"--rate={RATE_PER_S}", "--duration=5s", "--pacing=spin"
    )
    assert len(gaps) > 0.9 * 5 * RATE_PER_S
    assert p_of_exponential(gaps) > 0.001


def test_a_wrong_rate_would_fail_that_test(known_latency: KnownLatency) -> None:
    rate = 1.2 * RATE_PER_S
    gaps = gaps_s(known_latency, "--model=open", f"--rate={rate}", "--duration=5s", "--pacing=spin")
    assert p_of_exponential(gaps) < 0.001


def test_constant_gaps_are_constant(known_latency: KnownLatency) -> None:
    gaps = gaps_s(
        known_latency,
        "--model=open",
        f"--rate={RATE_PER_S}",
        "--arrivals=constant",
        "--duration=3s",
        "--pacing=spin",
    )
    assert np.median(gaps) == pytest.approx(1 / RATE_PER_S, rel=0.02)
    assert np.quantile(gaps, 0.9) < 1.2 / RATE_PER_S


def test_several_workers_share_one_schedule(known_latency: KnownLatency) -> None:
    gaps = gaps_s(
        known_latency,
        "--model=open",
        f"--rate={RATE_PER_S}",
        "--arrivals=constant",
        "--duration=3s",
        "--processes=2",
        "--threads=2",
    )
    # Four workers in turn, a quarter of a gap apart: not four at once, then nothing.
    assert np.quantile(gaps, 0.1) > 0.5 / RATE_PER_S


def test_a_ramp_of_the_rate_rises_in_a_straight_line(known_latency: KnownLatency) -> None:
    gaps = gaps_s(
        known_latency,
        "--model=ramp",
        "--ramp-from=100",
        "--rate=900",
        "--arrivals=constant",
        "--duration=4s",
    )
    instants_s = np.cumsum(gaps)
    halves = [np.count_nonzero(instants_s < 2), np.count_nonzero(instants_s >= 2)]
    # The mean rates of the halves are 300 and 700 per second.
    assert halves[0] == pytest.approx(600, rel=0.03)
    assert halves[1] == pytest.approx(1400, rel=0.03)
