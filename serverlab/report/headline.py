"""The answer in a few sentences: one for each measure and set of leaders, with their levels."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from serverlab.notation import listed
from serverlab.report.sentences import capitalised, clause, together, who_leads

if TYPE_CHECKING:
    from collections.abc import Sequence

    from serverlab.analysis.axes import Axes
    from serverlab.analysis.stages import Stage
    from serverlab.analysis.standings import Criterion
    from serverlab.quantities import Level


def headline(axes: Axes, stages: Sequence[Stage]) -> str:
    """One sentence for each measure and set of leaders, with the levels at which they lead."""
    groups: dict[tuple[Criterion, tuple[str, ...], bool], list[Stage]] = {}
    for criterion in dict.fromkeys(one for place in stages for one in place.spoken_of):
        for one in stages:
            if criterion in one.spoken_of:
                found = one.standings[criterion.measure.name]
                leaders = tuple(cell.engine for cell in found.leaders)
                groups.setdefault((criterion, leaders, bool(found.others)), []).append(one)
    return " ".join(
        headline_sentence(axes, group, criterion) for (criterion, *_), group in groups.items()
    )


def headline_sentence(axes: Axes, stages: Sequence[Stage], criterion: Criterion) -> str:
    """What holds at all of these levels."""
    standings = [one.standings[criterion.measure.name] for one in stages]
    found = standings[0]
    where = axes.at(*(one.level for one in stages))
    if not found.leaders:
        return capitalised(f"{where} {nothing(stages, criterion)}.".strip())
    if not found.others and len(found.leaders) > 1:
        who = together(found.leaders)
        return capitalised(
            f"{where} {who} are not distinguishable in {found.criterion.noun}.".strip()
        )
    if not found.others:
        figures = [
            f"{clause(own)} {axes.at(one.level)}".strip()
            for own, one in zip(standings, stages, strict=True)
        ]
        return (
            f"Only {who_leads(found)} has valid trials, with a {found.criterion.noun} of "
            f"{listed(figures)}."
        )
    levels_of: dict[str, list[Level | None]] = {}
    for own, one in zip(standings, stages, strict=True):
        levels_of.setdefault(clause(own), []).append(one.level)
    spots = [f"{axes.at(*levels)} ({figures})".strip() for figures, levels in levels_of.items()]
    verb = "has" if len(found.leaders) == 1 else "share"
    return f"{who_leads(found)} {verb} {found.criterion.superlative} {listed(spots)}."


def nothing(stages: Sequence[Stage], criterion: Criterion) -> str:
    """Why there is nothing to compare, by the most frequent reason."""
    trials = [trial for one in stages for cell in one.cells for trial in cell.trials]
    if any(trial.is_valid for trial in trials):
        return f"the {criterion.noun} is not known"
    if not trials:
        return "no trial has been run"
    [(verdict, times)] = Counter(trial.verdict.name for trial in trials).most_common(1)
    reason = next(trial.verdict.reason for trial in trials if trial.verdict.name == verdict)
    return f"no engine has a valid trial: {times} of {len(trials)} are {verdict} ({reason})"
