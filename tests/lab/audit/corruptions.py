"""Clean results of each tool, and corruptions of them with their verdicts."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from serverlab.audit.finding import Judgement

SAMPLES = Path(__file__).parent / "samples"
OLD_RUNS = Path(__file__).parents[1] / "old_runs"
Rows = list[dict[str, Any]]
Text = str


def arena(streams: int = 1) -> Rows:
    """A clean ranking of 30 servers whose figures fit each other, but for so many streams."""
    drawn = random.Random(1)
    rows = []
    for place in range(30):
        rate = 1_000_000 / 1.06**place
        mean_us = 512 / rate * 1e6 * drawn.uniform(0.97, 1.0)
        rows.append(
            {
                "framework": f"server-{place}",
                "rps": round(rate * streams),
                "avg_latency": f"{mean_us:.0f}us",
                "p99_latency": f"{mean_us * 3:.0f}us",
                "connections": 512,
                "duration": "5s",
                "pipeline": 1,
                "reconnects": 0,
                "status_2xx": round(rate * streams * 5),
            }
        )
    return rows


def replaced(pattern: str, by: str) -> Callable[[Text], Text]:
    """An edit of a text, which must find what it replaces."""

    def edit(text: Text) -> Text:
        edited, count = re.subn(pattern, by, text, count=1, flags=re.MULTILINE)
        assert count == 1, pattern
        return edited

    return edit


def of_row(place: int, **fields: object) -> Callable[[Rows], Rows]:
    """An edit of one row of the ranking."""

    def edit(rows: Rows) -> Rows:
        rows[place] |= fields
        return rows

    return edit


def same_rates(rows: Rows) -> Rows:
    """Ten servers at one rate."""
    for place in range(10):
        rows[place] |= {"rps": 600_000 + 500 * place, "status_2xx": 5 * (600_000 + 500 * place)}
        rows[place] |= {"avg_latency": "850us", "p99_latency": "3ms"}
    return rows


WRK, AB, HEY = "wrk-4.1.0.txt", "ab-2.3.txt", "hey.txt"
WRK2, MEMTIER = "wrk2-44a94c1.txt", "memtier-2f74d61.txt"
REDIS = "redis-benchmark-7.0.15.txt"
NO, BOUND, LESS = Judgement.IMPOSSIBLE, Judgement.GENERATOR_BOUND, Judgement.UNSUSTAINED
ODD, TIED = Judgement.UNEXPLAINED, Judgement.TIED

# 30 corruptions: of which sample or document, the edit, the verdict, words of its reason.
OF_TEXTS: dict[str, tuple[str, Callable[[Text], Text], Judgement, str]] = {
    "wrk: a rate ten times too high": (WRK, replaced(r"sec:  79692", "sec:  796920"), NO, "not"),
    "wrk: a mean that its percentiles do not allow": (
        WRK,
        replaced("181.74us", "726.96us"),
        NO,
        "the most that these percentiles allow",
    ),
    "wrk: a mean of more than half its longest": (
        WRK,
        lambda text: replaced("181.74us", "3.90ms")(re.sub(r"(?m)^ +\d+%.*\n", "", text)),
        NO,
        "with the latencies that wrk adds",
    ),
    "wrk2: a rate that was not reached": (
        WRK2,
        replaced(r"(Requests/sec: +)\d+", r"\g<1>1200"),
        LESS,
        "60 %",
    ),
    "hey: more in flight than workers": (
        HEY,
        lambda text: "$ hey -z 2s -c 4 http://127.0.0.1:7801/\n" + text,
        NO,
        "where 4 are possible",
    ),
    "redis-benchmark: a longest below its p99, in CSV": (
        "redis-benchmark-7.0.15.csv",
        replaced(r'"0.215","2.751"', '"0.215","0.151"'),
        NO,
        "above the longest",
    ),
    "memtier: more in flight than connections": (
        MEMTIER,
        lambda text: "$ memtier_benchmark -c 4 --pipeline=2\n" + text.replace("0.14742", "0.94742"),
        NO,
        "where 16 are possible",
    ),
    "wrk: a p50 above its p99": (WRK, replaced(r"50%  138.00us", "50%  9.00ms"), NO, "above p75"),
    "wrk: fewer requests than the rate": (
        WRK,
        replaced("167339 req", "67339 req"),
        NO,
        "requests/s",
    ),
    "wrk: a p99 of few requests": (
        WRK,
        lambda text: replaced("79692.60", "79.69")(replaced("167339 req", "167 req")(text)),
        ODD,
        "rests on",
    ),
    "wrk: many errors": (
        WRK,
        replaced("^Requests/sec", "  Non-2xx or 3xx responses: 150000\nRequests/sec"),
        ODD,
        "failed",
    ),
    "ab: a rate that the concurrency does not allow": (
        AB,
        replaced(r"^(Total: +)0 +0 ", r"\1 0    5 "),
        NO,
        "in flight",
    ),
    "ab: a longest below its p99": (AB, replaced(r"  99%      0", "  99%      9"), NO, "above"),
    "hey: a mean above its slowest": (
        HEY,
        replaced(r"Average:\t0.0004", "Average:\t0.9"),
        NO,
        "mean",
    ),
    "hey: a fastest above its median": (
        HEY,
        replaced(r"(Fastest:\t)0.0000", r"\g<1>0.2"),
        NO,
        "abo",
    ),
    "hey: a p99 that the mean does not allow": (
        HEY,
        replaced(r"99%% in 0.0028", "99%% in 0.1100"),
        NO,
        "above the longest",
    ),
    "redis-benchmark: percentiles in disorder": (
        REDIS,
        replaced(r"0.146     0.048     0.151", "0.146     0.048     0.951"),
        NO,
        "above p95",
    ),
    "redis-benchmark: a mean below its shortest": (
        REDIS,
        replaced(r"0.146     0.048     0.151", "0.016     0.048     0.151"),
        NO,
        "below the shortest",
    ),
}
OF_ROWS: dict[str, tuple[int, Callable[[Rows], Rows], Judgement, str]] = {
    "a p99 that is the mean": (
        7,
        of_row(7, p99_latency="770us", avg_latency="770us"),
        ODD,
        "p99 is the mean itself",
    ),
    "a p99 below what the mean needs": (3, of_row(3, p99_latency="900s"), NO, "make alone"),
    "a rate doubled": (5, of_row(5, rps=1_494_516, status_2xx=7_472_580), NO, "in flight"),
    "a count of half the rate": (9, of_row(9, status_2xx=1_400_000), NO, "requests/s and not"),
    "a count of twice the rate": (9, of_row(9, status_2xx=5_900_000), ODD, "warm-up"),
    "a hundredth in flight": (
        11,
        of_row(11, avg_latency="9us", p99_latency="27us"),
        ODD,
        "should be",
    ),
    "a rate within 1 % of another": (
        4,
        of_row(4, rps=832_000, status_2xx=4_160_000, avg_latency="600us"),
        TIED,
        "ahead",
    ),
    "ten servers at one rate": (2, same_rates, BOUND, "share a limit"),
    "a third of the requests failed": (6, of_row(6, status_5xx=1_500_000), ODD, ""),
    "a run of few requests": (
        20,
        of_row(20, rps=100, status_2xx=500, avg_latency="5.1s", p99_latency="6s"),
        ODD,
        "rests on",
    ),
}


def fortio(**fields: object) -> dict[str, Any]:
    """A clean result at a rate of 1000 requests/s."""
    percentiles = [(50, 0.0004), (75, 0.0005), (90, 0.0007), (99, 0.002), (99.9, 0.0028)]
    histogram = {
        "Count": 20_000,
        "Min": 0.0001,
        "Max": 0.003,
        "Avg": 0.00045,
        "Percentiles": [{"Percentile": share, "Value": value} for share, value in percentiles],
    }
    return {
        "Labels": "here",
        "RequestedQPS": "1000",
        "ActualQPS": 999.5,
        "ActualDuration": 20_010_000_000,
        "NumThreads": 4,
        "DurationHistogram": histogram | fields.pop("histogram", {}),  # type: ignore[operator]
        "RetCodes": {"200": 20_000},
    } | fields


def oha(**fields: object) -> dict[str, Any]:
    """A clean result."""
    return {
        "summary": {
            "successRate": 1.0,
            "total": 10.0,
            "slowest": 0.02,
            "fastest": 0.0001,
            "average": 0.0009,
            "requestsPerSec": 50_000.0,
        },
        "latencyPercentiles": {"p50": 0.0008, "p90": 0.0015, "p99": 0.004, "p99.9": 0.009},
        "statusCodeDistribution": {"200": 500_000},
        "errorDistribution": {"aborted due to deadline": 50},
    } | fields


def k6(**dropped: float) -> dict[str, Any]:
    """A clean summary."""
    times = {"avg": 2.0, "min": 0.5, "med": 1.8, "max": 40.0, "p(90)": 3.0, "p(95)": 4.0}
    return {
        "metrics": {
            "http_req_duration": times,
            "http_reqs": {"count": 60_000, "rate": 1000.0},
            "vus_max": {"value": 50, "min": 50, "max": 50},
            "dropped_iterations": dropped,
        }
    }


def memtier(rate: float = 100_000.0, mean: float = 1.9, p99: float = 4.1) -> dict[str, Any]:
    """A result of 200 connections."""
    return {
        "configuration": {"clients": 50, "threads": 4, "pipeline": 1, "rate-limiting": 0},
        "ALL STATS": {
            "Totals": {
                "Count": 1_000_000,
                "Ops/sec": rate,
                "Average Latency": mean,
                "Min Latency": 0.3,
                "Max Latency": 20.0,
                "Percentile Latencies": {"p50.00": 1.8, "p99.00": p99, "Histogram": {}},
            }
        },
    }


def techempower(mean: str = "2.50ms") -> dict[str, Any]:
    """A result of one framework at two levels."""
    level = {"latencyAvg": "2.50ms", "latencyMax": "20.00ms", "startTime": 1, "endTime": 16}
    return {
        "duration": 15,
        "concurrencyLevels": [256, 512],
        "pipelineConcurrencyLevels": [256],
        "queryIntervals": [1],
        "rawData": {
            "commitCounts": {"one": 3},
            "json": {
                "one": [
                    level | {"totalRequests": 1_500_000, "latencyAvg": mean},
                    level | {"totalRequests": 2_900_000},
                ]
            },
        },
    }


OF_DOCUMENTS: dict[str, tuple[dict[str, Any], Judgement, str]] = {
    "fortio: a rate that was not reached": (
        fortio(ActualQPS=700.0, ActualDuration=28_570_000_000),
        LESS,
        "70 %",
    ),
    "fortio: a delay that latency does not know of": (
        fortio(histogram={"Max": 0.8}),
        ODD,
        "delays are missing",
    ),
    "fortio: more in flight than connections": (
        fortio(RequestedQPS="max", ActualQPS=90_000.0, ActualDuration=222_000_000),
        NO,
        "in flight",
    ),
    "oha: errors among the replies": (
        oha(statusCodeDistribution={"200": 300_000, "503": 200_000}),
        ODD,
        "failed",
    ),
    "k6: iterations that never began": (k6(count=12_000, rate=200.0), LESS, "83 %"),
    "memtier: a rate that the connections do not allow": (memtier(rate=180_000), NO, "in flight"),
    "TechEmpower: a mean that wrk's longest does not allow": (
        techempower(mean="15.00ms"),
        NO,
        "with the latencies that wrk adds",
    ),
    "memtier: a negative latency": (memtier(mean=-1.9), NO, "the mean latency is -0.0019"),
    "fortio: a percentile of 190": (
        fortio(histogram={"Percentiles": [{"Percentile": 190, "Value": 0.001}]}),
        NO,
        "p190 is no percentile",
    ),
}


def sample(name: str) -> str:
    """What a real tool has printed."""
    return (SAMPLES / name).read_bytes().decode()


def trial(verdict: str = "VALID", reason: str = "", **load: dict[str, float]) -> dict[str, Any]:
    """A trial of a run that was made, with another verdict, or other figures of its load."""
    lines = (OLD_RUNS / "separate" / "trials.jsonl").read_bytes().splitlines()
    found: dict[str, Any] = json.loads(lines[0])
    found["verdict"] = {"name": verdict, "reason": reason}
    for name, figures in load.items():
        found["load"][name] |= figures
    return found


# serverlab's own, by a line of trials.jsonl.
OF_TRIALS: dict[str, tuple[dict[str, Any], Judgement, str]] = {
    "own: more in flight than connections": (trial(latency_ns={"mean": 4.7e6}), NO, "in flight"),
    "own: a p99 below its median": (trial(latency_ns={"p99": 1000}), NO, "is above p99"),
    "own: a generator that had no time left": (
        trial(cpu={"busiest_thread": 0.99}),
        BOUND,
        "99 % of the time, the server's CPUs for 15 %",
    ),
    "own: a verdict that the generator was late": (
        trial("CLIENT-LIMITED", "p99 send lag 90 µs, above 50 µs"),
        BOUND,
        "p99 send lag",
    ),
    "own: connections that were not served": (
        trial("STARVED", "5 of 8 connections had no reply"),
        ODD,
        "STARVED",
    ),
}
