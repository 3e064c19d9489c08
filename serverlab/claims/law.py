"""Published figures against a law or against one another: arithmetic, which needs no run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.claims.finding import Effect, Finding
from serverlab.claims.verdict import Verdict
from serverlab.notation import ratio_text
from serverlab.stats.paired import Ratio

if TYPE_CHECKING:
    from serverlab.claims.evidence import Evidence, Side
    from serverlab.claims.region import Region


@dataclass(frozen=True, slots=True, kw_only=True)
class Law:
    """A published figure, and what it is to be compared with."""

    what: str  # "the 184.96 requests/s of pre-created threads"
    value: float
    reference: str  # "the 94.2 requests/s that Little's law allows 1000 clients"
    limit: float  # in the unit of the value
    region: Region

    @property
    def ratios(self) -> int:
        """It asks a run for none."""
        return 0

    @property
    def sides(self) -> list[Side]:
        """It reads nothing of a run."""
        return []

    def judge(self, evidence: Evidence | None) -> Finding:  # noqa: ARG002 - it needs none
        """Whether the published figures agree with one another."""
        exact = self.value / self.limit
        ratio = Ratio(estimate=exact, low=exact, high=exact, pairs=1)
        verdict = self.region.verdict(ratio)
        effect = Effect(
            label=f"{self.what}, over {self.reference}",
            region=self.region,
            ratio=ratio,
            jointly=ratio,
            published=exact,
            figures="arithmetic on published figures",
        )
        needs = "as the claim needs" if verdict is Verdict.REPRODUCED else "the claim needs"
        return Finding(
            verdict=verdict,
            sentence=(
                f"By arithmetic {self.what} are {ratio_text(exact)} times "
                f"{self.reference}; {needs} {self.region.words}."
            ),
            effects=(effect,),
        )
