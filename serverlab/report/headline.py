"""The answer in a few sentences: one for each measure and set of leaders, with their levels."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from serverlab.analysis.cells import why_absent
from serverlab.analysis.comparisons import is_too_noisy
from serverlab.analysis.stages import Stage
from serverlab.notation import listed
from serverlab.report.other_work import noise_words
from serverlab.report.places import places_text
from serverlab.report.sentences import (
    capitalised,
    clause,
    leading_names,
    shortened,
    together,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from serverlab.analysis.axes import Axes
    from serverlab.analysis.cells import Cell
    from serverlab.analysis.standings import Criterion, Standing


FIGURES_MAX = 3  # of levels; more are given as a range, and so are those of panels
Spot = tuple[int, Stage]  # a panel, and one of its levels


def headline(axes: Axes, spots: Sequence[Spot]) -> str:
    """One sentence for each measure and set of leaders, with the places where they lead."""
    groups: dict[tuple[Criterion, tuple[str, ...], bool], list[Spot]] = {}
    for criterion in dict.fromkeys(asked for _, one in spots for asked in one.spoken_of):
        for panel, one in spots:
            if criterion in one.spoken_of:
                found = one.standings[criterion.measure.name]
                leaders = tuple(cell.subject for cell in found.leaders)
                key = criterion, leaders, bool(found.others)
                groups.setdefault(key, []).append((panel, one))
    return " ".join(
        headline_sentence(axes, group, criterion, panels_of(spots, criterion))
        for (criterion, *_), group in groups.items()
    )


def panels_of(spots: Sequence[Spot], criterion: Criterion) -> set[int]:
    """The panels in which a criterion is spoken of."""
    return {panel for panel, one in spots if criterion in one.spoken_of}


def headline_sentence(
    axes: Axes, spots: Sequence[Spot], criterion: Criterion, among: set[int]
) -> str:
    """What holds at all of these places, of those that are in the panels `among`."""

    def places(spots: Sequence[Spot]) -> str:
        return places_text(axes, [(panel, one.level) for panel, one in spots], among)

    standings = [one.standings[criterion.measure.name] for _, one in spots]
    found, where = standings[0], places(spots)
    if not found.leaders:
        reason = nothing([one for _, one in spots], criterion)
        return capitalised(f"{where} {reason}.".strip())
    if not found.others and len(found.leaders) > 1:
        subject = together(found.leaders, found.subjects)
        if are_too_noisy(standings):
            trials = [trial for _, one in spots for cell in one.cells for trial in cell.trials]
            return capitalised(
                f"{where} {found.criterion.noun} is too noisy to tell {subject} apart: "
                f"{noise_words(trials)}.".strip()
            )
        return capitalised(
            f"{where} {subject} are not distinguishable in {found.criterion.noun}.".strip()
        )
    if not found.others:
        figures = [
            f"{clause(own)} {places([spot])}".strip()
            for own, spot in zip(standings, spots, strict=True)
        ]
        return (
            f"Only {leading_names(found)} has valid trials, with a {found.criterion.noun} of "
            f"{listed(figures)}."
        )
    figures_at: dict[str, list[Spot]] = {}
    for own, spot in zip(standings, spots, strict=True):
        figures_at.setdefault(clause(own), []).append(spot)
    if len(figures_at) > (FIGURES_MAX if len(among) == 1 else 1):
        figures_at = {clause(*standings): list(spots)}
    held = [f"{places(own)} ({figures})".strip() for figures, own in figures_at.items()]
    verb = "has" if len(found.leaders) == 1 else "share"
    return f"{leading_names(found)} {verb} {found.criterion.superlative} {listed(held)}."


def are_too_noisy(standings: Sequence[Standing]) -> bool:
    """Whether no ratio to the baseline says anything, of some levels with intervals."""
    ratios = [
        ratio
        for found in standings
        if found.baseline is not None
        for cell in found.leaders
        if (ratio := found.ratio(cell, found.baseline)) is not None
    ]
    return bool(ratios) and all(
        math.isfinite(ratio.half_width) and is_too_noisy(ratio.low, ratio.high) for ratio in ratios
    )


def without_figures(axes: Axes, spots: Sequence[Spot]) -> str:
    """The subjects that have no valid trial where others have one, with their verdicts."""
    groups: dict[tuple[str, str], list[Spot]] = {}
    for panel, one in spots:
        if any(cell.valid for cell in one.cells):
            for cell in one.cells:
                if is_without_figure(cell, one) and cell.subject != axes.subjects.twin:
                    groups.setdefault((cell.subject, cell.verdict), []).append((panel, one))
    among = {panel for panel, _ in spots}
    alike: dict[str, list[str]] = {}  # of one verdict at the same levels
    for (subject, verdict), own in groups.items():
        everywhere = len(own) == len(spots)
        places = places_text(axes, [(panel, one.level) for panel, one in own], among)
        why = f"({verdict}{'' if everywhere else f', {places}'})"
        alike.setdefault(why, []).append(f"`{subject}`")
    said = [f"{listed(subjects)} {why}" for why, subjects in alike.items()]
    return f"Without a valid trial: {listed(shortened(said))}." if said else ""


def is_without_figure(cell: Cell, one: Stage) -> bool:
    """Whether it was run, and nothing that the answer speaks of is known of it."""
    known = any(criterion.measure.name in cell.figures for criterion in one.spoken_of)
    return bool(cell.trials) and not cell.valid and not known


def nothing(stages: Sequence[Stage], criterion: Criterion) -> str:
    """Why there is nothing to compare, by the most frequent reason."""
    trials = [trial for one in stages for cell in one.cells for trial in cell.trials]
    if not trials:
        return "no trial has been run"
    reasons = Counter(
        why_absent(cell, criterion.measure) for one in stages for cell in one.cells if cell.trials
    )
    [(reason, _)] = reasons.most_common(1)
    if any(trial.is_valid for trial in trials) or criterion.measure.is_latency:
        return f"nothing is known of the {criterion.noun}: {reason}"
    [(verdict, times)] = Counter(trial.verdict.name for trial in trials).most_common(1)
    reason = next(trial.verdict.reason for trial in trials if trial.verdict.name == verdict)
    return f"no trial is valid: {times} of {len(trials)} are {verdict} ({reason})"
