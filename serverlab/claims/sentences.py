"""A comparison in words: what it is of, and what was found of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serverlab.claims.answer import Answer
from serverlab.claims.evidence import Side
from serverlab.claims.words import differing, interval_text, shared, where
from serverlab.notation import ratio_text, readable
from serverlab.report.sentences import capitalised

if TYPE_CHECKING:
    from collections.abc import Sequence

    from serverlab.claims.comparison import Comparison
    from serverlab.claims.finding import Effect


def deciding_sentence(pairs: Sequence[tuple[Comparison, Effect]], answer: Answer) -> str:
    """The sentence of the comparison that decides, and how many others agree with it.

    A yes hangs on the ratio nearest to its border, a no on the farthest.
    """
    deciding = [pair for pair in pairs if pair[1].answer is answer]
    known = [pair for pair in deciding if pair[1].ratio is not None] or deciding
    farthest = answer is Answer.NO
    one, effect = sorted(known, key=margin, reverse=farthest)[0]
    said = effect_sentence(one, effect)
    if len(pairs) == 1:
        return said
    if answer is Answer.YES:
        return f"{said} Of {len(pairs)} comparisons, which all agree, this is the closest."
    verb = "say no" if answer is Answer.NO else "leave it open"
    if len(deciding) == 1:
        verb = verb.replace("say", "says").replace("leave", "leaves")
    return f"{said} {len(deciding)} of {len(pairs)} comparisons {verb}."


def margin(pair: tuple[Comparison, Effect]) -> float:
    """How far a ratio is from the border of its region."""
    _, effect = pair
    return effect.region.margin(effect.ratio.estimate) if effect.ratio is not None else 0.0


def effect_sentence(one: Comparison, effect: Effect) -> str:
    """One comparison: the ratio, its interval, what the claim needs."""
    if effect.ratio is None:
        return f"Of {effect.label} there is no ratio: {effect.figures}."
    said = ratio_clause(one, ratio_text(effect.ratio.estimate), effect.figures)
    figures = f": medians {effect.figures}" if isinstance(one.under, Side) else ""
    return f"{said} {interval_text(effect.ratio)}{figures}{needed(effect)}."


def needed(effect: Effect) -> str:
    """Where the ratio would have to be."""
    return f"; a yes needs {effect.region.words}"


def ratio_clause(one: Comparison, ratio: str, figures: str) -> str:
    """Which engine has how many times what of another, and where."""
    title = one.over.measure.noun
    if not isinstance(one.under, Side):
        limit = readable(one.under, one.over.measure.kind) if one.over.measure.kind else ""
        found = f"{figures}, {ratio} times {limit}" if one.under != 1 else ratio
        return capitalised(f"{title}{where(one.over.levels)} is {found}")
    over, under = differing(one.over, one.under), differing(one.under, one.over)
    place = where(shared(one.over, one.under))
    if one.over.measure is not one.under.measure:
        verb = "are" if one.over.measure.title.endswith("s") else "is"
        return capitalised(f"{over}{place} {verb} {ratio} times {under}")
    if one.scale != 1:
        grown = f"{title} with {over} is {ratio} of what proportion to {under} would give"
        return capitalised(f"{grown}{place}")
    if over.startswith("`"):
        return f"{over} has {ratio} times the {title} of {under}{place}"
    apart = f",{place}" if place else ""
    return capitalised(f"{title} with {over} is {ratio} times that with {under}{apart}")
