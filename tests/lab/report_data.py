"""Makes small run folders by arithmetic, so that tests know what a report must say of them.

Each engine has a speed: the baseline's figures, times or over it. Blocks drift together, as they do
on a real machine, and each trial adds a little of its own.
"""

from __future__ import annotations

import functools
import itertools
import json
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import polars
from hdrh.histogram import HdrHistogram

from serverlab.records import PlannedTrial

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

Record = dict[str, Any]
Edit = Callable[[Record], "Record | None"]

HOUR_NS = 3_600_000_000_000
REQUESTS = 20_000
STEPS = 50  # different latencies of a trial
QUESTION = "Which engine echoes most?"
SPEEDS = {"poll": 1.0, "threads": 0.5, "epoll-level": 1.25, "poll again": 1.0}


def write_run(
    folder: Path,
    *,
    speeds: Mapping[str, float] = SPEEDS,
    factors: Mapping[str, Sequence[Any]] | None = None,
    blocks: int = 3,
    baseline: str = "poll",
    twin: str | None = "poll again",
    family: Mapping[str, tuple[str, str]] | None = None,
    edit: Edit = lambda trial: trial,
    exclude: Mapping[str, Any] | None = None,
) -> Path:
    """Write a run; `edit` changes a trial's record, or drops it by returning None."""
    others = {"connections": [1, 64, 1000]} if factors is None else factors
    factors = {"engine": list(speeds), **others}
    levels = [
        dict(zip(factors, cell, strict=True)) for cell in itertools.product(*factors.values())
    ]
    if exclude:
        levels = [cell for cell in levels if not exclude.items() <= cell.items()]
    trials = [
        record(cell, block, order, speeds[cell["engine"]])
        for block in range(1, blocks + 1)
        for order, cell in enumerate(levels, start=1)
    ]
    plan = {
        "schema": 1,
        "name": "echo",
        "question": QUESTION,
        "seed": 7,
        "baseline": baseline,
        "twin": twin,
        "factors": factors,
        "family": {
            name: {"neighbour": neighbour, "difference": difference}
            for name, (neighbour, difference) in (family or {}).items()
        },
        "trials": [
            {name: trial[name] for name in PlannedTrial.__struct_fields__ if name in trial}
            for trial in trials
        ],
    }
    folder.mkdir(parents=True, exist_ok=True)
    machine = {"schema": 1, "cpu": "An Exact CPU", "kernel": "6.1", "memory_bytes": 2**34}
    write_json(folder / "plan.json", plan)
    write_json(folder / "environment.json", {**machine, "warnings": ["other load: 1.50 CPUs busy"]})
    (folder / "experiment.toml").write_text(f'question = "{QUESTION}"\n', encoding="utf-8")
    kept = [edited for trial in trials if (edited := edit(trial)) is not None]
    lines = "".join(json.dumps(trial) + "\n" for trial in kept)
    (folder / "trials.jsonl").write_text(lines, encoding="utf-8")
    return folder


def write_logs(folder: Path, requests: Callable[[Record], Sequence[int]]) -> Path:
    """Add a log of connections for each trial of a run, with the requests of each of them."""
    (folder / "connections").mkdir()
    for line in (folder / "trials.jsonl").read_text(encoding="utf-8").splitlines():
        trial = json.loads(line)
        log = polars.DataFrame({"requests": requests(trial)}).with_row_index("connection")
        log = log.with_columns(connected_at_s=0.001 * polars.col("connection"))
        log.write_parquet(folder / "connections" / f"{trial['trial']}.parquet")
    return folder


def wanting(run: Path, *, blocks_max: int = 30, **more: object) -> Path:
    """The same run, of a design that asks for a precision of 3 %."""
    plan = json.loads((run / "plan.json").read_text(encoding="utf-8"))
    write_json(run / "plan.json", {**plan, "precision": 0.03, "blocks_max": blocks_max, **more})
    return run


def write_json(path: Path, value: object) -> None:
    """Write a JSON file."""
    path.write_text(json.dumps(value), encoding="utf-8")


def record(cell: Mapping[str, Any], block: int, order: int, speed: float) -> Record:
    """A valid trial."""
    luck = 1 + 0.05 * block + 0.001 * ((7 * order + 3 * block) % 5)
    goodput = 50_000 * speed * luck
    return {
        "schema": 1,
        "trial": f"b{block}-{order:03}",
        "block": block,
        "order": order,
        "started_at": f"2026-01-02T03:{block:02}:{order % 60:02}.000+00:00",
        "cell": dict(cell),
        "engine": str(cell["engine"]).removesuffix(" again"),
        "service": "echo",
        "server_settings": {"cpus": "0"},
        "load_settings": {"cpus": "1", "warmup": "500ms", "duration": "1s"},
        "verdict": {"name": "VALID", "reason": ""},
        "load": load(int(cell.get("connections", 8)), goodput),
        "server": server(goodput, speed / luck),
        "saturated": "server",
    }


def load(connections: int, goodput: float) -> Record:
    """A closed loop's result."""
    received = int(goodput)
    return {
        "schema": 1,
        "verdict": {"name": "VALID", "reason": ""},
        "load": {"model": "closed", "connections": connections, "depth": 1, "workers": 1},
        "window": {"duration_s": 1.0, "warmup_s": 0.3},
        "requests": {
            "intended": received, "sent": received, "completed": received, "received": received,
            "unanswered": 0, "in_flight_at_end": 0, "errors": {}, "errors_before_window": {},
        },
        "rate": {"offered_per_s": goodput, "achieved_per_s": goodput, "goodput_per_s": goodput},
        "bytes": {"sent": 64 * received, "received": 64 * received},
        "latency_ns": times(1e9 * connections / goodput),
        "service_time_ns": times(1e9 * connections / goodput),
        "send_lag_ns": times(1000),
        "connect_ns": times(50_000),
        "connections": {
            "requested": connections, "established": connections, "lost": 0, "reopened": 0,
            "outage_s": 0,
        },
        "fairness": {"min": 90, "mean": 100, "max": 110, "cv": 0.05, "jain": 0.99},
        "in_flight": {"by_gauge": 0.99 * connections, "by_requests": connections},
        "cpu": {
            "user_s": 0.2, "system_s": 0.6, "busiest_thread": 0.8,
            "per_request_us": 0.8e6 / goodput,
        },
        "series": [],
    }  # fmt: skip


def in_turns(trial: Record) -> Record:
    """The same trial as one of an interleaved design: all engines under one load, in twelve slices.

    The slices drift together. Each engine's goodput over them is that of its trial.
    """
    load, server_record = trial["load"], trial["server"]
    goodput, cpu_us = load["rate"]["goodput_per_s"], server_record["cpu_per_request_us"]
    series = [
        {
            "duration_s": 0.18,
            "completed": round(0.18 * goodput * drift),
            "answered": round(0.2 * goodput * drift),
            "server_cpu_s": round(0.2 * goodput * drift) * cpu_us / 1e6,
        }
        for drift in (0.7, 0.9, 1.0, 1.0, 1.2, 1.5, 0.8, 0.9, 1.1, 1.0, 0.9, 1.0)
    ]
    second = trial["cell"].get("connections", 0) % 60
    started_at = f"2026-01-02T03:{trial['block']:02}:{second:02}.000+00:00"
    return {**trial, "started_at": started_at, "load": {**load, "series": series}}


@functools.cache
def times(mean_ns: float) -> Record:
    """Latencies spread evenly from half the mean to one and a half."""
    histogram = HdrHistogram(1, HOUR_NS, 3)
    values = [max(1, int(mean_ns * (0.5 + step / STEPS))) for step in range(STEPS)]
    for value in values:
        histogram.record_value(value, REQUESTS // STEPS)
    percentiles = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p99_9": 0.999}
    return {
        "count": REQUESTS,
        "unanswered": 0,
        "min": values[0],
        "mean": sum(values) / STEPS,
        **{
            name: histogram.get_highest_equivalent_value(values[math.ceil(share * STEPS) - 1])
            for name, share in percentiles.items()
        },
        "max": values[-1],
        "hdr": histogram.encode().decode(),
    }


def server(goodput: float, speed: float) -> Record:
    """What the kernel would say of a server that is slower by its cost."""
    return {
        "cpu_s": 0.99,
        "user_s": 0.2,
        "system_s": 0.79,
        "cpu_per_request_us": 10 / speed,
        "cpus_busy": 0.99,
        "rss_bytes_max": 5 * 2**20,
        "threads_max": 1,
        "descriptors_max": 70,
        "switches": {"voluntary": int(goodput // 10), "involuntary": 12},
        "summary": {
            "bytes_in": 64 * int(goodput),
            "bytes_out": 64 * int(goodput),
            "syscalls": {
                "receive": int(goodput), "send": int(goodput), "wait": int(goodput) // 2,
                "change": 64, "wake": 0,
            },
        },
        "samples": [],
    }  # fmt: skip


def of_sessions(trial: Record) -> Record:
    """The same trial as one of sessions of 10 requests, one after the other."""
    load = trial["load"]
    session_ns = times(10 * load["latency_ns"]["mean"])
    shape = {**load["load"], "model": "churn"}
    return {**trial, "load": {**load, "load": shape, "session_ns": session_ns}}


def failed(
    trial: Record, name: str = "FAILED", reason: str = "the server died: signal 11"
) -> Record:
    """The same trial without a result."""
    verdict = {"name": name, "reason": reason}
    return {**trial, "verdict": verdict, "load": None, "server": None, "saturated": None}


def invalid(trial: Record, name: str = "ERRORS", reason: str = "12 wrong answers") -> Record:
    """The same trial with its result, but not to be used."""
    return {**trial, "verdict": {"name": name, "reason": reason}}


def restless(level: int, share: float = 0.2) -> Callable[[Record], Record]:
    """Threads at a level, by turns fast and slow."""

    def edit(trial: Record) -> Record:
        if trial["cell"] != {"engine": "threads", "connections": level}:
            return trial
        rate = dict(trial["load"]["rate"])
        rate["goodput_per_s"] *= 1 + share if trial["block"] % 2 else 1 - share
        return {**trial, "load": {**trial["load"], "rate": rate}}

    return edit


def decide_by(run: Path, *measures: str) -> None:
    """Let a run's plan name the measures that decide."""
    plan = json.loads((run / "plan.json").read_bytes())
    plan["contrast"] = {"by": measures}
    (run / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
