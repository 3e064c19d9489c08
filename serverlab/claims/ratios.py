"""Ratios of a run's figures, each with the region in which it lies if the claim is true.

All of them have to lie there; one that lies elsewhere contradicts the claim.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.claims.evidence import Side
from serverlab.claims.finding import Finding
from serverlab.claims.sentences import deciding_sentence
from serverlab.claims.verdict import Verdict, together

if TYPE_CHECKING:
    from serverlab.claims.comparison import Comparison
    from serverlab.claims.evidence import Evidence
    from serverlab.claims.finding import Effect


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

    def judge(self, evidence: Evidence | None) -> Finding:
        """The verdict of all together, with the sentence of the one that decides it."""
        assert evidence is not None, "ratios are of a run"
        pairs = [decided(one, evidence) for one in self.comparisons]
        verdict = together(effect.verdict for _, effect in pairs)
        return Finding(
            verdict=verdict,
            sentence=deciding_sentence(pairs, verdict),
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
    if effect.verdict is Verdict.UNDECIDED and instead is not None and is_hidden:
        return instead, instead.effect(evidence)
    return one, effect
