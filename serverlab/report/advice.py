"""The decision table: what to choose, for few, medium and many, by what one cares about.

A cell names the subjects that no other one beats at its level, by the verdicts of the answer: where
several stand in it they are tied, in the plan's order. It leads to the sentence with the ratios.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.analysis.axes import COUNTED
from serverlab.analysis.stages import stages_of
from serverlab.analysis.standings import ALL_CRITERIA, BY_GOODPUT, BY_P99
from serverlab.notation import listed
from serverlab.report.sentences import capitalised, shortened, span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from serverlab.analysis.cells import Cell
    from serverlab.analysis.stages import Stage
    from serverlab.analysis.standings import Criterion
    from serverlab.analysis.view import View
    from serverlab.records import Plan

OPEN = {"open", "open-bounded"}  # models whose goodput says nothing of the server
AMOUNTS = {1: ("",), 2: ("few", "many"), 3: ("few", "medium", "many")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What to choose by one criterion, or why nothing is named."""

    subjects: str  # names in backticks; empty if none is named
    remark: str  # beside the names: tied, alone, their figures; or the reason
    evidence: str  # the element of the page that proves it


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One situation."""

    place: int  # of its panel
    panel: str  # the levels of the other factors; empty if there are none
    situation: str
    choices: tuple[Choice, ...]  # by criterion
    overall: str  # the subjects among the best by each criterion that has a verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """The table."""

    title: str
    plural: str  # what is chosen from
    head: tuple[str, ...]
    rows: tuple[Row, ...]


def advice(plan: Plan, compared: View) -> Advice | None:
    """The table of a run; None if it compares nothing, or classes: one does not choose a class."""
    axes, twin = compared.axes, compared.axes.subjects.twin
    names = {cell.subject for cell in compared.cells if cell.subject != twin}
    if len(names) < 2 or axes.subjects.are_classes:
        return None
    rows = []
    for panel, shown in enumerate(axes.panels):
        stages = stages_of(plan, compared, panel)
        for place, one in enumerate(stages):
            amount = AMOUNTS[len(stages)][place] if axes.factor in COUNTED else ""
            rows.append(
                Row(
                    place=panel,
                    panel=shown.label,
                    situation=situation(amount, axes.at(one.level)),
                    choices=tuple(
                        choice(one, criterion, evidence_id(panel, place, criterion))
                        for criterion in ALL_CRITERIA
                    ),
                    overall=overall(one),
                )
            )
    kind = f"{axes.subjects.plural.removesuffix('s')} " if axes.subjects.are_engines else ""
    return Advice(
        title=f"Which {kind}to choose",
        plural=axes.subjects.plural,
        head=tuple(criterion.measure.title for criterion in ALL_CRITERIA),
        rows=tuple(rows),
    )


def situation(amount: str, where: str) -> str:
    """Words for a level: "Few: 1 connection", "At payload 64 B"."""
    if not amount:
        return capitalised(where) or "everywhere"
    return f"{capitalised(amount)}: {where.removeprefix('at ')}"


def evidence_id(panel: int, level: int, criterion: Criterion) -> str:
    """The element that holds the sentence of a criterion, at one of the chosen levels."""
    return f"found-{panel}-{level}-{criterion.measure.name}"


def choice(one: Stage, criterion: Criterion, evidence: str) -> Choice:
    """What to choose by one criterion."""
    found = one.standings[criterion.measure.name]
    if not found.leaders:
        where = evidence if any(cell.valid for cell in one.cells) else "validity"
        return Choice(subjects="", remark="no valid figure", evidence=where)
    if reason := no_verdict(one, criterion):
        return Choice(subjects="", remark=reason, evidence=evidence)
    figures = span(found.leaders, criterion)
    if not found.others:
        if len(found.leaders) > 1:
            remark = f"all {len(found.leaders)} tied, {figures}"
            return Choice(subjects="", remark=remark, evidence=evidence)
        return Choice(subjects=named(found.leaders), remark=f"alone, {figures}", evidence=evidence)
    remark = f"tied, {figures}" if len(found.leaders) > 1 else figures
    return Choice(subjects=named(found.leaders), remark=remark, evidence=evidence)


def no_verdict(one: Stage, criterion: Criterion) -> str:
    """Why a criterion names no subject although there are figures; empty if it does."""
    if one.is_closed and criterion == BY_P99:
        return "closed loop: no verdict on latency"
    if one.is_closed and criterion == BY_GOODPUT and one.generator_bound:
        return "not ranked: the generator was saturated"
    models = {load.load.model for cell in one.cells for load in cell.loads}
    if criterion == BY_GOODPUT and models and models <= OPEN:
        return "open loop: what was asked for"
    return ""


def overall(one: Stage) -> str:
    """The subjects that no other beats by any criterion that tells some apart."""
    deciding = [
        found
        for criterion in ALL_CRITERIA
        if (found := one.standings[criterion.measure.name]).others
        and not no_verdict(one, criterion)
    ]
    if not deciding:
        return "all tied" if any(found.leaders for found in one.standings.values()) else "–"
    names = [{cell.subject for cell in found.leaders} for found in deciding]
    best = set.intersection(*names)
    return named([cell for cell in deciding[0].leaders if cell.subject in best]) or "none"


def named(cells: Sequence[Cell]) -> str:
    """Some subjects by name."""
    return listed(shortened([f"`{cell.subject}`" for cell in cells]))
