"""Takes figures out of a run, and ratios with their intervals; says so where there are none."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from serverlab.analysis.cells import figure_of
from serverlab.analysis.pairs import in_turns
from serverlab.measures import GOODPUT, SERVER_CPU
from serverlab.notation import ratio_text, readable
from serverlab.stats.noise import NOTHING_KNOWN
from serverlab.stats.paired import ALARM, pairing, shared_noise
from serverlab.verdicts import VerdictName

if TYPE_CHECKING:
    from collections.abc import Mapping

    from serverlab.analysis.cells import Cell, Figure
    from serverlab.analysis.results import Results
    from serverlab.measure import Measure
    from serverlab.quantities import Level
    from serverlab.records import Trial
    from serverlab.stats.noise import Noise
    from serverlab.stats.paired import Pairing, Ratio


class NoEvidenceError(Exception):
    """Why a ratio cannot be had, as a sentence without its full stop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One figure of a run: a measure of the cell with these levels, the engine among them."""

    measure: Measure
    levels: Mapping[str, Level] = field(default_factory=dict)

    def at(self, **levels: Level) -> Side:
        """The same measure at other levels; `_` stands for the hyphens of a factor's name."""
        named = {name.replace("_", "-"): level for name, level in levels.items()}
        return dataclasses.replace(self, levels={**self.levels, **named})


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A ratio of two sides, and their figures in words."""

    ratio: Ratio
    jointly: Ratio  # wide enough that all ratios of a claim lie in theirs at once
    figures: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A run, seen by the levels of its cells."""

    shown: Results
    ratios: int = 1  # that the claim asks for, all told

    def among(self, ratios: int) -> Evidence:
        """The same run, asked for one of so many ratios."""
        return dataclasses.replace(self, ratios=max(1, ratios))

    def cell(self, side: Side) -> Cell:
        """The one cell with a side's levels that has a trial."""
        found = [
            cell
            for cell in self.shown.cells
            if cell.trials and side.levels.items() <= cell.trials[0].cell.items()
        ]
        if len(found) > 1:
            raise ValueError(f"{dict(side.levels)} name {len(found)} cells")
        if not found:
            raise NoEvidenceError("no trial has been run")
        return found[0]

    def ratio(self, over: Side, under: Side | float) -> Measured:
        """How two sides compare, or a side and a number.

        The interval is at least as wide as what the A/A pair differs by in the same place.

        Raises NoEvidenceError if they have no figures in a common block.
        """
        return Measured(
            ratio=self.interval(over, under, ALARM),
            jointly=self.interval(over, under, ALARM / self.ratios),
            figures=" and ".join(self.text(one) for one in (over, under) if isinstance(one, Side)),
        )

    def interval(self, over: Side, under: Side | float, alarm: float) -> Ratio:
        """A ratio with the interval that misses the truth in such a share of all cases."""
        if not isinstance(under, Side):
            by_block = self.by_block(over)
            return pairing(list(by_block.values()), [under] * len(by_block)).ratio(alarm=alarm)
        found = self.pairing(over, under).ratio(self.noise(over, under), alarm)
        found = self.censored(over, under, found)
        return widened(found, max(self.floor(over), self.floor(under)))

    def pairing(self, over: Side, under: Side) -> Pairing:
        """The two over their common blocks: by slices where both took turns."""
        if over.measure is under.measure:
            sliced = in_turns(self.cell(over), [self.cell(under)], over.measure)
            if sliced is not None:
                return sliced
        a, b = self.by_block(over), self.by_block(under)
        blocks = sorted(a.keys() & b.keys())
        if not blocks:
            raise NoEvidenceError("no block has a valid trial of both")
        return pairing([a[block] for block in blocks], [b[block] for block in blocks])

    def noise(self, over: Side, under: Side) -> Noise:
        """What all engines at the two's level know of the noise, where engines are compared."""
        engines = self.shown.run.plan.factors.get("engine", [])
        if over.measure is not under.measure or over.at(engine="") != under.at(engine=""):
            return NOTHING_KNOWN
        known = []
        for one, other in itertools.combinations(engines, 2):
            with contextlib.suppress(NoEvidenceError):
                known.append(self.pairing(over.at(engine=one), over.at(engine=other)))
        return shared_noise(known, len(engines))

    def by_block(self, side: Side) -> dict[int, float]:
        """A side's figure in each block that has a valid trial."""
        cell = self.cell(side)
        trials = accepted(cell, side.measure)
        figure = figure_of(trials, side.measure) if trials else None
        if figure is None:
            raise NoEvidenceError(why_absent(cell, side.measure))
        if figure.low <= 0:
            raise NoEvidenceError(f"{side.measure.title} was zero in a block")
        return figure.by_block

    def figure(self, side: Side) -> Figure:
        """A side's median over its blocks, and how far they reach.

        Raises NoEvidenceError if no block has one.
        """
        trials = accepted(self.cell(side), side.measure)
        figure = figure_of(trials, side.measure) if trials else None
        if figure is None:
            raise NoEvidenceError(why_absent(self.cell(side), side.measure))
        return figure

    def censored(self, over: Side, under: Side, found: Ratio) -> Ratio:
        """An end that the generator has hidden is open.

        Where the generator was the limit of a goodput, the server might have given more.
        """
        if over.measure is not GOODPUT or under.measure is not GOODPUT:
            return found
        hides = [self.cell(side).limit == "generator" for side in (over, under)]
        return dataclasses.replace(
            found, high=math.inf if hides[0] else found.high, low=0 if hides[1] else found.low
        )

    def floor(self, side: Side) -> float:
        """How far the A/A pair is apart at a side's other levels; 1 if there is none."""
        plan = self.shown.run.plan
        if plan.twin is None or "engine" not in side.levels:
            return 1.0
        pair = [side.at(engine=name) for name in (plan.twin, plan.baseline)]
        try:
            return self.pairing(*pair).ratio().distance
        except NoEvidenceError:
            return 1.0

    def text(self, side: Side) -> str:
        """A side's median over its blocks, in words."""
        figure = figure_of(accepted(self.cell(side), side.measure), side.measure)
        assert figure is not None, "its ratio was had"
        if not side.measure.kind:
            return ratio_text(figure.value)
        return readable(figure.value, side.measure.kind)


def widened(found: Ratio, floor: float) -> Ratio:
    """The same estimate, with an interval that reaches a factor to both sides at least."""
    return dataclasses.replace(
        found,
        low=min(found.low, found.estimate / floor),
        high=max(found.high, found.estimate * floor),
    )


def accepted(cell: Cell, measure: Measure) -> list[Trial]:
    """The trials whose figure a claim may use: also those in which connections starved.

    What was served, and how evenly, is known of them, and is what some claims are about. Their
    percentiles are not: the requests that waited from before the window do not take part.
    """
    names = (
        {VerdictName.VALID}
        if measure.share is not None
        else {VerdictName.VALID, VerdictName.STARVED}
    )
    return [trial for trial in cell.trials if trial.verdict.name in names]


def why_absent(cell: Cell, measure: Measure) -> str:
    """Why a cell has no figure."""
    if accepted(cell, measure):
        return f"too few requests for {measure.title}"
    return f"`{cell.subject}` has no valid trial: {cell.verdict}, {cell.reason}"


def by_server_cpu(side: Side) -> Side:
    """The same cell's server CPU per request: what decides where the generator hides a goodput."""
    return dataclasses.replace(side, measure=SERVER_CPU)
