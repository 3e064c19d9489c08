"""Whether the curve of a search confirms its answer.

A load of the curve contradicts a goal's answer if it is no higher than the rate that was settled
as kept and does not keep the goal, or no lower than the one that was settled as not kept and keeps
it. One disturbed trial is no contradiction: the load is repeated, and most of its trials decide.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.notation import count
from serverlab.search.goals import Outcome, judge

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from serverlab.records import Trial
    from serverlab.search.goals import Goal
    from serverlab.search.steps import Found

OF_THE_SERVER = {Outcome.KEPT, Outcome.BROKEN}


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """What the trials of a load of the curve say of an answer."""

    rate_per_s: float
    expected: Outcome  # by the answer
    agreeing: int
    contradicting: int

    @property
    def trials(self) -> int:
        """Those that say something of the server."""
        return self.agreeing + self.contradicting

    @property
    def is_in_doubt(self) -> bool:
        """Whether another trial could show that this one was disturbed."""
        return self.contradicting > 0 and self.contradicting >= self.agreeing

    @property
    def contradicts(self) -> bool:
        """Whether most of the trials do."""
        return self.contradicting > self.agreeing


def checks(loads: Mapping[float, Sequence[Trial]], goal: Goal, found: Found) -> dict[float, Check]:
    """Of each load that an answer says something of, by its share: what its trials say.

    `loads` are the trials of the curve by their shares.
    """
    checked = {}
    for share, trials in loads.items():
        rate_per_s = float(trials[0].cell["rate"])
        if (expected := expected_at(rate_per_s, found)) is None:
            continue
        outcomes = [judge(trial, goal)[0] for trial in trials]
        checked[share] = Check(
            rate_per_s=rate_per_s,
            expected=expected,
            agreeing=outcomes.count(expected),
            contradicting=sum(one in OF_THE_SERVER - {expected} for one in outcomes),
        )
    return checked


def expected_at(rate_per_s: float, found: Found) -> Outcome | None:
    """What an answer expects at a rate; None between its two sides, and where there is none."""
    if found.kept is not None and rate_per_s <= found.kept.rate_per_s:
        return Outcome.KEPT
    if found.broken is not None and rate_per_s >= found.broken.rate_per_s:
        return Outcome.BROKEN
    return None


def sentence(checked: Sequence[Check]) -> str:
    """Whether the curve confirms the answer; empty if it says nothing of it."""
    if not any(check.trials for check in checked):
        return ""
    against = [check for check in checked if check.contradicts]
    if not against:
        return "The curve confirms it."
    said = [
        f"{check.contradicting} of {check.trials} trials at {count(round(check.rate_per_s))}/s, "
        + ("no higher, did not keep it" if check.expected is Outcome.KEPT else "higher, kept it")
        for check in against
    ]
    return (
        f"The curve contradicts it: {'; '.join(said)}. The machine was not the same all the time: "
        "search again, with a longer --duration or more --repeats."
    )
