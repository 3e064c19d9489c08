"""Whether a server serves those connections more that were connected first."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.analysis.request_curves import FOLDER, log_of, requests_of
from serverlab.claims.answer import together
from serverlab.claims.evidence import NoEvidenceError, accepted, why_absent
from serverlab.claims.finding import Effect, Finding
from serverlab.claims.sentences import needed
from serverlab.claims.words import interval_text, where
from serverlab.notation import ratio_text
from serverlab.report.sentences import capitalised
from serverlab.stats.paired import ALARM, pairing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from serverlab.claims.evidence import Evidence, Side
    from serverlab.claims.region import Region

SHARE = 0.01  # of the connections: the first hundredth


@dataclass(frozen=True, slots=True, kw_only=True)
class Early:
    """Requests of the first hundredth of the connections over those of the one in the middle.

    Not over the average: connections that come last have the server to themselves in the end, and a
    few of them raise it.
    """

    checked: tuple[Side, ...]  # of any measure of evenness: it says which trials count
    region: Region

    @property
    def ratios(self) -> int:
        """One a server."""
        return len(self.checked)

    @property
    def sides(self) -> list[Side]:
        """The cells whose logs are read."""
        return list(self.checked)

    @property
    def regions(self) -> list[Region]:
        """The same for each."""
        return [self.region] * len(self.checked)

    def judge(self, evidence: Evidence) -> Finding:
        """Each server by itself; all have to lie in the region."""
        effects = [self.effect(side, evidence) for side in self.checked]
        answer = together(effect.answer for effect in effects)
        deciding = next(effect for effect in effects if effect.answer is answer)
        return Finding(answer=answer, sentence=sentence(deciding), effects=tuple(effects))

    def effect(self, side: Side, evidence: Evidence) -> Effect:
        """One server's ratio over its blocks."""
        label = (
            "requests of the first hundredth of the connections over those of the one in the middle"
            f"{where(side.levels)}"
        )
        try:
            shares = early_shares(side, evidence)
        except NoEvidenceError as error:
            ratio = jointly = None
            figures = str(error)
        else:
            over_one = pairing(shares, [1.0] * len(shares))
            ratio, jointly = over_one.ratio(), over_one.ratio(alarm=ALARM / evidence.ratios)
            figures = f"{len(shares)} trials"
        return Effect(
            label=label,
            region=self.region,
            ratio=ratio,
            jointly=jointly,
            published=None,
            figures=figures,
        )


def sentence(effect: Effect) -> str:
    """What was found of one server."""
    if effect.ratio is None:
        return f"There are no {effect.label}: {effect.figures}."
    found = f"{ratio_text(effect.ratio.estimate)} {interval_text(effect.ratio)}"
    return f"{capitalised(effect.label)} are {found}{needed(effect)}."


def early_shares(side: Side, evidence: Evidence) -> list[float]:
    """The ratio in each trial that counts and has a log. Raises NoEvidenceError if none has."""
    folder = evidence.shown.run.folder / FOLDER
    cell = evidence.cell(side)
    logs = [log_of(folder, trial) for trial in accepted(cell, side.measure)]
    shares = [early_share(requests_of(log)) for log in logs if log.exists()]
    if not shares:
        raise NoEvidenceError("no trial has a log" if logs else why_absent(cell, side.measure))
    return shares


def early_share(requests: Sequence[int]) -> float:
    """The mean of the first ones over the median of all. Raises NoEvidenceError without replies."""
    first = requests[: max(1, round(SHARE * len(requests)))]
    middle = statistics.median(requests)
    if sum(first) == 0 or middle == 0:
        raise NoEvidenceError("the first hundredth, or the one in the middle, had no reply")
    return sum(first) / len(first) / middle
