"""The parts of what a load counts make the whole, in each of its books."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader

from tests.conformance.load_models import MODELS, WORKERS
from tests.conformance.loads import load
from tests.conformance.server import serving


def accounted(requests: dict[str, int]) -> int:
    """What became of requests."""
    return sum(requests[name] for name in ("completed", "unanswered", "unsent", "dropped"))


@pytest.mark.parametrize("workers", WORKERS)
@pytest.mark.parametrize("model", MODELS)
def test_parts_make_the_whole(model: str, workers: str, tmp_path: Path) -> None:
    log, hlog = tmp_path / "connections.csv", tmp_path / "intervals.hlog"
    with serving("epoll-level") as server:
        result = load(
            server,
            *MODELS[model],
            *WORKERS[workers],
            "--connections=24",
            "--duration=1100ms",
            f"--connection-log={log}",
            f"--hlog={hlog}",
        ).result
    requests = result["requests"]
    assert requests["intended"] == accounted(requests)
    assert result["latency_ns"]["count"] == requests["completed"]
    rows = list(csv.DictReader(log.read_text(encoding="ascii").splitlines()))
    assert len(rows) == 24
    assert sum(int(row["requests"]) for row in rows) == requests["completed"]
    assert sum(row["completed"] for row in result["series"]) == requests["received"]
    reader = HistogramLogReader(str(hlog), HdrHistogram(1, 3_600_000_000_000, 3))
    counts = []
    while (interval := reader.get_next_interval_histogram()) is not None:
        counts.append(interval.get_total_count())
    reader.close()
    assert sum(counts) == requests["completed"]


@pytest.mark.parametrize("transport", ["epoll", "uring"])
def test_what_was_issued_last_is_accounted_for(transport: str) -> None:
    """More is asked than can be sent, so that requests are issued up to the limit of the drain."""
    overload = ["--model=open", "--rate=20000", "--payload=400kB", "--connections=4", "--depth=4"]
    limits = ["--duration=200ms", "--timeout=50ms", f"--transport={transport}"]
    with serving("epoll-level") as server:
        result = load(server, *overload, *limits).result
    assert result["requests"]["intended"] == accounted(result["requests"])
    assert result["verdict"]["name"] != "IMPOSSIBLE", result["verdict"]
    by_requests = result["in_flight"]["by_requests"]
    assert result["in_flight"]["by_gauge"] == pytest.approx(by_requests, rel=0.01)
