"""So many connections at once, all of them open and none of them failed, or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.claims.answer import Answer
from serverlab.claims.evidence import NoEvidenceError
from serverlab.claims.finding import Finding
from serverlab.claims.words import levels_words
from serverlab.notation import listed
from serverlab.verdicts import NOT_RUN, VerdictName

if TYPE_CHECKING:
    from serverlab.claims.evidence import Evidence, Side
    from serverlab.claims.region import Region


@dataclass(frozen=True, slots=True, kw_only=True)
class Holds:
    """What the claim says of some engines: that each holds so many, or that none does."""

    checked: tuple[Side, ...]
    is_held: bool = True

    @property
    def ratios(self) -> int:
        """It asks for none."""
        return 0

    @property
    def sides(self) -> list[Side]:
        """The cells that are looked at."""
        return list(self.checked)

    @property
    def regions(self) -> list[Region]:
        """None, as it has no ratio."""
        return []

    def judge(self, evidence: Evidence) -> Finding:
        """One valid trial shows that all connections can be held; only failed ones, that not."""
        seen = [held(side, evidence) for side in self.checked]
        return Finding(
            answer=self.answer([is_held for is_held, _ in seen]),
            sentence=f"{'; '.join(words for _, words in seen)}.",
        )

    def answer(self, seen: list[bool | None]) -> Answer:
        """None is not known."""
        if any(one is not None and one != self.is_held for one in seen):
            return Answer.NO
        return Answer.UNDECIDED if None in seen else Answer.YES


def held(side: Side, evidence: Evidence) -> tuple[bool | None, str]:
    """Whether an engine held its connections, and how one says so."""
    label = levels_words(side.levels)
    try:
        cell = evidence.cell(side)
    except NoEvidenceError as error:
        return None, f"{label}: {error}"
    if cell.valid:
        return True, f"{label}: all were open and answered"
    # To wait for longer than a window of some seconds is no failure.
    starved = [one for one in cell.trials if one.verdict.name == VerdictName.STARVED]
    if starved:
        return True, f"{label}: all were open, {starved[0].verdict.reason}"
    reasons = listed(sorted({trial.verdict.reason for trial in cell.trials}))
    if {trial.verdict.name for trial in cell.trials} <= {*NOT_RUN, VerdictName.FAILED}:
        return None, f"{label}: {cell.verdict}, {reasons}"
    return False, f"{label}: {cell.verdict}, {reasons}"
