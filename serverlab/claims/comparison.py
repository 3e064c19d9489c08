"""A ratio of two figures of a run, and the region in which it lies if the claim is true."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.claims.evidence import NoEvidenceError, Side, by_server_cpu
from serverlab.claims.finding import Effect
from serverlab.claims.words import label
from serverlab.measures import GOODPUT

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

        The side that needs less CPU can serve more with it: the sides change places.
        """
        if not isinstance(self.under, Side) or self.over.measure is not GOODPUT:
            return None
        return dataclasses.replace(
            self, over=by_server_cpu(self.under), under=by_server_cpu(self.over)
        )


def scaled(ratio: Ratio, factor: float) -> Ratio:
    """A ratio and its interval times a factor."""
    return dataclasses.replace(
        ratio,
        estimate=ratio.estimate * factor,
        low=ratio.low * factor,
        high=ratio.high * factor,
    )
