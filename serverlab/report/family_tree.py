"""The engines as a tree: each beside its neighbour, with what their one difference is worth.

On each edge, at few, medium and many of x: the engine's figure over its neighbour's, in the same
blocks, with the interval.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.analysis.stages import stages_of
from serverlab.analysis.standings import BY_GOODPUT, BY_SERVER_CPU
from serverlab.notation import ratio_text
from serverlab.report.sentences import capitalised

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from serverlab.analysis.cells import Cell
    from serverlab.analysis.stages import Stage
    from serverlab.analysis.standings import Criterion
    from serverlab.analysis.view import View
    from serverlab.records import Kin, Plan

CRITERIA = (BY_GOODPUT, BY_SERVER_CPU)


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """What the difference is worth by one criterion at one level; empty where it is not known."""

    ratio: str = ""
    interval: str = ""  # of several blocks
    judgement: str = ""  # better, worse, alike


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """An engine, where it hangs, and its edge to its neighbour."""

    lines: str  # drawn before its name, such as "│  └─ "
    engine: str
    difference: str
    edges: tuple[Edge, ...]  # by level, and within it by criterion; none for a root


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyTree:
    """The tree of one panel, its branches from the roots downwards."""

    headings: tuple[str, ...]  # of the levels
    criteria: tuple[str, ...]  # the same under each level
    branches: tuple[Branch, ...]


def family_trees(plan: Plan, compared: View) -> list[FamilyTree]:
    """A tree for each panel; none if no engine of the run has its neighbour beside it."""
    axes = compared.axes
    if not plan.family or not axes.subjects.are_engines:
        return []
    trees = []
    for place in range(len(axes.panels)):
        stages = stages_of(plan, compared, place)
        engines = [str(name) for name in plan.factors.get("engine", []) if name != plan.twin]
        trees.append(
            FamilyTree(
                headings=tuple(capitalised(axes.at(one.level)) for one in stages),
                criteria=tuple(criterion.noun for criterion in CRITERIA),
                branches=tuple(
                    Branch(
                        lines=lines,
                        engine=engine,
                        difference=plan.family[engine].difference if engine in plan.family else "",
                        edges=tuple(edges(engine, plan.family, stages)),
                    )
                    for lines, engine in drawn(engines, plan.family)
                ),
            )
        )
    return trees


def drawn(
    engines: Sequence[str], family: Mapping[str, Kin], above: str | None = None, margin: str = ""
) -> Iterator[tuple[str, str]]:
    """Each engine below `above` with the lines before it, depth first."""
    below = [name for name in engines if neighbour_of(name, family) == above]
    for name in below:
        is_last = name == below[-1]
        if above is None:
            yield "", name
            yield from drawn(engines, family, name)
        else:
            yield margin + ("└─ " if is_last else "├─ "), name
            yield from drawn(engines, family, name, margin + ("   " if is_last else "│  "))


def neighbour_of(engine: str, family: Mapping[str, Kin]) -> str | None:
    """The engine that it is compared with; None for a root."""
    return family[engine].neighbour if engine in family else None


def edges(engine: str, family: Mapping[str, Kin], stages: Sequence[Stage]) -> Iterator[Edge]:
    """The edges between an engine and its neighbour; none for a root."""
    neighbour = neighbour_of(engine, family)
    if neighbour is None:
        return
    for one in stages:
        cells = {cell.subject: cell for cell in one.cells}
        for criterion in CRITERIA:
            yield edge(one, criterion, cells.get(engine), cells.get(neighbour))


def edge(one: Stage, criterion: Criterion, cell: Cell | None, other: Cell | None) -> Edge:
    """What the difference is worth here, and whether that is beyond doubt."""
    standing = one.standings[criterion.measure.name]
    measured = (*standing.leaders, *standing.others)
    if cell is None or other is None or cell not in measured or other not in measured:
        return Edge()
    ratio = standing.ratio(cell, other)
    if ratio is None:
        return Edge()
    if standing.beats(cell, other):
        judgement = "better"
    elif standing.beats(other, cell):
        judgement = "worse"
    else:
        judgement = "alike"
    ends = f"{ratio_text(ratio.low)} to {ratio_text(ratio.high)}" if ratio.high < math.inf else ""
    return Edge(
        ratio=ratio_text(ratio.estimate),
        interval=ends,
        judgement=judgement,
    )
