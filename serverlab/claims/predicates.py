"""The questions that claims ask, by name; each is a handful of ratios with their regions."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from serverlab.claims.comparison import Comparison
from serverlab.claims.ratios import Ratios
from serverlab.claims.region import above, below, beyond, within
from serverlab.levels import number_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from serverlab.claims.evidence import Side
    from serverlab.claims.region import Region
    from serverlab.quantities import Level

NOTICEABLE = 1.02  # the smallest difference that the reports make something of


def compare(
    over: Side, under: Side | float, region: Region, *, published: float | None = None
) -> Ratios:
    """One ratio: above or below a number, within an equivalence band, or beyond it."""
    return Ratios(
        comparisons=(Comparison(over=over, under=under, region=region, published=published),)
    )


def all_of(*questions: Ratios) -> Ratios:
    """Several questions that all have to be answered by yes."""
    return Ratios(comparisons=tuple(one for asked in questions for one in asked.comparisons))


def at_each(levels: Iterable[Level], ask: Callable[[Level], Ratios]) -> Ratios:
    """The same question at several levels."""
    return all_of(*(ask(level) for level in levels))


def most(side: Side, engine: str, others: Iterable[str], *, by: float = NOTICEABLE) -> Ratios:
    """An engine has more of a measure than each of the others, by a factor at least."""
    return against_each(side, engine, others, above(by))


def least(side: Side, engine: str, others: Iterable[str], *, by: float = NOTICEABLE) -> Ratios:
    """An engine has less of a measure than each of the others, by a factor at least."""
    return against_each(side, engine, others, below(1 / by))


def alike(side: Side, engine: str, others: Iterable[str], *, factor: float) -> Ratios:
    """No engine is farther from this one than by a factor, up or down."""
    return against_each(side, engine, others, within(factor))


def against_each(side: Side, engine: str, others: Iterable[str], region: Region) -> Ratios:
    """One engine over each of the others."""
    return all_of(
        *(
            compare(side.at(engine=engine), side.at(engine=one), region)
            for one in others
            if one != engine
        )
    )


def grows(side: Side, factor: str, levels: Sequence[Level], *, by: float = NOTICEABLE) -> Ratios:
    """A measure rises from level to level."""
    return along(side, factor, levels, above(by))


def falls(side: Side, factor: str, levels: Sequence[Level], *, by: float = NOTICEABLE) -> Ratios:
    """A measure falls from level to level."""
    return along(side, factor, levels, below(1 / by))


def unmoved(side: Side, factor: str, levels: Sequence[Level], *, band: float) -> Ratios:
    """A factor has no effect that matters: all levels stay within a band around the first."""
    return all_of(
        *(
            compare(side.at(**{factor: level}), side.at(**{factor: levels[0]}), within(band))
            for level in levels[1:]
        )
    )


def along(side: Side, factor: str, levels: Sequence[Level], region: Region) -> Ratios:
    """Each level over the one before it."""
    return all_of(
        *(
            compare(side.at(**{factor: after}), side.at(**{factor: before}), region)
            for before, after in itertools.pairwise(levels)
        )
    )


def proportional(
    side: Side, factor: str, levels: Sequence[Level], *, band: float, published: float | None = None
) -> Ratios:
    """A measure grows as the factor does, from the first level to the last."""
    first, last = number_of(levels[0], factor), number_of(levels[-1], factor)
    assert first, "proportion is of positive numbers"
    assert last, "proportion is of positive numbers"
    return Ratios(
        comparisons=(
            Comparison(
                over=side.at(**{factor: levels[-1]}),
                under=side.at(**{factor: levels[0]}),
                region=within(band),
                published=published,
                scale=last / first,
            ),
        )
    )


def differs(over: Side, under: Side, *, band: float = NOTICEABLE) -> Ratios:
    """Two sides are apart by more than a band, in either direction."""
    return compare(over, under, beyond(band))
