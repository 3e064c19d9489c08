"""memtier_benchmark, by its JSON (--json-out-file) and by what it prints. Times in milliseconds."""

from __future__ import annotations

import re

import msgspec

from serverlab.audit.formats.runs import Run, runs_of
from serverlab.audit.row import Row, Table

HALF_DIGIT_S = 0.5e-6  # of times with three decimals


class Configuration(msgspec.Struct):
    """How it was called."""

    clients: int
    threads: int
    pipeline: int = 1
    rate_limit: int = 0  # of each connection; 0: none


class Totals(
    msgspec.Struct,
    rename={
        "count": "Count",
        "rate": "Ops/sec",
        "mean": "Average Latency",
        "shortest": "Min Latency",
        "longest": "Max Latency",
        "percentiles": "Percentile Latencies",
        "errors": "Connection Errors",
        "moved": "MOVED/sec",
    },
):
    """Of all operations."""

    count: int
    rate: float
    mean: float
    shortest: float | None = None
    longest: float | None = None
    percentiles: dict[str, msgspec.Raw] = {}
    errors: int = 0
    moved: float | None = None  # only of a cluster


class Stats(msgspec.Struct, rename={"totals": "Totals"}):
    """Its statistics: of the run; or of the best, the worst and the average of several."""

    totals: Totals


def read(document: bytes, path: str) -> Table:
    """The runs of a document. Raises ValueError or msgspec.ValidationError."""
    parts = msgspec.json.decode(document, type=dict[str, msgspec.Raw])
    if "configuration" not in parts:
        raise ValueError("the document of memtier has no configuration")
    asked = msgspec.json.decode(parts["configuration"], type=Configuration)
    rows = [
        of_totals(asked, msgspec.json.decode(part, type=Stats).totals, name)
        for name, part in parts.items()
        if isinstance(found := msgspec.json.decode(part), dict) and "Totals" in found
    ]
    return Table(path=path, tool="memtier", rows=rows)


def of_totals(asked: Configuration, totals: Totals, name: str) -> Row:
    """The row of one part."""
    connections = asked.clients * asked.threads
    percentiles = {
        float(key.removeprefix("p")) / 100: msgspec.json.decode(raw, type=float) / 1e3
        for key, raw in totals.percentiles.items()
        if key.startswith("p")
    }
    return Row(
        name=name,
        tool="memtier",
        loop="unknown" if asked.rate_limit else "closed",
        places=connections * asked.pipeline,
        beyond="" if totals.moved is None else "each client has a connection to each shard",
        rate_per_s=totals.rate,
        offered_per_s=float(asked.rate_limit * connections) or None,
        requests=totals.count,
        errors=totals.errors,
        min_s=None if totals.shortest is None else totals.shortest / 1e3,
        mean_s=totals.mean / 1e3,
        max_s=None if totals.longest is None else totals.longest / 1e3,
        percentiles_s=percentiles,
        resolution_s=HALF_DIGIT_S,
    )


MARK = re.compile(r"^(\d+)[ \t]+Threads[ \t]*\n(\d+)[ \t]+Connections per thread", re.MULTILINE)
LENGTH = re.compile(r"^(\d+)[ \t]+(Requests per client|Seconds)[ \t]*$", re.MULTILINE)
HEAD = re.compile(r"^Type[ \t]+.*Ops/sec.*$", re.MULTILINE)
TOTALS = re.compile(r"^Totals[ \t]+(.*)$", re.MULTILINE)
MEANS = ("Avg. Latency", "Latency")  # of newer and of older versions
PERCENTILE = re.compile(r"p(\d+(?:\.\d+)?) Latency")


def read_text(text: str, path: str) -> Table | None:
    """The runs that a text holds; None if it is of another tool. Raises ValueError."""
    runs = runs_of(text, MARK, "memtier_benchmark")
    rows = [of_text(run) for run in runs]
    return Table(path=path, tool="memtier", rows=rows) if rows else None


def of_text(run: Run) -> Row:
    """One run. It does not print how many requests are in flight on a connection."""
    mark, length = MARK.search(run.text), LENGTH.search(run.text)
    head, totals = HEAD.search(run.text), TOTALS.search(run.text)
    if not (mark and length and head and totals):
        raise ValueError("the output of memtier ends before its totals")
    names = re.split(r"[ \t]{2,}", head[0].strip())[1:]
    values = totals[1].split()
    if len(names) != len(values):
        raise ValueError(f"the table of memtier has {len(names)} columns, its totals {len(values)}")
    found = {name: value for name, value in zip(names, values, strict=True) if value[0].isdigit()}
    connections = int(mark[1]) * int(mark[2])
    limit = run.option("--rate-limiting")
    mean = next((found[name] for name in MEANS if name in found), None)
    return Row(
        name="Totals",
        tool="memtier",
        loop="unknown" if limit else "closed",
        places=connections * int(run.option("--pipeline") or 1) if run.command else None,
        rate_per_s=float(found["Ops/sec"]) if "Ops/sec" in found else None,
        offered_per_s=limit * connections if limit else None,
        duration_s=float(length[1]) if length[2] == "Seconds" else None,
        requests=int(length[1]) * connections if length[2] != "Seconds" else None,
        mean_s=None if mean is None else float(mean) / 1e3,
        percentiles_s={
            float(match[1]) / 100: float(value) / 1e3
            for name, value in found.items()
            if (match := PERCENTILE.fullmatch(name))
        },
        resolution_s=HALF_DIGIT_S,
    )
