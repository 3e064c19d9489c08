"""The generators of a load that several share, each on its host: a row a host, over all trials."""

from __future__ import annotations

import statistics
from collections import defaultdict
from typing import TYPE_CHECKING

from serverlab.notation import number, readable
from serverlab.report.tables import NO_NUMBER, Entry, Table, number_entry
from serverlab.verdicts import VerdictName

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from serverlab.records import Generator, Trial

HEAD = (
    ("host", ""),
    ("trials", "valid of all"),
    ("goodput", "requests/s"),
    ("latency", "p99"),
    ("send lag", "p99"),
    ("busiest thread", "% of the window"),
    ("began", "after the first, at most"),
    ("its clock", "known to"),
)


def generators_table(trials: Sequence[Trial]) -> Table | None:
    """Medians over the trials; None if no load had several generators."""
    by_host: defaultdict[str, list[tuple[Generator, float | None]]] = defaultdict(list)
    for trial in trials:
        began = [one.began_ns for one in trial.generators if one.began_ns is not None]
        for one in trial.generators:
            late_ns = None if one.began_ns is None else one.began_ns - min(began)
            by_host[one.host].append((one, late_ns))
    if not by_host:
        return None
    return Table(head=HEAD, rows=tuple(row(host, found) for host, found in sorted(by_host.items())))


def row(host: str, found: Sequence[tuple[Generator, float | None]]) -> tuple[Entry, ...]:
    """One host's."""
    ones = [one for one, _ in found]
    valid = sum(one.verdict == VerdictName.VALID for one in ones)
    busiest = middle(one.cpu_busiest for one in ones)
    return (
        Entry(text=host),
        number_entry(f"{valid} of {len(ones)}", valid),
        figure(middle(one.goodput_per_s for one in ones)),
        time(middle(one.latency_p99_ns for one in ones)),
        time(middle(one.send_lag_p99_ns for one in ones)),
        figure(None if busiest is None else 100 * busiest),
        time(max((late_ns for _, late_ns in found if late_ns is not None), default=None)),
        time(max(one.clock_uncertain_ns for one in ones)),
    )


def middle(values: Iterable[float | None]) -> float | None:
    """The median of what is known."""
    known = [value for value in values if value is not None]
    return statistics.median(known) if known else None


def figure(value: float | None) -> Entry:
    """A number."""
    return NO_NUMBER if value is None else number_entry(number(value), value)


def time(value_ns: float | None) -> Entry:
    """A time."""
    return NO_NUMBER if value_ns is None else number_entry(readable(value_ns, "time"), value_ns)
