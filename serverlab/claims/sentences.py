"""A comparison in words: what it is of, and what was found of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serverlab.claims.evidence import Side
from serverlab.claims.verdict import Verdict
from serverlab.claims.words import differing, interval_text, levels_words, noun, shared, where
from serverlab.report.notation import ratio_text
from serverlab.report.sentences import capitalised

if TYPE_CHECKING:
    from collections.abc import Sequence

    from serverlab.claims.ratios import Comparison
    from serverlab.claims.verdict import Effect

BY_PROPORTION = "of what proportion would give"


def label(over: Side, under: Side | float) -> str:
    """Two sides in a few words: "`poll` over `threads` at 64 connections"."""
    if not isinstance(under, Side):
        return levels_words(over.levels)
    return f"{differing(over, under)} over {differing(under, over)}{where(shared(over, under))}"


def deciding_sentence(pairs: Sequence[tuple[Comparison, Effect]], verdict: Verdict) -> str:
    """The sentence of the comparison that decides, and how many others agree with it.

    What is reproduced hangs on the ratio nearest to its border, what is not on the farthest.
    """
    deciding = [pair for pair in pairs if pair[1].verdict is verdict]
    known = [pair for pair in deciding if pair[1].ratio is not None] or deciding
    farthest = verdict is Verdict.CONTRADICTED
    one, effect = sorted(known, key=margin, reverse=farthest)[0]
    said = effect_sentence(one, effect)
    if len(pairs) == 1:
        return said
    if verdict is Verdict.REPRODUCED:
        return f"{said} So it is in all {len(pairs)} comparisons; this is the nearest to failing."
    return f"{said} So it is in {len(deciding)} of {len(pairs)} comparisons."


def margin(pair: tuple[Comparison, Effect]) -> float:
    """How far a ratio is from the border of its region."""
    _, effect = pair
    return effect.region.margin(effect.ratio.estimate) if effect.ratio is not None else 0.0


def effect_sentence(one: Comparison, effect: Effect) -> str:
    """One comparison: the ratio, its interval, what the claim needs."""
    if effect.ratio is None:
        return f"Of {effect.label} there is no ratio: {effect.figures}."
    ratio = f"{ratio_text(effect.ratio.estimate)}"
    needs = f"{interval_text(effect.ratio)}; the claim needs {effect.region.words}."
    if not isinstance(one.under, Side):
        title = noun(one.over.measure.title)
        return f"{capitalised(title)} is {ratio} with {effect.label} {needs}"
    what = f"times the {noun(one.over.measure.title)} of"
    if one.scale != 1:
        what = f"{BY_PROPORTION} from"
    if one.over.measure is not one.under.measure:
        what = "times"
    over, under = differing(one.over, one.under), differing(one.under, one.over)
    place = where(shared(one.over, one.under))
    verb = "has" if over.startswith("`") else "is" if what == "times" else "have"
    return f"{capitalised(over)} {verb} {ratio} {what} {under}{place} {needs}"
