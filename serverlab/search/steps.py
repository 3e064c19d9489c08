"""Which trial is next, and what the search has found: it follows from the trials that are done.

Short trials bracket the rate: up by half, down by half, then bisecting; one that breaks the goal is
asked once more. Trials of full length confirm it, because on a noisy machine one trial says little
(the idea is MLRsearch's, draft-ietf-bmwg-mlrsearch): a side is settled when so many trials of its
rate agree. The search ends with a rate that is settled as kept, and one that is higher by no more
than the precision and settled as not kept.
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
    from collections.abc import Sequence

DIGITS = 4  # of a rate: finer than any precision that a machine can bear
RAISE, LOWER = 1.5, 0.5  # while one end of the bracket is missing
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
    """The next trial for a goal, or what was found."""
    sides = sides_of(tried)
    settled = {
        side.rate_per_s: is_kept
        for side in sides
        if (is_kept := verdict(side, terms.repeats)) is not None
    }
    for side in sides:
        if side.rate_per_s not in settled:
            return Step(rate_per_s=side.rate_per_s, length=Length.FULL)
    kept = max((rate for rate, is_kept in settled.items() if is_kept), default=None)
    broken = min(
        (rate for rate, is_kept in settled.items() if not is_kept and rate > (kept or 0)),
        default=None,
    )
    by_rate = {side.rate_per_s: side for side in sides}
    ending = ending_of(kept, broken, by_rate, terms)
    if ending is not None:
        return Found(
            ending=ending,
            kept=by_rate.get(kept) if kept is not None else None,
            broken=by_rate.get(broken) if broken is not None else None,
        )
    if kept is None and broken is None:
        return bracket(tried, terms)
    return Step(rate_per_s=between(kept, broken, len(settled), terms), length=Length.FULL)


def so_far(tried: Sequence[Tried], repeats: int) -> Found:
    """What is known where the time is over: the highest rate that is settled as kept.

    If none is, what most trials say, the short ones if need be.
    """
    sides = sides_of(tried) or sides_of(tried, Length.SHORT)
    settled = [side for side in sides if side.kept >= repeats]
    kept = max(
        settled or (side for side in sides if side.kept > side.broken),
        key=lambda side: side.rate_per_s,
        default=None,
    )
    broken = min(
        (
            side
            for side in sides
            if side.broken > side.kept and (kept is None or side.rate_per_s > kept.rate_per_s)
        ),
        key=lambda side: side.rate_per_s,
        default=None,
    )
    return Found(ending=Ending.OUT_OF_TIME, kept=kept, broken=broken)


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


def ending_of(
    kept: float | None, broken: float | None, by_rate: dict[float, Side], terms: Terms
) -> Ending | None:
    """Whether nothing more is to be tried, and why."""
    if kept is not None and kept >= terms.highest_per_s:
        return Ending.ALL_KEPT
    if kept is None and broken is not None and broken <= terms.lowest_per_s:
        return Ending.NONE_KEPT
    narrow = (
        kept is not None
        and broken is not None
        and broken / kept <= wide(terms.precision) * TOLERANCE
    )
    if narrow and broken is not None:
        return limit_of(by_rate[broken])
    return Ending.UNSETTLED if len(by_rate) >= FULL_RATES_MAX else None


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


def between(kept: float | None, broken: float | None, settled: int, terms: Terms) -> float:
    """The next rate of full length: a step from the side that is settled, or the middle of two.

    The steps double: the bracket was wrong, by an unknown amount.
    """
    step = wide(terms.precision) ** (2 ** (settled - 1))
    if kept is None:
        assert broken is not None
        return within(broken / step, terms)
    if broken is None:
        return within(kept * step, terms)
    if broken / kept <= wide(terms.precision) ** 2 * TOLERANCE:
        return within(kept * wide(terms.precision), terms)
    return within(math.sqrt(kept * broken), terms)


def within(rate_per_s: float, terms: Terms) -> float:
    """A rate, rounded, and not outside of where the search may look."""
    digits = DIGITS - 1 - math.floor(math.log10(rate_per_s))
    return min(max(round(rate_per_s, digits), terms.lowest_per_s), terms.highest_per_s)
