"""How goodput grows with connections, threads or CPUs: a law for each engine, or why there is none.

The law is fitted to closed loops only: an open one has the goodput that was asked for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from serverlab.analysis.axes import number_of
from serverlab.analysis.measures import GOODPUT
from serverlab.notation import level_text, number
from serverlab.report.points import rounded
from serverlab.report.tables import ABSENT, Entry, Table, number_entry
from serverlab.stats.usl import LEVELS_MIN, NoFitError, fit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from serverlab.analysis.axes import Axes
    from serverlab.analysis.cells import Cell
    from serverlab.analysis.run_data import Level
    from serverlab.stats.usl import Estimate, Law

SCALED = {"connections": "connections", "threads": "threads", "cpus": "CPUs"}
REACH_MAX = 2  # times the highest level: so far, and no farther, is a prediction drawn
STEPS = 40  # of a drawn law

HEAD = (
    ("λ", "requests/s of one"),
    ("σ", "share in line"),
    ("κ", "cost of a pair"),
    ("predicted peak", "at"),
    ("predicted peak", "requests/s"),
    ("misses the levels by", "%"),
    ("remark", ""),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scaling:
    """One engine along one factor, everything else fixed."""

    engine: str
    factor: str
    where: str  # the levels of the other factors, in words
    panel: int | None  # of the chart that it is drawn into
    lowest: float  # level that was measured
    highest: float
    law: Law | None
    refusal: str  # why there is no law

    @property
    def peak_is_beyond(self) -> bool:
        """Whether the predicted peak lies where nothing was measured."""
        return self.law is not None and self.law.peak > self.highest


def scalings(axes: Axes, cells: Sequence[Cell], twin: str | None) -> list[Scaling]:
    """One for each engine and factor that can be scaled, in the cells' order."""
    found = []
    names = [axes.factor, *axes.panels[0].levels]
    for factor in SCALED.keys() & {name for name in names if name is not None}:
        groups: dict[tuple[tuple[str, Level], ...], list[Cell]] = {}
        for cell in cells:
            if cell.engine != twin:
                levels = levels_of(axes, cell)
                others = tuple(item for item in levels.items() if item[0] != factor)
                groups.setdefault(others, []).append(cell)
        found += [scaling(axes, factor, dict(others), own) for others, own in groups.items()]
    return found


def levels_of(axes: Axes, cell: Cell) -> dict[str, Level]:
    """All levels of a cell by factor, its engine first."""
    x = {axes.factor: cell.level} if axes.factor and cell.level is not None else {}
    return {"engine": cell.engine, **x, **axes.panels[cell.panel].levels}


def scaling(axes: Axes, factor: str, others: Mapping[str, Level], cells: Sequence[Cell]) -> Scaling:
    """Fit one engine's goodput."""
    figures = {}
    for cell in cells:
        place = number_of(levels_of(axes, cell)[factor], factor)
        figure = cell.figures.get(GOODPUT.name)
        if place is not None and figure is not None and figure.low > 0:
            figures[place] = figure.by_block
    law, refusal = None, ""
    models = {load.load.model for cell in cells for load in cell.loads}
    if models - {"closed"}:
        refusal = "the load is no closed loop: its goodput is what was asked for"
    else:
        try:
            law = fit(figures)
        except NoFitError as error:
            refusal = str(error)
    words = [f"{name} {level_text(level)}" for name, level in others.items() if name != "engine"]
    return Scaling(
        engine=str(others["engine"]),
        factor=factor,
        where=", ".join(words),
        panel=cells[0].panel if factor == axes.factor else None,
        lowest=min(figures, default=0),
        highest=max(figures, default=0),
        law=law,
        refusal=refusal,
    )


def summary(found: Sequence[Scaling]) -> str:
    """What to say where no law at all could be had; empty if there is one, or nothing to scale."""
    if not found or any(one.law for one in found):
        return ""
    refusals = {one.refusal for one in found}
    reason = (
        refusals.pop() if len(refusals) == 1 else f"{LEVELS_MIN} levels with figures are needed"
    )
    return f"No scaling law is fitted: {reason}."


def scaling_table(found: Sequence[Scaling]) -> Table:
    """Parameters with their intervals, and the predicted peak; where, if there are panels."""
    has_places = any(one.where for one in found)
    whose = ("engine", "where", "number of") if has_places else ("engine", "number of")
    return Table(
        head=(*((name, "") for name in whose), *HEAD),
        rows=tuple(
            (
                Entry(text=one.engine),
                *([Entry(text=one.where)] if has_places else []),
                Entry(text=SCALED[one.factor]),
                *entries(one),
            )
            for one in found
        ),
    )


def entries(one: Scaling) -> tuple[Entry, ...]:
    """The law itself, or the reason why there is none."""
    law = one.law
    if law is None:
        nothing = Entry(text=ABSENT, order="")
        return (*[nothing] * 6, Entry(text=f"none: {one.refusal}"))
    return (
        *(estimate_entry(part) for part in (law.rate, law.serial, law.crosstalk)),
        *peak_entries(law),
        number_entry(number(100 * law.miss), 100 * law.miss),
        Entry(text=remark(one, law)),
    )


def estimate_entry(part: Estimate) -> Entry:
    """A parameter, its interval below it."""
    interval = f"{number(part.low)} to {number(part.high)}" if part.has_interval else ""
    return number_entry(number(part.value), part.value, interval)


def peak_entries(law: Law) -> tuple[Entry, Entry]:
    """Where the law says that goodput is highest, and how high."""
    if math.isinf(law.peak):
        return Entry(text="none", order=""), Entry(text=ABSENT, order="")
    at = max(1.0, law.peak)
    low, high = law.peak_interval
    ends = "" if math.isnan(high) else f"{number(max(1.0, low))} to {at_most(high)}"
    return number_entry(number(at), at, ends), number_entry(number(law.at(at)), law.at(at))


def at_most(high: float) -> str:
    """The upper end of a peak's interval."""
    return "none" if math.isinf(high) else number(high)


def remark(one: Scaling, law: Law) -> str:
    """What a reader must know of this fit."""
    if math.isinf(law.peak):
        if law.serial.value == 0:
            return "no limit shows within these levels"
        return f"rises towards {number(law.rate.value / law.serial.value)} requests/s"
    if one.peak_is_beyond:
        return f"the peak lies beyond {number(one.highest)}, where nothing was measured"
    return ""


def drawn_rows(found: Sequence[Scaling]) -> list[dict[str, Any]]:
    """The laws of the charts, as points of lines; a peak that lies on its line is marked."""
    return [
        {
            "engine": one.engine,
            "panel": one.panel,
            "x": rounded(place),
            "value": rounded(one.law.at(place)),
            "peak": place == one.law.peak,
        }
        for one in found
        if one.law is not None and one.panel is not None
        for place in drawn_places(one, one.law)
    ]


def drawn_places(one: Scaling, law: Law) -> list[float]:
    """From the lowest level to the highest, or to a predicted peak that is not much farther."""
    shows_peak = one.lowest <= law.peak <= REACH_MAX * one.highest
    end = max(one.highest, law.peak) if shows_peak else one.highest
    steps = {one.lowest * (end / one.lowest) ** (step / STEPS) for step in range(STEPS + 1)}
    return sorted(steps | ({law.peak} if shows_peak else set()))
