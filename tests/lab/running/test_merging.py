"""Parts of a load: they begin together, and their results are added up exactly."""

from __future__ import annotations

import contextlib
import subprocess
import time
from typing import TYPE_CHECKING

import msgspec
import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from serverlab.load_result import Interval, LoadResult, Shape, Times, Verdict, Window
from serverlab.machine.native import program
from serverlab.running.events import Connected, LoadEnded, read_event
from serverlab.running.merging import merged, times_of
from serverlab.stats.histogram import Histogram, decode, encode, highest_of, index_of, merge
from tests.conformance.server import serving

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PARTS = 3
SPREAD_MAX_NS = 100_000_000  # beside other tests; tests/cluster has what hosts keep
BEGINS_IN_NS = 300_000_000

values = st.lists(st.integers(0, 10**10), max_size=50)


def counted(latencies: Sequence[int], unanswered: int = 0) -> Histogram:
    """A histogram of values."""
    indices = [index_of(value) for value in latencies]
    return Histogram(numpy.bincount(indices) if indices else numpy.zeros(0, int), unanswered)


def times(latencies: Sequence[int], unanswered: int = 0) -> Times:
    """As a load writes them, but for the percentiles."""
    return Times(
        count=len(latencies),
        unanswered=unanswered,
        min=min(latencies, default=None),
        mean=sum(latencies) / len(latencies) if latencies else None,
        max=max(latencies, default=None),
        hdr=encode(counted(latencies)),
    )


@given(parts=st.lists(st.tuples(values, st.integers(0, 30)), min_size=1, max_size=4))
def test_times_of_parts_are_those_of_all_their_requests(
    parts: list[tuple[list[int], int]],
) -> None:
    together = [value for latencies, _ in parts for value in latencies]
    unanswered = sum(number for _, number in parts)
    found = times_of([times(*part) for part in parts])
    assert (found.count, found.unanswered) == (len(together), unanswered)
    assert found.min == min(together, default=None)
    assert found.max == max(together, default=None)
    if together:
        assert found.mean == pytest.approx(sum(together) / len(together))
    whole = counted(together, unanswered)
    assert decode(found.hdr).total == len(together)
    for share, percentile in ((0.5, found.p50), (0.9, found.p90), (0.99, found.p99)):
        enough = whole.total * (1 - share) >= 10 - 1e-6
        assert percentile == (whole.quantile(share) if enough else None)


def result(verdict: str = "VALID", reason: str = "") -> LoadResult:
    """A part's."""
    return msgspec.convert(
        {
            "verdict": {"name": verdict, "reason": reason},
            "load": {},
            "window": {"duration_s": 1},
            "requests": {},
            "rate": {"offered_per_s": 0, "achieved_per_s": 0, "goodput_per_s": 0},
            "latency_ns": {},
        },
        LoadResult,
    )


def test_the_verdict_is_the_gravest_and_says_whose_it_is() -> None:
    parts = [
        result(),
        result("CLIENT-LIMITED", "it was late"),
        result("ERRORS", "no request had a reply"),
    ]
    found = merged(parts, ["left", "middle", "right"], [[], [], []])
    assert found.verdict == Verdict("ERRORS", "right: no request had a reply")
    assert merged([result(), result()], ["left", "right"], [[], []]).verdict == Verdict("VALID")


def test_a_second_is_that_of_all_parts() -> None:
    rows = [
        [
            Interval(
                t_s=1,
                duration_s=1,
                completed=len(latencies),
                mean_ns=sum(latencies) / len(latencies),
                latency_hdr=encode(counted(latencies)),
            )
        ]
        for latencies in ([100, 200], [300, 400, 5_000_000])
    ]
    [row] = merged([result(), result()], ["left", "right"], rows).series
    assert row.completed == 5
    assert row.mean_ns == pytest.approx(sum([100, 200, 300, 400, 5_000_000]) / 5)
    assert row.p50_ns == 300
    assert row.p99_ns == highest_of(index_of(5_000_000))


@contextlib.contextmanager
def loads(*settings: str) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Programs that are gone after the block."""
    with contextlib.ExitStack() as running:
        started = []
        for number in range(1, PARTS + 1):
            command = [str(program("serverlab-load")), *settings, f"--part={number}/{PARTS}"]
            load = running.enter_context(
                subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            )
            running.callback(load.kill)
            started.append(load)
        yield started


def test_parts_begin_together_and_are_the_whole() -> None:
    with serving("epoll-level") as server:
        settings = (
            f"--target={server.address}", "--model=open", "--rate=3000", "--connections=31",
            "--warmup=200ms", "--duration=2s", "--begin=told", "--pacing=sleep",
        )  # fmt: skip
        results: list[LoadResult] = []
        series: list[list[Interval]] = []
        with loads(*settings) as parts:
            for part in parts:
                assert part.stdout is not None
                assert any(isinstance(read_event(line), Connected) for line in part.stdout)
            begin_ns = time.monotonic_ns() + BEGINS_IN_NS
            for part in parts:
                assert part.stdin is not None
                part.stdin.write(f"begin {begin_ns}\n".encode())
                part.stdin.flush()
            for part in parts:
                assert part.stdout is not None
                events = [read_event(line) for line in part.stdout]
                series.append([event for event in events if isinstance(event, Interval)])
                [ended] = [event for event in events if isinstance(event, LoadEnded)]
                results += ended.results()
    whole = merged(results, ["left", "middle", "right"], series)
    assert whole.load == Shape(
        model="open", connections=31, depth=1, rate_per_s=3000, workers=PARTS
    )
    assert whole.window.duration_s == pytest.approx(2, abs=0.01)
    assert whole.connections.requested == whole.connections.established == 31
    assert whole.requests.completed == whole.latency_ns.count == decode(whole.latency_ns.hdr).total
    assert whole.requests.intended == sum(part.requests.intended for part in results)
    # The arrivals of 2 s are the same whatever issues them.
    with serving("epoll-level") as server:
        command = [str(program("serverlab-load")), f"--target={server.address}", *settings[1:-2]]
        said = subprocess.run(command, capture_output=True, check=False).stdout
        [alone] = [
            event for line in said.splitlines() if isinstance(event := read_event(line), LoadEnded)
        ]
        assert whole.requests.intended == alone.results()[0].requests.intended
    began = [part.window.began_ns for part in results]
    assert None not in began
    known = [one for one in began if one is not None]
    assert begin_ns <= min(known)
    assert max(known) - min(known) < SPREAD_MAX_NS
    assert [row.completed for row in whole.series] == [
        sum(rows[second].completed for rows in series) for second in range(2)
    ]
    second = merge(decode(str(rows[0].latency_hdr)) for rows in series)
    assert whole.series[0].p99_ns == second.quantile(0.99)


def test_a_part_that_is_told_nothing_ends_with_a_sentence() -> None:
    with (
        serving("epoll-level") as server,
        loads(f"--target={server.address}", "--begin=told", "--connections=3") as parts,
    ):
        for part in parts:
            assert part.stdin is not None
            part.stdin.close()
            assert part.wait(30) == 1


def test_no_window_is_longer_than_the_longest() -> None:
    parts = [
        msgspec.structs.replace(result(), window=Window(duration_s=duration_s))
        for duration_s in (1.0, 1.5)
    ]
    assert merged(parts, ["left", "right"], [[], []]).window.duration_s == 1.5
