"""Which trial is next, and what the search has found: it follows from the trials that are done.

Short trials bracket the rate: up by half, down by half, then bisecting; one that breaks the goal is
asked once more. They are too short for what a server does now and then, as a garbage collector, so
trials of full length go on from there: one of each rate, down in steps that double until a rate is
kept, then bisecting. In the end both sides are settled, because on a noisy machine one trial says
little (the idea is MLRsearch's, draft-ietf-bmwg-mlrsearch): a side is settled when so many trials
of its rate agree. The search ends with a rate that is settled as kept, and one that is higher by no
more than the precision and settled as not kept.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from serverlab.search.goals import Outcome
from serverlab.verdicts import VerdictName

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

DIGITS = 4  # of a rate: finer than any precision that a machine can bear
RAISE, LOWER = 1.5, 0.5  # while one end of the bracket is missing
STEP_MAX = 2.0  # between two rates of full length
LATE_FACTOR = 2  # so many times the repeats, and the generator is the limit
TOLERANCE = 1.002  # of a ratio, for what rounding makes of rates
FULL_RATES_MAX = (
    24  # a search that has not settled by then is on a machine that will not hold still
)


class Length(StrEnum):
    """How long a trial's window is."""

    SHORT = "short"
    FULL = "full"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """A trial's rate, and what it says of one goal."""

    rate_per_s: float
    length: Length
    outcome: Outcome
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """Where a search may look, where it begins, and when it is content."""

    lowest_per_s: float
    highest_per_s: float  # infinite if none was given
    start_per_s: float
    precision: float
    repeats: int  # trials that have to agree


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A trial to be run."""

    rate_per_s: float
    length: Length


class Ending(StrEnum):
    """How a search has ended."""

    FOUND = "found"
    CLIENT_LIMITED = (
        VerdictName.CLIENT_LIMITED.value
    )  # the next higher rate is too much for the generator
    NETWORK_BOUND = VerdictName.NETWORK_BOUND.value  # or for the network
    ALL_KEPT = "all kept"  # up to the highest rate that was asked for
    NONE_KEPT = "none kept"  # not even the lowest rate
    UNSETTLED = "unsettled"  # trials of the same rate kept disagreeing
    OUT_OF_TIME = "out of time"  # the budget was spent before


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """What trials of full length say of one rate."""

    rate_per_s: float
    kept: int
    broken: int
    late: int
    full: int
    why: str  # by the first that did not keep it

    @property
    def trials(self) -> int:
        """How many there are."""
        return self.kept + self.broken + self.late + self.full


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a search has found: the highest rate that is kept, the lowest that is not."""

    ending: Ending
    kept: Side | None
    broken: Side | None


def next_step(tried: Sequence[Tried], terms: Terms) -> Step | Found:
    """The next trial for a goal, or what was found.

    One trial of a rate is enough to move on, so that a search comes down soon from where it began
    too high. The two sides between which it ends are settled, and it goes on if one of them turns.
    """
    sides = {side.rate_per_s: side for side in sides_of(tried)}
    if not sides:
        return bracket(tried, terms)
    kept, broken = between_which(sides.values(), terms.repeats)
    ending = ending_of(kept, broken, terms)
    if ending is not None:
        for side in (kept, broken):
            if side is not None and verdict(side, terms.repeats) is None:
                return Step(rate_per_s=side.rate_per_s, length=Length.FULL)
    elif len(sides) >= FULL_RATES_MAX:
        ending = Ending.UNSETTLED
    if ending is not None:
        return Found(ending=ending, kept=kept, broken=broken)
    return Step(rate_per_s=between(kept, broken, len(sides), terms), length=Length.FULL)


def between_which(sides: Iterable[Side], repeats: int) -> tuple[Side | None, Side | None]:
    """The highest rate that most of its trials have kept, and the lowest above that is not."""
    leaning = {side.rate_per_s: (side, leans(side, repeats)) for side in sides}
    kept = max((rate for rate, (_, is_kept) in leaning.items() if is_kept), default=None)
    broken = min(
        (rate for rate, (_, is_kept) in leaning.items() if not is_kept and rate > (kept or 0)),
        default=None,
    )
    return (
        None if kept is None else leaning[kept][0],
        None if broken is None else leaning[broken][0],
    )


def leans(side: Side, repeats: int) -> bool:
    """Whether a rate is kept, by its verdict or by most of its trials so far."""
    settled = verdict(side, repeats)
    return side.kept > side.broken + side.full if settled is None else settled


def so_far(tried: Sequence[Tried], repeats: int) -> Found:
    """What is known where the time is over: the highest rate that is settled as kept.

    If none is, the rate that most trials of all rates agree with: they have kept it and what is
    below, and not what is above. Short trials count if there are no others.
    """
    sides = sides_of(tried) or sides_of(tried, Length.SHORT)
    settled = [side for side in sides if side.kept >= repeats]
    kept = max(settled, key=lambda side: side.rate_per_s, default=None)
    if kept is None:
        leaning = sorted(
            (side for side in sides if side.kept > side.broken), key=lambda side: side.rate_per_s
        )
        kept = max(leaning, key=lambda side: agreeing(side.rate_per_s, sides), default=None)
    broken = min(
        (
            side
            for side in sides
            if side.broken + side.full > side.kept
            and (kept is None or side.rate_per_s > kept.rate_per_s)
        ),
        key=lambda side: side.rate_per_s,
        default=None,
    )
    return Found(ending=Ending.OUT_OF_TIME, kept=kept, broken=broken)


def agreeing(rate_per_s: float, sides: Iterable[Side]) -> int:
    """How many trials agree that this is the highest rate that is kept."""
    return sum(side.kept if side.rate_per_s <= rate_per_s else side.broken for side in sides)


def sides_of(tried: Sequence[Tried], length: Length = Length.FULL) -> list[Side]:
    """The rates that were tried at this length, in the order in which they came up."""
    by_rate: defaultdict[float, list[Tried]] = defaultdict(list)
    for one in tried:
        if one.length is length:
            by_rate[one.rate_per_s].append(one)
    sides = []
    for rate, trials in by_rate.items():
        counts = Counter(one.outcome for one in trials)
        sides.append(
            Side(
                rate_per_s=rate,
                kept=counts[Outcome.KEPT],
                broken=counts[Outcome.BROKEN],
                late=counts[Outcome.LATE],
                full=counts[Outcome.FULL],
                why=next((one.why for one in trials if one.why), ""),
            )
        )
    return sides


def verdict(side: Side, repeats: int) -> bool | None:
    """Whether a rate is kept; None as long as too few trials agree.

    A trial in which the generator was late is no vote, unless it nearly always is. One that filled
    the network is: what that carries does not change.
    """
    if side.kept >= repeats:
        return True
    is_broken = side.broken + side.full >= repeats or side.late >= LATE_FACTOR * repeats
    return False if is_broken else None


def ending_of(kept: Side | None, broken: Side | None, terms: Terms) -> Ending | None:
    """How the search ends if these two are settled; None if there is more to be tried."""
    if kept is None:
        ends = broken is not None and broken.rate_per_s <= terms.lowest_per_s
        return Ending.NONE_KEPT if ends else None
    if broken is None:
        return Ending.ALL_KEPT if kept.rate_per_s >= terms.highest_per_s else None
    is_narrow = broken.rate_per_s / kept.rate_per_s <= wide(terms.precision) * TOLERANCE
    return limit_of(broken) if is_narrow else None


def limit_of(upper: Side) -> Ending:
    """What kept a search from a higher rate, by the trials of that rate."""
    counts = {
        Ending.FOUND: upper.broken,
        Ending.CLIENT_LIMITED: upper.late,
        Ending.NETWORK_BOUND: upper.full,
    }
    return max(counts, key=counts.__getitem__)


def wide(precision: float) -> float:
    """The ratio of two neighbouring rates."""
    return 1 + precision


def bracket(tried: Sequence[Tried], terms: Terms) -> Step:
    """The next short trial; once the bracket is narrow, the first of full length."""
    counts = Counter(one.rate_per_s for one in tried)
    for one in tried:
        if counts[one.rate_per_s] == 1 and one.outcome is not Outcome.KEPT:
            return Step(rate_per_s=one.rate_per_s, length=Length.SHORT)
    kept, broken = bracketed(tried)
    if (confirmed := narrowed(kept, broken, terms)) is not None:
        return Step(rate_per_s=confirmed, length=Length.FULL)
    return Step(rate_per_s=within(probed(kept, broken, terms), terms), length=Length.SHORT)


def narrowed(kept: float | None, broken: float | None, terms: Terms) -> float | None:
    """The rate to be confirmed first, once the bracket is narrow or has come to where it ends."""
    if kept is None:
        ends = broken is not None and broken <= terms.lowest_per_s
        return terms.lowest_per_s if ends else None
    if broken is None:
        return kept if kept >= terms.highest_per_s else None
    return kept if broken / kept <= wide(terms.precision) ** 2 * TOLERANCE else None


def probed(kept: float | None, broken: float | None, terms: Terms) -> float:
    """The rate of the next short trial: beyond the end that is there, or in the middle."""
    if kept is None:
        return terms.start_per_s if broken is None else LOWER * broken
    return RAISE * kept if broken is None else math.sqrt(kept * broken)


def bracketed(tried: Sequence[Tried]) -> tuple[float | None, float | None]:
    """The lowest rate that was never kept, and the highest below it that was, once at least."""
    rates = {one.rate_per_s for one in tried}
    once_kept = {one.rate_per_s for one in tried if one.outcome is Outcome.KEPT}
    broken = min(rates - once_kept, default=None)
    kept = max((rate for rate in once_kept if broken is None or rate < broken), default=None)
    return kept, broken


def between(kept: Side | None, broken: Side | None, tried: int, terms: Terms) -> float:
    """The next rate of full length: a step from the side that is there, or the middle of two.

    The steps double, because the bracket was wrong, by an unknown amount.
    """
    step = min(wide(terms.precision) ** (2**tried), STEP_MAX)
    if kept is None:
        assert broken is not None
        return within(broken.rate_per_s / step, terms)
    if broken is None:
        return within(kept.rate_per_s * step, terms)
    if broken.rate_per_s / kept.rate_per_s <= wide(terms.precision) ** 2 * TOLERANCE:
        return within(kept.rate_per_s * wide(terms.precision), terms)
    return within(math.sqrt(kept.rate_per_s * broken.rate_per_s), terms)


def within(rate_per_s: float, terms: Terms) -> float:
    """A rate, rounded, and not outside of where the search may look."""
    digits = DIGITS - 1 - math.floor(math.log10(rate_per_s))
    return min(max(round(rate_per_s, digits), terms.lowest_per_s), terms.highest_per_s)
