"""The answer: what the numbers of a run allow to be said, in sentences, with intervals.

Three levels of x are put into words: few, medium, many. At each, subjects are compared by goodput,
server CPU per request and p99. The headline takes the criterion that the load model makes decisive.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.analysis.cells import OTHER_WORK_MAX
from serverlab.analysis.stages import stages_of
from serverlab.analysis.standings import ALL_CRITERIA, BY_GOODPUT, BY_P99
from serverlab.notation import difference, listed
from serverlab.report.advice import evidence_id
from serverlab.report.caveats import caveats
from serverlab.report.headline import headline, without_figures
from serverlab.report.other_work import other_cpus_busy, other_work
from serverlab.report.sentences import capitalised, sentence, shortened, span, together
from serverlab.report.trend import trends

if TYPE_CHECKING:
    from collections.abc import Sequence

    from serverlab.analysis.axes import Axes
    from serverlab.analysis.cells import Cell
    from serverlab.analysis.results import Results
    from serverlab.analysis.stages import Stage
    from serverlab.analysis.standings import Criterion, Standing
    from serverlab.analysis.subjects import Subjects


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelFindings:
    """What is found at one level of x."""

    heading: str
    sentences: tuple[tuple[str, str, str], ...]  # by criterion: its element, label and sentence
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelFindings:
    """What is found in one panel."""

    label: str
    shown: int  # the panel of the charts that it belongs to
    levels: tuple[LevelFindings, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """The answer of a run, what it rests on, and what limits it."""

    headline: str
    panels: tuple[PanelFindings, ...]
    caveats: tuple[str, ...]


def findings(shown: Results) -> Findings:
    """Put a run into words."""
    plan, compared = shown.run.plan, shown.compared
    axes = compared.axes
    stages = [stages_of(plan, compared, panel) for panel in range(len(axes.panels))]
    spots = [(panel, one) for panel, own in enumerate(stages) for one in own]
    said = (
        trends(compared) or headline(axes, spots),
        without_figures(axes, spots),
        other_work(shown.run.counted),
    )
    return Findings(
        headline=" ".join(filter(None, said)),
        panels=tuple(
            PanelFindings(
                label=axes.panels[panel].label,
                shown=shown.axes.panel_of(axes.panels[panel].levels),
                levels=tuple(
                    level_findings(axes, one, (panel, number)) for number, one in enumerate(own)
                ),
            )
            for panel, own in enumerate(stages)
        ),
        caveats=tuple(caveats(shown)),
    )


def level_findings(axes: Axes, one: Stage, place: tuple[int, int]) -> LevelFindings:
    """All that is said of one level; its place is that of its panel, and its own."""
    is_measured = any(cell.valid for cell in one.cells)
    return LevelFindings(
        heading=capitalised(axes.at(one.level)),
        sentences=tuple(
            (evidence_id(*place, criterion), *labelled(one, criterion))
            for criterion in dict.fromkeys((*one.asked, *ALL_CRITERIA))
            if is_measured and axes.subjects.have(criterion.measure)
        ),
        notes=tuple(notes(axes.subjects, one)),
    )


def labelled(one: Stage, criterion: Criterion) -> tuple[str, str]:
    """A criterion's sentence under a label that says what it is worth here."""
    found = one.standings[criterion.measure.name]
    if criterion == BY_GOODPUT and one.is_closed:
        label = "Goodput (closed loop: peak throughput)"
        if one.generator_bound and found.leaders:
            return label, not_ranked(one, found)
        return label, sentence(found)
    if criterion == BY_P99 and one.is_closed:
        return "p99 latency (closed loop: no verdict on latency)", sentence(found)
    return criterion.measure.title, sentence(found)


def not_ranked(one: Stage, found: Standing) -> str:
    """Goodput where it says as much of the generator as of the server."""
    figures = span((*found.leaders, *found.others), BY_GOODPUT)
    named = names(one.generator_bound)
    return (
        f"Not ranked, {figures}: with {named} the generator was saturated and the server was not. "
        "Compare server CPU per request."
    )


def notes(subjects: Subjects, one: Stage) -> list[str]:
    """What else one must know of this level."""
    said = []
    floors = [
        f"{found.criterion.noun} {difference(found.floor)}"
        for found in one.standings.values()
        if 1 < found.floor < math.inf
    ]
    if floors:
        pair = f"`{subjects.twin}` against `{subjects.baseline}`"
        said.append(f"Noise floor, {pair}: {', '.join(floors)}.")
    contenders = [cell for cell in one.cells if cell.valid and cell.subject != subjects.twin]
    waiting = [cell for cell in contenders if cell.limit == "neither"]
    if waiting and one.is_closed:
        named = together(waiting, subjects) if waiting == contenders else names(waiting)
        said.append(f"With {named} neither CPU was saturated: {limits_of_waiting(waiting)}.")
    said.extend(order(one))
    said.extend(absences(subjects, one))
    return said


def limits_of_waiting(waiting: Sequence[Cell]) -> str:
    """What limits the goodput where both sides had CPU time to spare."""
    busy = other_cpus_busy([trial for cell in waiting for trial in cell.valid])
    if busy is None:
        return "waiting limits the goodput, or other work"
    if busy < OTHER_WORK_MAX:
        return "waiting limits the goodput"
    return f"other work, which kept {busy:.2f} CPUs busy, or waiting limits the goodput"


def order(one: Stage) -> list[str]:
    """All subjects by the decisive criterion, with the ranks that ties share."""
    found = one.decision
    if len(found.groups) < 2:
        return []
    places = []
    for group in found.groups:
        ranks = dict.fromkeys((str(group.first), str(group.last)))
        members = listed([f"`{cell.subject}`" for cell in group.members])
        places.append(f"{'–'.join(ranks)} {members}")
    ties = ", tied where a chain of pairs cannot be told apart" if one.has_ties else ""
    return [f"In order of {found.criterion.noun}{ties}: {'; '.join(places)}."]


def absences(subjects: Subjects, one: Stage) -> list[str]:
    """Subjects that are not part of the comparison, each with its verdict."""
    missing = [cell for cell in one.cells if not cell.valid]
    said = []
    if missing:
        named = listed(shortened([f"`{cell.subject}` ({cell.verdict})" for cell in missing]))
        said.append(f"Without a valid trial here: {named}.")
    if subjects.baseline in [cell.subject for cell in missing] and len(missing) < len(one.cells):
        said.append(f"So nothing is compared with the baseline `{subjects.baseline}` here.")
    return said


def names(cells: Sequence[Cell]) -> str:
    """Some subjects by name."""
    return listed(shortened([f"`{cell.subject}`" for cell in cells]))
