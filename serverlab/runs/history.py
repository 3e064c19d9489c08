"""Runs that asked the same question, and how the ratios that they found changed over time.

Ratios within a run are compared, not figures of different runs: a machine drifts from day to day,
and both sides of a ratio drift alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from serverlab.analysis.comparisons import Comparison
    from serverlab.quantities import Level
    from serverlab.runs.listed import ListedRun

SEVERAL = 2  # runs, from where there is a history


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """What a run found."""

    run: ListedRun
    found: Comparison
    changed: bool  # since the run before, beyond chance and noise


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """One comparison in all runs that made it, the oldest first."""

    level: Mapping[str, Level]
    measure: str
    baseline: str
    subject: str
    points: Sequence[Point]


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """The runs that asked one question, the newest first; series of those found several times."""

    question: str
    runs: Sequence[ListedRun]
    series: Sequence[Series]


def histories(runs: Sequence[ListedRun]) -> list[History]:
    """One for each question; that of the newest run first, as the runs are."""
    by_question: dict[str, list[ListedRun]] = {}
    for run in runs:
        by_question.setdefault(run.question, []).append(run)
    return [
        History(question=question, runs=own, series=list(series(own[::-1])))
        for question, own in by_question.items()
    ]


def series(runs: Sequence[ListedRun]) -> Iterator[Series]:
    """What several of the runs compared; they come the oldest first."""
    found: dict[object, list[tuple[ListedRun, Comparison]]] = {}
    for run in runs:
        for one in run.answer.comparisons if run.answer else ():
            key = (one.measure, tuple(one.level.items()), one.baseline, one.subject)
            found.setdefault(key, []).append((run, one))
    for pairs in found.values():
        if len(pairs) >= SEVERAL:
            first = pairs[0][1]
            before = [None, *(one for _, one in pairs)]
            yield Series(
                level=first.level,
                measure=first.measure,
                baseline=first.baseline,
                subject=first.subject,
                points=[
                    Point(run=run, found=one, changed=earlier is not None and changed(earlier, one))
                    for earlier, (run, one) in zip(before, pairs, strict=False)
                ],
            )


def changed(earlier: Comparison, later: Comparison) -> bool:
    """Whether two intervals have no value in common, and the change exceeds both noise floors.

    An end that is not known excludes nothing.
    """
    apart = below(earlier, later) or below(later, earlier)
    change = max(earlier.ratio, later.ratio) / min(earlier.ratio, later.ratio)
    return apart and change > max(earlier.noise_floor or 1, later.noise_floor or 1)


def below(one: Comparison, other: Comparison) -> bool:
    """Whether the whole of one interval is below that of the other."""
    return one.high is not None and other.low is not None and one.high < other.low
