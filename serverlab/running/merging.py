"""One result of the parts of a load: what the parts have counted is added up, exactly.

A percentile is that of all their requests together, of the merged histograms. A figure that is the
worst of a part's workers is the worst of all.
"""

from __future__ import annotations

import math
from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING

import msgspec

from serverlab.design.catalog import catalog
from serverlab.load_result import (
    Bytes,
    Connections,
    Cpu,
    Fairness,
    InFlight,
    Interval,
    LoadResult,
    Pauses,
    Rate,
    Requests,
    Shape,
    Times,
    Verdict,
    Window,
)
from serverlab.stats.histogram import Histogram, decode, encode, merge
from serverlab.verdicts import VerdictName

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

PERCENTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p99_9": 0.999}
# In which verdicts of parts are looked for, the gravest first: as in load/verdict.cpp.
BY_GRAVITY = list(VerdictName)


def merged(
    parts: Sequence[LoadResult], names: Sequence[str], series: Sequence[Sequence[Interval]]
) -> LoadResult:
    """The result of a load from those of its parts.

    `names` of the parts are for the verdict. `series` has each part's intervals as it told them:
    with histograms, which the results do not have.
    """
    first = parts[0]
    return LoadResult(
        verdict=verdict_of(parts, names),
        load=Shape(
            model=first.load.model,
            connections=first.load.connections,
            depth=first.load.depth,
            rate_per_s=first.load.rate_per_s,
            workers=sum(part.load.workers for part in parts),
        ),
        window=window_of(parts),
        requests=requests_of([part.requests for part in parts]),
        rate=Rate(
            offered_per_s=sum(part.rate.offered_per_s for part in parts),
            achieved_per_s=sum(part.rate.achieved_per_s for part in parts),
            goodput_per_s=sum(part.rate.goodput_per_s for part in parts),
        ),
        bytes=Bytes(
            sent=sum(part.bytes.sent for part in parts),
            received=sum(part.bytes.received for part in parts),
        ),
        latency_ns=times_of([part.latency_ns for part in parts]),
        classes={
            name: times_of([part.classes[name] for part in parts if name in part.classes])
            for name in dict.fromkeys(chain.from_iterable(part.classes for part in parts))
        },
        service_time_ns=times_of([part.service_time_ns for part in parts]),
        send_lag_ns=times_of([part.send_lag_ns for part in parts]),
        connect_ns=times_of([part.connect_ns for part in parts]),
        session_ns=times_of([part.session_ns for part in parts]),
        connections=connections_of([part.connections for part in parts]),
        fairness=fairness_of(parts),
        pauses=Pauses(
            stalled_s=max(part.pauses.stalled_s for part in parts),
            stall_longest_s=max(part.pauses.stall_longest_s for part in parts),
            silence_longest_s=max(part.pauses.silence_longest_s for part in parts),
        ),
        in_flight=InFlight(
            by_gauge=total(part.in_flight.by_gauge for part in parts),
            by_requests=total(part.in_flight.by_requests for part in parts),
        ),
        cpu=cpu_of(parts),
        series=series_of(series),
        service=first.service,
    )


def merged_slices(
    parts: Sequence[LoadResult],
    names: Sequence[str],
    told: Sequence[Sequence[Interval]],
    server_cpu_s: Sequence[float],
) -> LoadResult:
    """The result of one of several targets from those of a load's parts.

    `told` has each part's slices of the target as it told them, with histograms, and `server_cpu_s`
    what the server used in each slice.
    """
    slices = [
        slice_of(rows, cpu_s)
        for *rows, cpu_s in zip(
            *(map(with_histogram, part.slices, own) for part, own in zip(parts, told, strict=True)),
            server_cpu_s,
            strict=True,
        )
    ]
    whole = merged(parts, names, [])
    server_s = sum(server_cpu_s)
    answered = sum(row.answered or 0 for row in slices)
    return msgspec.structs.replace(
        whole,
        cpu=msgspec.structs.replace(
            whole.cpu,
            server_s=server_s,
            server_per_request_us=1e6 * server_s / answered if answered else None,
        ),
        series=slices,
    )


def with_histogram(row: Interval, told: Interval) -> Interval:
    """A row of a result with the histogram that was told of the same slice."""
    return msgspec.structs.replace(row, latency_hdr=told.latency_hdr)


def slice_of(rows: Sequence[Interval], server_cpu_s: float) -> Interval:
    """The same slice of all parts; disturbed if it was for one of them."""
    return msgspec.structs.replace(
        interval_of(rows),
        answered=sum(row.answered or 0 for row in rows),
        generator_cpu_s=sum(row.generator_cpu_s or 0 for row in rows),
        server_cpu_s=server_cpu_s,
        other_cpus_busy=None,
        send_lag_p99_ns=max(row.send_lag_p99_ns or 0 for row in rows),
        disturbed=any(row.disturbed is True for row in rows),
    )


def total(values: Iterable[float | None]) -> float | None:
    """The sum; None if one is not known."""
    known = list(values)
    return None if None in known else sum(value for value in known if value is not None)


def verdict_of(parts: Sequence[LoadResult], names: Sequence[str]) -> Verdict:
    """VALID if all are; otherwise the gravest, and whose it is."""
    invalid = [
        (part.verdict, name)
        for part, name in zip(parts, names, strict=True)
        if part.verdict.name != VerdictName.VALID
    ]
    if not invalid:
        return Verdict(VerdictName.VALID)
    verdict, name = min(invalid, key=lambda found: BY_GRAVITY.index(VerdictName(found[0].name)))
    return Verdict(verdict.name, f"{name}: {verdict.reason}")


def window_of(parts: Sequence[LoadResult]) -> Window:
    """From when the first began, as long as the longest."""
    done = [part.window.all_done_s for part in parts]
    return Window(
        duration_s=max(part.window.duration_s for part in parts),
        warmup_s=max(part.window.warmup_s for part in parts),
        all_done_s=None if None in done else max(one for one in done if one is not None),
    )


def requests_of(parts: Sequence[Requests]) -> Requests:
    """Counts, added."""
    errors: Counter[str] = Counter()
    earlier: Counter[str] = Counter()
    for part in parts:
        errors.update(part.errors)
        earlier.update(part.errors_before_window)
    return Requests(
        intended=sum(part.intended for part in parts),
        sent=sum(part.sent for part in parts),
        completed=sum(part.completed for part in parts),
        received=sum(part.received for part in parts),
        unanswered=sum(part.unanswered for part in parts),
        unsent=sum(part.unsent for part in parts),
        dropped=sum(part.dropped for part in parts),
        in_flight_at_end=sum(part.in_flight_at_end for part in parts),
        errors=dict(errors),
        errors_before_window=dict(earlier),
        wrong_reply=next((part.wrong_reply for part in parts if part.wrong_reply), None),
    )


def times_of(parts: Sequence[Times]) -> Times:
    """Those of all values together."""
    histograms = [decode(part.hdr, part.unanswered) for part in parts if part.hdr]
    together = merge(histograms)
    count = sum(part.count for part in parts)
    means = [(part.count, part.mean) for part in parts if part.mean is not None]
    return Times(
        count=count,
        unanswered=sum(part.unanswered for part in parts),
        min=min((part.min for part in parts if part.min is not None), default=None),
        mean=sum(number * mean for number, mean in means) / count if count else None,
        **{name: percentile(together, share) for name, share in PERCENTILES.items()},
        max=max((part.max for part in parts if part.max is not None), default=None),
        hdr=encode(together),
    )


def percentile(histogram: Histogram, share: float) -> int | None:
    """A percentile; None if too few values lie beyond it, or if it is that of one without reply."""
    beyond = histogram.total * (1 - share)
    if beyond < catalog().bounds["values_beyond_min"] - 1e-6:
        return None
    return histogram.quantile(share)


def connections_of(parts: Sequence[Connections]) -> Connections:
    """Counts, added."""
    return Connections(
        requested=sum(part.requested for part in parts),
        established=sum(part.established for part in parts),
        alive=sum(part.alive for part in parts),
        asked=sum(part.asked for part in parts),
        starved=sum(part.starved for part in parts),
        lost=sum(part.lost for part in parts),
        reopened=sum(part.reopened for part in parts),
        outage_s=sum(part.outage_s for part in parts),
    )


def fairness_of(parts: Sequence[LoadResult]) -> Fairness:
    """That of all connections, from each part's mean and scatter."""
    known = [(part.connections.requested, part.fairness) for part in parts]
    if any(None in (one.min, one.mean, one.max, one.cv) for _, one in known):
        return Fairness()
    number = sum(connections for connections, _ in known)
    requests = sum(connections * (one.mean or 0) for connections, one in known)
    if requests == 0:
        return Fairness(min=0, mean=0, max=0, cv=0, jain=1)
    squares = sum(
        connections * (one.mean or 0) ** 2 * (1 + (one.cv or 0) ** 2) for connections, one in known
    )
    mean = requests / number
    return Fairness(
        min=min(one.min or 0 for _, one in known),
        mean=mean,
        max=max(one.max or 0 for _, one in known),
        cv=math.sqrt(max(0.0, squares / number - mean**2)) / mean,
        jain=requests**2 / (number * squares),
    )


def cpu_of(parts: Sequence[LoadResult]) -> Cpu:
    """The CPU time of all generators; what the server used is not theirs to read."""
    user_s = sum(part.cpu.user_s for part in parts)
    system_s = sum(part.cpu.system_s for part in parts)
    received = sum(part.requests.received for part in parts)
    busiest = [one for part in parts if (one := part.cpu.busiest_thread) is not None]
    return Cpu(
        user_s=user_s,
        system_s=system_s,
        per_request_us=1e6 * (user_s + system_s) / received if received else 0,
        busiest_thread=max(busiest, default=None),
    )


def series_of(parts: Sequence[Sequence[Interval]]) -> list[Interval]:
    """Second by second, as long as all parts have one."""
    return [interval_of(rows) for rows in zip(*parts, strict=False)]


def interval_of(rows: Sequence[Interval]) -> Interval:
    """The same interval of all parts."""
    together = merge(decode(row.latency_hdr) for row in rows if row.latency_hdr)
    means = [
        (row.completed, row.mean_ns) for row in rows if row.mean_ns is not None and row.completed
    ]
    completed = sum(number for number, _ in means)
    return Interval(
        t_s=max(row.t_s for row in rows),
        duration_s=max(row.duration_s for row in rows),
        completed=sum(row.completed for row in rows),
        errors=sum(row.errors for row in rows),
        mean_ns=sum(number * mean for number, mean in means) / completed if completed else None,
        p50_ns=together.quantile(0.5),
        p99_ns=together.quantile(0.99),
        established=sum(row.established for row in rows),
    )
