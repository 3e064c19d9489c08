"""Published figures against a law or against one another: arithmetic, which needs no run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.claims.finding import Finding
from serverlab.notation import ratio_text
from serverlab.stats.paired import Ratio

if TYPE_CHECKING:
    from serverlab.claims.region import Region


@dataclass(frozen=True, slots=True, kw_only=True)
class Law:
    """A published figure, and what it has to be compared with if the report is to be true."""

    asks: str  # a question that it answers by yes if what is published can be true
    what: str  # "the 184.96 requests/s of pre-created threads"
    value: float
    reference: str  # "the 94.2 requests/s that Little's law allows 1000 clients"
    limit: float  # in the unit of the value
    region: Region

    def judge(self) -> Finding:
        """Whether the published figures agree with one another."""
        exact = self.value / self.limit
        answer = self.region.answer(Ratio(estimate=exact, low=exact, high=exact, pairs=1))
        return Finding(
            answer=answer,
            sentence=(
                f"By arithmetic {self.what} are {ratio_text(exact)} times {self.reference}; if "
                f"what is published is true, it is {self.region.words}."
            ),
        )
