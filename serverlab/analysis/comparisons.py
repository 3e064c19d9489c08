"""Every subject beside the baseline, at each level and by each criterion, with a verdict."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from serverlab.analysis.stages import stage
from serverlab.quantities import Level  # noqa: TC001 - msgspec reads it

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serverlab.analysis.cells import Cell
    from serverlab.analysis.standings import Standing
    from serverlab.analysis.view import View
    from serverlab.records import Plan


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """A subject beside the baseline, at one level of each factor: subject over baseline."""

    level: dict[str, Level]
    measure: str
    baseline: str
    subject: str
    ratio: float
    low: float | None  # the 95 % interval; None: its end is not known, as of a single block
    high: float | None
    verdict: str  # higher, lower or not distinguishable, all pairs of the level considered
    noise_floor: (
        float | None
    )  # as a factor, of the A/A pair at the same level; None if there is none


HIGHER, LOWER, NOT_DISTINGUISHABLE = "higher", "lower", "not distinguishable"
# An interval with 1 in it that is wider, from end to end, tells nothing: no ratio is shown.
WIDTH_MAX = 10.0
TOO_NOISY = "too noisy to tell"


def is_too_noisy(low: float, high: float) -> bool:
    """Whether an interval of a ratio excludes hardly anything."""
    return low < 1 < high and high > WIDTH_MAX * low


def comparisons(plan: Plan, compared: View) -> Iterator[Comparison]:
    """Those of a run; none where the baseline has no valid figure."""
    axes = compared.axes
    for place, panel in enumerate(axes.panels):
        for level in axes.levels or (None,):
            levels = dict(panel.levels)
            if axes.factor is not None and level is not None:
                levels[axes.factor] = level
            one = stage(plan, axes, compared.at(place), level)
            for found in one.standings.values():
                made = (comparison(found, cell, levels) for cell in one.cells)
                yield from filter(None, made)


def comparison(found: Standing, cell: Cell, levels: dict[str, Level]) -> Comparison | None:
    """A cell beside the baseline.

    None of the baseline itself, of its twin, and of what has no block in common with it.
    """
    base = found.baseline
    ratio = None if base is None or cell is base else found.ratio(cell, base)
    if base is None or ratio is None:
        return None
    differs = found.beats(cell, base) or found.beats(base, cell)
    return Comparison(
        level=levels,
        measure=found.criterion.measure.name,
        baseline=base.subject,
        subject=cell.subject,
        ratio=ratio.estimate,
        low=ratio.low if ratio.low > 0 else None,
        high=ratio.high if math.isfinite(ratio.high) else None,
        verdict=(HIGHER if ratio.estimate > 1 else LOWER) if differs else NOT_DISTINGUISHABLE,
        noise_floor=None if found.twin_ratio is None else found.floor,
    )
