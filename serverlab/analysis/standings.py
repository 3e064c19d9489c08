"""Who leads at one level of x, by one criterion: the engines that no other one beats.

All pairs of engines are compared at once. One beats another if their paired ratio differs from 1 by
more than chance makes any of so many pairs differ (Holm), and by more than the baseline and its A/A
twin differ at the same level. So leaders cannot be told apart, and they are never ranked among
themselves.
"""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from serverlab.analysis.measures import GOODPUT, P99, RSS, SERVER_CPU
from serverlab.analysis.pairs import has_figure, paired
from serverlab.stats.holm import holm
from serverlab.stats.paired import ALARM, shared_noise
from serverlab.stats.ranks import tied_groups

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from serverlab.analysis.cells import Cell
    from serverlab.analysis.measures import Measure
    from serverlab.stats.paired import Ratio
    from serverlab.stats.ranks import Group


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """A measure by which engines are compared, and how one speaks of it."""

    measure: Measure
    noun: str
    superlative: str
    more_is_better: bool


BY_GOODPUT = Criterion(
    measure=GOODPUT, noun="goodput", superlative="the highest goodput", more_is_better=True
)
BY_SERVER_CPU = Criterion(
    measure=SERVER_CPU,
    noun="server CPU per request",
    superlative="the lowest server CPU per request",
    more_is_better=False,
)
BY_P99 = Criterion(
    measure=P99, noun="p99 latency", superlative="the lowest p99 latency", more_is_better=False
)
BY_MEMORY = Criterion(
    measure=RSS, noun="server memory", superlative="the least server memory", more_is_better=False
)
KEPT_MAX = 64  # levels and criteria; several parts of a report ask for the same
CRITERIA = (BY_GOODPUT, BY_SERVER_CPU, BY_P99)  # of which the answer speaks
ALL_CRITERIA = (*CRITERIA, BY_MEMORY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The engines of one level, by one criterion."""

    criterion: Criterion
    leaders: tuple[Cell, ...]  # in the plan's order: they are not ranked among themselves
    others: tuple[Cell, ...]
    groups: tuple[Group[Cell], ...]  # from the best to the worst; those of one are tied
    absent: int  # engines without a valid figure
    baseline: Cell | None  # None if it has no valid trial
    floor: float  # differences up to this factor are the ruler's own; 1 if that is not known
    twin_ratio: Ratio | None  # of the A/A pair
    ratios: Mapping[tuple[str, str], Ratio] = field(repr=False)  # by the names of two engines
    wins: frozenset[tuple[str, str]] = field(repr=False)  # who beats whom

    @property
    def pairs(self) -> int:
        """How many pairs of engines were compared at once."""
        return len(self.ratios) // 2

    def ratio(self, cell: Cell, other: Cell) -> Ratio | None:
        """How two of its cells compare; without a common block they do not."""
        return self.ratios.get((cell.engine, other.engine))

    def beats(self, cell: Cell, other: Cell) -> bool:
        """Whether one of its cells is better than another beyond doubt."""
        return (cell.engine, other.engine) in self.wins


def standing(
    cells: Sequence[Cell], criterion: Criterion, baseline: str | None, twin: str | None
) -> Standing:
    """Compare the cells of one level; those without a valid figure are left out."""
    measure = criterion.measure
    measured = [cell for cell in cells if has_figure(cell, measure)]
    by_engine = {cell.engine: cell for cell in measured}
    ratios = all_ratios(tuple(measured), measure)
    twin_ratio = ratios.get((str(twin), str(baseline)))
    floor = 1.0 if twin_ratio is None else twin_ratio.distance
    contenders = [cell for cell in measured if cell.engine != twin]
    ratios = {names: ratio for names, ratio in ratios.items() if twin not in names}
    wins = who_beats_whom(ratios, criterion, floor)
    unbeaten = [
        cell
        for cell in contenders
        if not any((other.engine, cell.engine) in wins for other in contenders)
    ]
    leaders = unbeaten or contenders  # each may beat another where no two share all their blocks
    groups = tied_groups(contenders, lambda one, other: (one.engine, other.engine) in wins)
    return Standing(
        criterion=criterion,
        leaders=tuple(leaders),
        others=tuple(cell for cell in contenders if cell not in leaders),
        groups=tuple(groups),
        absent=sum(cell.engine != twin and cell not in contenders for cell in cells),
        baseline=by_engine.get(baseline) if baseline is not None else None,
        floor=floor,
        twin_ratio=twin_ratio,
        ratios=ratios,
        wins=wins,
    )


@functools.lru_cache(maxsize=KEPT_MAX)
def all_ratios(cells: tuple[Cell, ...], measure: Measure) -> Mapping[tuple[str, str], Ratio]:
    """Every pair of engines, in both directions; what all know of the noise serves each."""
    pairings = {
        (cell.engine, other.engine): pair
        for cell, other in itertools.combinations(cells, 2)
        if (pair := paired(cell, other, measure)) is not None
    }
    noise = shared_noise(list(pairings.values()), len(cells))
    ratios = {names: pair.ratio(noise) for names, pair in pairings.items()}
    return ratios | {names[::-1]: ratio.inverse() for names, ratio in ratios.items()}


def who_beats_whom(
    ratios: Mapping[tuple[str, str], Ratio], criterion: Criterion, floor: float
) -> frozenset[tuple[str, str]]:
    """The pairs of which the first is better beyond doubt, all pairs of the level considered."""
    once = [names for names in ratios if names < names[::-1]]
    adjusted = holm([ratios[names].p_value for names in once])
    wins = set()
    for names, p_value in zip(once, adjusted, strict=True):
        ratio = ratios[names]
        if p_value <= ALARM and ratio.distance > floor:
            is_first = (ratio.estimate > 1) == criterion.more_is_better
            wins.add(names if is_first else names[::-1])
    return frozenset(wins)
