"""What is sent when: seen from the server, requests arrive as the schedule says.

Whatever else runs on the machine can only delay an arrival. So a schedule is read from those that
were delayed least, and chance from counts over a time in which few arrivals are moved.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from tests.instrument.conftest import KnownLatency

RATE_PER_S = 400
GAP_S = 1 / RATE_PER_S
SPREAD = ["--connections=32", "--warmup=0s"]
OTHERS_MAX_S = 0.02  # for so long others may have the CPU, half of the time

Instants = NDArray[np.float64]


def arrivals_s(known_latency: KnownLatency, *settings: str) -> Instants:
    """When the requests of a load arrive, in order, since the first."""
    known_latency.load("fixed", 1, *SPREAD, *settings)
    return known_latency.arrivals_s()


def counts(arrivals: Instants, duration_s: float) -> NDArray[np.int64]:
    """How many arrive in each tenth of a second."""
    counted: NDArray[np.int64]
    counted, _ = np.histogram(arrivals, bins=round(10 * duration_s), range=(0, duration_s))
    return counted


def p_of_poisson(counted: NDArray[np.int64]) -> float:
    """How likely counts are as uneven as these, or as even, if they are a Poisson process's."""
    dispersion = counted.var(ddof=1) / counted.mean() * (len(counted) - 1)
    above = stats.chi2.sf(dispersion, len(counted) - 1)
    return float(2 * min(above, 1 - above))


def p_of_rate(total: int, duration_s: float) -> float:
    """How likely a total is so far from what the rate lets expect."""
    expected = RATE_PER_S * duration_s
    return float(2 * stats.norm.sf(abs(total - expected) / np.sqrt(expected)))


def lateness_s(arrivals: Instants) -> Instants:
    """By how much each comes after its turn in a schedule of constant gaps."""
    late = arrivals - GAP_S * np.arange(len(arrivals))
    since_least: Instants = late - late.min()
    return since_least


def test_poisson_arrivals_are_as_uneven_as_chance(known_latency: KnownLatency) -> None:
    arrivals = arrivals_s(known_latency, "--model=open", f"--rate={RATE_PER_S}", "--duration=5s")
    assert p_of_poisson(counts(arrivals, 5)) > 0.001
    assert p_of_rate(len(arrivals), 5) > 0.001


def test_a_wrong_rate_would_fail_that_test(known_latency: KnownLatency) -> None:
    rate = 1.2 * RATE_PER_S
    arrivals = arrivals_s(known_latency, "--model=open", f"--rate={rate}", "--duration=5s")
    assert p_of_rate(len(arrivals), 5) < 0.001


def test_constant_gaps_are_constant_and_would_fail_it_too(known_latency: KnownLatency) -> None:
    arrivals = arrivals_s(
        known_latency,
        "--model=open",
        f"--rate={RATE_PER_S}",
        "--arrivals=constant",
        "--duration=3s",
        "--pacing=spin",
    )
    late = lateness_s(arrivals)
    quarters = np.array_split(late, 4)
    # A rate that is wrong by a hundredth would put the last quarter 22 ms from the first.
    assert max(quarter.min() for quarter in quarters) < 2 * GAP_S
    assert np.median(late) < OTHERS_MAX_S
    assert p_of_poisson(counts(arrivals, 3)) < 0.001


def test_several_workers_share_one_schedule(known_latency: KnownLatency) -> None:
    arrivals = arrivals_s(
        known_latency,
        "--model=open",
        f"--rate={RATE_PER_S}",
        "--arrivals=constant",
        "--duration=3s",
        "--processes=2",
        "--threads=2",
    )
    late = lateness_s(arrivals)
    # Four workers in turn, a quarter of a gap apart. Were it four at once, then nothing, each first
    # of four would be three gaps late.
    assert max(late[turn::4].min() for turn in range(4)) < GAP_S


def test_a_ramp_of_the_rate_rises_in_a_straight_line(known_latency: KnownLatency) -> None:
    arrivals = arrivals_s(
        known_latency,
        "--model=ramp",
        "--ramp-from=100",
        "--rate=900",
        "--arrivals=constant",
        "--duration=4s",
    )
    halves = [np.count_nonzero(arrivals < 2), np.count_nonzero(arrivals >= 2)]
    # The mean rates of the halves are 300 and 700 per second.
    assert halves == pytest.approx([600, 1400], rel=0.03)
