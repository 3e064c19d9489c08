"""TechEmpower's results.json: wrk's figures for each framework, test and level of concurrency."""

from __future__ import annotations

import msgspec

from serverlab.audit.formats.units import half_digit_s, seconds
from serverlab.audit.formats.wrk import ADDED
from serverlab.audit.row import Row, Table


class Figures(msgspec.Struct, rename="camel"):
    """Of one level."""

    latency_avg: str = ""
    latency_max: str = ""
    total_requests: int = 0
    start_time: float = 0
    end_time: float = 0
    timeout: int = 0
    connect: int = 0
    read: int = 0
    write: int = 0
    status_5xx: int = msgspec.field(name="5xx", default=0)


class Results(msgspec.Struct, rename="camel"):
    """Its document."""

    raw_data: dict[str, msgspec.Raw]
    duration: int
    concurrency_levels: list[int] = []
    pipeline_concurrency_levels: list[int] = []
    query_intervals: list[int] = []


PIPELINED, DEPTH = "plaintext", 16
OF_QUERIES = {"query", "update", "cached-query"}  # one concurrency, so many queries a request


def read(document: bytes, path: str) -> Table:
    """All rows of a document. Raises ValueError or msgspec.ValidationError."""
    found = msgspec.json.decode(document, type=Results)
    if found.duration <= 0:
        raise ValueError(f"its duration is {found.duration}")
    rows = []
    for test, raw in found.raw_data.items():
        try:
            frameworks = msgspec.json.decode(raw, type=dict[str, list[Figures]])
        except msgspec.ValidationError:
            continue  # counts of lines and commits stand beside the tests
        for name, levels in frameworks.items():
            rows += [
                row(found, test, name, place, own)
                for place, own in enumerate(levels)
                if own.total_requests
            ]
    return Table(path=path, tool="TechEmpower", rows=rows, is_ranking=True)


def row(found: Results, test: str, name: str, place: int, own: Figures) -> Row:
    """One level of a framework in a test."""
    is_pipelined = test == PIPELINED
    levels = found.pipeline_concurrency_levels if is_pipelined else found.concurrency_levels
    places: int | None = levels[place] if place < len(levels) else None
    level = places
    if test in OF_QUERIES:
        level = found.query_intervals[place] if place < len(found.query_intervals) else place
        places = max(found.concurrency_levels, default=None)
    if places is not None and is_pipelined:
        places *= DEPTH
    times = [text for text in (own.latency_avg, own.latency_max) if text]
    return Row(
        name=name,
        tool="wrk",
        group=f"{test} {level}",
        loop="closed",
        places=places,
        has_think_time=is_pipelined,  # a connection sends its next 16 after the last reply
        has_added=True,
        beyond=ADDED,
        rate_per_s=own.total_requests / found.duration,
        requests=own.total_requests,
        errors=own.timeout + own.connect + own.read + own.write + own.status_5xx,
        mean_s=seconds(own.latency_avg) if own.latency_avg else None,
        max_s=seconds(own.latency_max) if own.latency_max else None,
        resolution_s=max(map(half_digit_s, times), default=0.0),
    )
