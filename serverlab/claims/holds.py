"""So many connections at once, all of them open and answered, or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.claims.evidence import NoEvidenceError
from serverlab.claims.finding import Finding
from serverlab.claims.verdict import Verdict
from serverlab.claims.words import levels_words
from serverlab.notation import listed
from serverlab.verdicts import NOT_RUN, VerdictName

if TYPE_CHECKING:
    from serverlab.claims.evidence import Evidence, Side


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

    def judge(self, evidence: Evidence | None) -> Finding:
        """One valid trial shows that all connections can be held; only failed ones, that not."""
        assert evidence is not None, "connections are of a run"
        seen = [held(side, evidence) for side in self.checked]
        return Finding(
            verdict=self.verdict([is_held for is_held, _ in seen]),
            sentence=f"{'; '.join(words for _, words in seen)}.",
        )

    def verdict(self, seen: list[bool | None]) -> Verdict:
        """None is not known."""
        if any(one is not None and one != self.is_held for one in seen):
            return Verdict.CONTRADICTED
        return Verdict.UNDECIDED if None in seen else Verdict.REPRODUCED


def held(side: Side, evidence: Evidence) -> tuple[bool | None, str]:
    """Whether an engine held its connections, and how one says so."""
    label = levels_words(side.levels)
    try:
        cell = evidence.cell(side)
    except NoEvidenceError as error:
        return None, f"{label}: {error}"
    if cell.valid:
        return True, f"{label}: all were open and answered"
    reasons = listed(sorted({trial.verdict.reason for trial in cell.trials}))
    if {trial.verdict.name for trial in cell.trials} <= {*NOT_RUN, VerdictName.FAILED}:
        return None, f"{label}: {cell.verdict}, {reasons}"
    return False, f"{label}: {cell.verdict}, {reasons}"
