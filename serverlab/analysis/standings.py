"""Which engines lead at one level of x, by one criterion: the best ones, down to the first beaten.

All pairs of engines are compared at once. One beats another if their paired ratio differs from 1 by
more than chance makes any of so many pairs differ (Holm), and by more than the baseline and its A/A
twin differ at the same level. In the order of their estimates, the leaders are all engines above
the first one that a better one beats: leaders are not distinguishable, and no other engine stands
above one of them. An engine below that none beats is undecided (docs/decisions/0016).
"""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from serverlab.analysis.pairs import has_figure, paired
from serverlab.measures import BY_NAME, GOODPUT, P99, RSS, SERVER_CPU
from serverlab.stats.holm import holm
from serverlab.stats.paired import ALARM, shared_noise
from serverlab.stats.ranks import tied_groups

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from serverlab.analysis.cells import Cell
    from serverlab.analysis.subjects import Subjects
    from serverlab.measure import Measure
    from serverlab.records import Plan
    from serverlab.stats.paired import Ratio
    from serverlab.stats.ranks import Group


@dataclass(frozen=True, slots=True)
class Criterion:
    """A measure by which engines are compared, and how one speaks of it."""

    measure: Measure

    @property
    def noun(self) -> str:
        """What is compared."""
        return self.measure.noun

    @property
    def superlative(self) -> str:
        """What the best one has."""
        if self.measure.more_is_better:
            return f"the highest {self.noun}"
        return f"the {'least' if self.measure.kind == 'memory' else 'lowest'} {self.noun}"

    @property
    def more_is_better(self) -> bool:
        """Whether the best one has the most."""
        return self.measure.more_is_better


BY_GOODPUT = Criterion(GOODPUT)
BY_SERVER_CPU = Criterion(SERVER_CPU)
BY_P99 = Criterion(P99)
BY_MEMORY = Criterion(RSS)
KEPT_MAX = 64  # levels and criteria; several parts of a report ask for the same
CRITERIA = (BY_GOODPUT, BY_SERVER_CPU, BY_P99)  # of which the answer speaks
ALL_CRITERIA = (*CRITERIA, BY_MEMORY)


def asked_criteria(plan: Plan) -> tuple[Criterion, ...]:
    """Those that the experiment names, in its order; none if it leaves that to the load model."""
    names = plan.contrast.by
    return tuple(Criterion(BY_NAME[name]) for name in names if name in BY_NAME)


def precise_criteria(plan: Plan) -> dict[Criterion, float]:
    """Those whose precision the experiment names; none if it names one of the decisive alone."""
    wanted = plan.precision if isinstance(plan.precision, dict) else {}
    return {Criterion(BY_NAME[name]): share for name, share in wanted.items() if name in BY_NAME}


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The engines of one level, by one criterion."""

    criterion: Criterion
    leaders: tuple[Cell, ...]  # in the plan's order: they are not ranked among themselves
    others: tuple[Cell, ...]
    undecided: tuple[Cell, ...]  # those of the others that none beats
    groups: tuple[Group[Cell], ...]  # from the best to the worst; those of one are tied
    subjects: Subjects
    absent: int  # of them are without a valid figure
    baseline: Cell | None  # None if it has no valid trial
    floor: float  # differences up to this factor are the ruler's own; 1 if that is not known
    twin_ratio: Ratio | None  # of the A/A pair
    ratios: Mapping[tuple[str, str], Ratio] = field(repr=False)  # by the names of two engines
    wins: frozenset[tuple[str, str]] = field(repr=False)  # pairs of a winner and a loser

    @property
    def pairs(self) -> int:
        """How many pairs of engines were compared at once."""
        return len(self.ratios) // 2

    def ratio(self, cell: Cell, other: Cell) -> Ratio | None:
        """How two of its cells compare; without a common block they do not."""
        return self.ratios.get((cell.subject, other.subject))

    def beats(self, cell: Cell, other: Cell) -> bool:
        """Whether one of its cells is better than another beyond doubt."""
        return (cell.subject, other.subject) in self.wins


def standing(cells: Sequence[Cell], criterion: Criterion, subjects: Subjects) -> Standing:
    """Compare the cells of one level; those without a valid figure are left out."""
    measure, baseline, twin = criterion.measure, subjects.baseline, subjects.twin
    measured = [cell for cell in cells if has_figure(cell, measure)]
    by_subject = {cell.subject: cell for cell in measured}
    ratios = all_ratios(tuple(measured), measure, baseline, twin)
    twin_ratio = ratios.get((str(twin), str(baseline)))
    floor = 1.0 if twin_ratio is None else twin_ratio.distance
    contenders = [cell for cell in measured if cell.subject != twin]
    ratios = {names: ratio for names, ratio in ratios.items() if twin not in names}
    wins = beaten_pairs(ratios, criterion, floor)
    reference = by_subject.get(baseline)
    leading = leaders_of(best_first(contenders, ratios, criterion, reference), wins)
    leaders = [cell for cell in contenders if cell in leading]
    others = [cell for cell in contenders if cell not in leading]
    beaten = {loser for _, loser in wins}
    groups = tied_groups(contenders, lambda one, other: (one.subject, other.subject) in wins)
    return Standing(
        criterion=criterion,
        leaders=tuple(leaders),
        others=tuple(others),
        undecided=tuple(cell for cell in others if cell.subject not in beaten),
        groups=tuple(groups),
        subjects=subjects,
        absent=sum(cell.subject != twin and cell not in contenders for cell in cells),
        baseline=reference,
        floor=floor,
        twin_ratio=twin_ratio,
        ratios=ratios,
        wins=wins,
    )


def best_first(
    cells: Sequence[Cell],
    ratios: Mapping[tuple[str, str], Ratio],
    criterion: Criterion,
    baseline: Cell | None,
) -> list[Cell]:
    """The cells by their estimate: the ratio to the baseline, as the report shows it.

    Without a baseline, or without a block in common with it, by the ratio of the two figures.
    """
    if not cells:
        return []
    name = criterion.measure.name
    reference = baseline or cells[0]

    def estimate(cell: Cell) -> float:
        ratio = ratios.get((cell.subject, reference.subject))
        if ratio is not None:
            return ratio.estimate
        return cell.figures[name].value / reference.figures[name].value

    return sorted(cells, key=estimate, reverse=criterion.more_is_better)


def leaders_of(ordered: Sequence[Cell], wins: AbstractSet[tuple[str, str]]) -> list[Cell]:
    """The cells above the first one that a better one beats; `ordered` begins with the best.

    Where the two have few blocks in common, the worse one may beat the better one: that ends the
    leaders as well.
    """
    leaders: list[Cell] = []
    for cell in ordered:
        pairs = ((better.subject, cell.subject) for better in leaders)
        if any(names in wins or names[::-1] in wins for names in pairs):
            break
        leaders.append(cell)
    return leaders


@functools.lru_cache(maxsize=KEPT_MAX)
def all_ratios(
    cells: tuple[Cell, ...], measure: Measure, baseline: str, twin: str | None
) -> Mapping[tuple[str, str], Ratio]:
    """Every pair of engines, in both directions; what all know of the noise serves each.

    The baseline and its twin are one engine: others are compared with the mean of both
    (docs/decisions/0036).
    """
    again = next((cell for cell in cells if cell.subject == twin), None)
    pairings = {}
    for one, two in itertools.combinations(cells, 2):
        cell, other = (two, one) if one.subject == baseline else (one, two)
        doubled = other.subject == baseline and cell is not again
        pair = paired(cell, other, measure, again if doubled else None)
        if pair is not None:
            pairings[cell.subject, other.subject] = pair
    noise = shared_noise(list(pairings.values()), len(cells))
    ratios = {names: pair.ratio(noise) for names, pair in pairings.items()}
    return ratios | {names[::-1]: ratio.inverse() for names, ratio in ratios.items()}


def beaten_pairs(
    ratios: Mapping[tuple[str, str], Ratio], criterion: Criterion, floor: float
) -> frozenset[tuple[str, str]]:
    """The pairs of which the first is better beyond doubt, all pairs of the level considered."""
    once = [names for names in ratios if names < names[::-1]]
    adjusted = holm([ratios[names].chance for names in once])
    wins = set()
    for names, p_value in zip(once, adjusted, strict=True):
        ratio = ratios[names]
        if p_value <= ALARM and ratio.distance > floor:
            is_first = (ratio.estimate > 1) == criterion.more_is_better
            wins.add(names if is_first else names[::-1])
    return frozenset(wins)
