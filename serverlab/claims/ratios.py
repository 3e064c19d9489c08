"""Ratios of a run's figures, each with the region in which it lies if the claim is true.

All of them have to lie there; one that lies elsewhere makes the answer a no.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.claims.answer import Answer, together
from serverlab.claims.evidence import Side
from serverlab.claims.finding import Finding
from serverlab.claims.sentences import deciding_sentence

if TYPE_CHECKING:
    from serverlab.claims.comparison import Comparison
    from serverlab.claims.evidence import Evidence
    from serverlab.claims.finding import Effect
    from serverlab.claims.region import Region


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratios:
    """Comparisons all of which the claim needs."""

    comparisons: tuple[Comparison, ...]

    @property
    def ratios(self) -> int:
        """One a comparison."""
        return len(self.comparisons)

    @property
    def sides(self) -> list[Side]:
        """Both sides of each comparison."""
        both = [side for one in self.comparisons for side in (one.over, one.under)]
        return [side for side in both if isinstance(side, Side)]

    @property
    def regions(self) -> list[Region]:
        """One a comparison."""
        return [one.region for one in self.comparisons]

    def judge(self, evidence: Evidence) -> Finding:
        """The answer of all together, with the sentence of the one that decides it."""
        pairs = [decided(one, evidence) for one in self.comparisons]
        answer = together(effect.answer for _, effect in pairs)
        return Finding(
            answer=answer,
            sentence=deciding_sentence(pairs, answer),
            effects=tuple(effect for _, effect in pairs),
        )


def decided(one: Comparison, evidence: Evidence) -> tuple[Comparison, Effect]:
    """A comparison with its effect.

    Where the generator has hidden how much more a server could give, and the rest decides nothing,
    server CPU per request is asked instead.
    """
    effect, instead = one.effect(evidence), one.by_server_cpu()
    is_hidden = effect.ratio is not None and (
        effect.ratio.low == 0 or math.isinf(effect.ratio.high)
    )
    if effect.answer is Answer.UNDECIDED and instead is not None and is_hidden:
        return instead, instead.effect(evidence)
    return one, effect
