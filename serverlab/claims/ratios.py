"""Ratios of a run's figures, each with the region in which it lies if the claim is true.

All of them have to lie there; one that lies elsewhere contradicts the claim.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.claims.evidence import NoEvidenceError, Side, by_server_cpu
from serverlab.claims.sentences import deciding_sentence, label
from serverlab.claims.verdict import Effect, Finding, Verdict, together
from serverlab.analysis.measures import GOODPUT

if TYPE_CHECKING:
    from serverlab.claims.evidence import Evidence
    from serverlab.claims.region import Region
    from serverlab.stats.paired import Ratio


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A ratio, and the region in which the claim has it."""

    over: Side
    under: Side | float  # a number: the figure itself is compared with it
    region: Region
    published: float | None = None  # the same ratio of the report's figures
    scale: float = 1  # what the ratio would be by proportion: it is divided by that

    def effect(self, evidence: Evidence) -> Effect:
        """What the run says of it."""
        try:
            found = evidence.ratio(self.over, self.under)
        except NoEvidenceError as error:
            return self.with_ratios(None, None, str(error))
        ratio, jointly = (scaled(one, 1 / self.scale) for one in (found.ratio, found.jointly))
        return self.with_ratios(ratio, jointly, found.figures)

    def with_ratios(self, ratio: Ratio | None, jointly: Ratio | None, figures: str) -> Effect:
        """An effect of this comparison."""
        return Effect(
            label=label(self.over, self.under),
            region=self.region,
            ratio=ratio,
            jointly=jointly,
            published=self.published,
            figures=figures,
        )

    def by_server_cpu(self) -> Comparison | None:
        """The same question to server CPU per request; None if it is not about goodput.

        Who needs less CPU can serve more with it: the sides change places.
        """
        if not isinstance(self.under, Side) or self.over.measure is not GOODPUT:
            return None
        return dataclasses.replace(
            self, over=by_server_cpu(self.under), under=by_server_cpu(self.over)
        )


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


def scaled(ratio: Ratio, factor: float) -> Ratio:
    """A ratio and its interval times a factor."""
    return dataclasses.replace(
        ratio,
        estimate=ratio.estimate * factor,
        low=ratio.low * factor,
        high=ratio.high * factor,
    )
