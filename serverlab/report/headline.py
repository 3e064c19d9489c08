"""The answer in one or two sentences: one for each set of leaders, with the levels they lead at."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from serverlab.notation import listed
from serverlab.report.sentences import capitalised, clause, together, who_leads

if TYPE_CHECKING:
    from collections.abc import Sequence

    from serverlab.analysis.axes import Axes
    from serverlab.analysis.stages import Stage
    from serverlab.quantities import Level


def headline(axes: Axes, stages: Sequence[Stage]) -> str:
    """One sentence for each set of leaders, with the levels at which they lead."""
    groups: dict[tuple[str, tuple[str, ...], bool], list[Stage]] = {}
    for one in stages:
        found = one.decision
        leaders = tuple(cell.engine for cell in found.leaders)
        groups.setdefault((found.criterion.noun, leaders, bool(found.others)), []).append(one)
    return " ".join(headline_sentence(axes, group) for group in groups.values())


def headline_sentence(axes: Axes, stages: Sequence[Stage]) -> str:
    """What holds at all of these levels."""
    found = stages[0].decision
    where = axes.at(*(one.level for one in stages))
    if not found.leaders:
        return capitalised(f"{where} {nothing(stages)}.".strip())
    if not found.others and len(found.leaders) > 1:
        who = together(found.leaders)
        return capitalised(
            f"{where} {who} are not distinguishable in {found.criterion.noun}.".strip()
        )
    if not found.others:
        figures = [f"{clause(one.decision)} {axes.at(one.level)}".strip() for one in stages]
        return (
            f"Only {who_leads(found)} has valid trials, with a {found.criterion.noun} of "
            f"{listed(figures)}."
        )
    levels_of: dict[str, list[Level | None]] = {}
    for one in stages:
        levels_of.setdefault(clause(one.decision), []).append(one.level)
    spots = [f"{axes.at(*levels)} ({figures})".strip() for figures, levels in levels_of.items()]
    verb = "has" if len(found.leaders) == 1 else "share"
    return f"{who_leads(found)} {verb} {found.criterion.superlative} {listed(spots)}."


def nothing(stages: Sequence[Stage]) -> str:
    """Why there is nothing to compare, by the most frequent reason."""
    trials = [trial for one in stages for cell in one.cells for trial in cell.trials]
    if any(trial.is_valid for trial in trials):
        return f"the {stages[0].decisive.noun} is not known"
    if not trials:
        return "no trial has been run"
    [(verdict, times)] = Counter(trial.verdict.name for trial in trials).most_common(1)
    reason = next(trial.verdict.reason for trial in trials if trial.verdict.name == verdict)
    return f"no engine has a valid trial: {times} of {len(trials)} are {verdict} ({reason})"
