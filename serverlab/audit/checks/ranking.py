"""What the rows of a ranking say together: a common ceiling, and places within noise."""

from __future__ import annotations

import statistics
from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

from serverlab.audit.finding import Finding, Judgement
from serverlab.notation import number

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from serverlab.audit.row import Row

CEILING_WIDTH = 0.02  # of rates that are the same within what a common limit leaves
CEILING_ROWS_MIN = 8
CEILING_SHARE_MIN = 0.2  # of the group's rows that are at the ceiling
NOISE = 0.03  # of two runs of one server, where a ranking has no repeats


def in_groups(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """The rows that are ranked together, the fastest first."""
    groups: defaultdict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if row.rate_per_s:
            groups[row.group].append(row)
    for own in groups.values():
        own.sort(key=lambda row: -(row.rate_per_s or 0))
    return groups


def ceiling(group: Sequence[Row]) -> Iterator[tuple[Row, Finding]]:
    """Many different servers at nearly one rate, at the top: something else was the limit."""
    rates = [row.rate_per_s or 0 for row in group]
    best: tuple[int, int] = (0, 0)
    low = 0
    for high in range(len(rates)):
        while rates[low] > rates[high] * (1 + CEILING_WIDTH):
            low += 1
        best = max(best, (high - low + 1, -low))
    size, begin = best[0], -best[1]
    names = {row.name for row in group[begin : begin + size]}
    if len(names) < max(CEILING_ROWS_MIN, CEILING_SHARE_MIN * len(group)):
        return
    top, bottom = rates[begin], rates[begin + size - 1]
    for row in group[begin : begin + size]:
        yield (
            row,
            Finding(
                judgement=Judgement.GENERATOR_BOUND,
                check="ceiling",
                reason=f"{len(names)} of {len(group)} servers have {number(bottom)} to "
                f"{number(top)} requests/s: they share a limit, such as the generator",
            ),
        )


def ties(group: Sequence[Row]) -> Iterator[tuple[Row, Finding]]:
    """A row within noise of the one above it."""
    noise, source = noise_of(group)
    for above, row in pairwise(group):
        assert above.rate_per_s is not None
        assert row.rate_per_s is not None
        ahead = above.rate_per_s / row.rate_per_s - 1
        if above.name != row.name and ahead < noise:
            yield (
                row,
                Finding(
                    judgement=Judgement.TIED,
                    check="noise",
                    reason=f"{above.name} is {100 * ahead:.1f} % ahead, and {source} "
                    f"{100 * noise:.1f} %",
                ),
            )


def noise_of(group: Sequence[Row]) -> tuple[float, str]:
    """How much runs of one server differ, by the ranking's own repeats if it has some."""
    by_name: defaultdict[str, list[float]] = defaultdict(list)
    for row in group:
        by_name[row.name].append(row.rate_per_s or 0)
    spreads = [max(own) / min(own) - 1 for own in by_name.values() if len(own) > 1]
    if len(spreads) >= 3:
        return statistics.median(spreads), "repeats of one server differ by"
    return NOISE, "without repeats noise is taken to be"
