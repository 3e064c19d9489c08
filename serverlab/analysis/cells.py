"""Trials gathered by cell: which of them count, and what the blocks make of each measure."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from serverlab.measures import MEASURES
from serverlab.stats.spread import spread_of
from serverlab.verdicts import VerdictName

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from serverlab.analysis.axes import Axes
    from serverlab.analysis.run_data import RunData
    from serverlab.load_result import LoadResult
    from serverlab.measure import Measure
    from serverlab.quantities import Level
    from serverlab.records import Trial


# CPUs. The kernel's own work, and what it charges to no process where a CPU falls asleep between
# two requests, came to 0.01 to 0.09 on quiet machines (1, 64 and 1000 connections).
OTHER_WORK_MAX = 0.15


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A measure of a cell: the median over its blocks, and the extremes."""

    value: float
    low: float
    high: float
    by_block: dict[int, float]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cell:
    """One subject at one combination of levels, in all blocks."""

    subject: str
    levels: dict[str, Level]  # by factor, in the plan's order
    level: Level | None  # on the x axis
    panel: int
    planned: int  # trials
    trials: tuple[Trial, ...]  # by block
    figures: dict[str, Figure]  # by measure, of the valid trials
    rejected: dict[str, Figure]  # of the others, where there is no valid one: to be shown, not used

    @property
    def valid(self) -> list[Trial]:
        """The trials that count."""
        return [trial for trial in self.trials if trial.is_valid]

    def counting(self, measure: Measure) -> list[Trial]:
        """The trials that count for a measure."""
        return [trial for trial in self.trials if counts(trial, measure)]

    @property
    def loads(self) -> list[LoadResult]:
        """What the load says of the trials that count."""
        return [trial.load for trial in self.valid if trial.load is not None]

    @property
    def verdict(self) -> str:
        """One word or a short line: VALID, `VALID in 2 of 3`, ERRORS, unsupported, not run."""
        if not self.trials:
            return "not run"
        others = Counter(trial.verdict.name for trial in self.trials if not trial.is_valid)
        if others.keys() == {VerdictName.UNSUPPORTED} and not self.valid:
            return "unsupported"
        if self.valid and len(self.valid) == self.planned:
            return VerdictName.VALID
        if self.valid:
            return f"VALID in {len(self.valid)} of {self.planned}"
        return ", ".join(others)

    @property
    def reason(self) -> str:
        """Why it is not valid, by the first trial that is not; empty if all are."""
        return next((trial.verdict.reason for trial in self.trials if not trial.is_valid), "")

    @property
    def limit(self) -> str:
        """Which side was saturated, by most of the valid trials."""
        sides = Counter(trial.saturated for trial in self.valid if trial.saturated)
        return sides.most_common(1)[0][0] if sides else ""


def gather(run: RunData, axes: Axes) -> list[Cell]:
    """Every cell of the plan, in the order of its factors, also those of which nothing was run."""
    levels = {key_of(one.cell): one.cell for one in run.plan.trials}
    levels |= {key_of(trial.cell): trial.cell for trial in run.trials}
    planned = Counter(key_of(trial.cell) for trial in run.plan.trials if not trial.repeats)
    done: dict[tuple[Level, ...], list[Trial]] = defaultdict(list)
    for trial in run.counted:
        done[key_of(trial.cell)].append(trial)
    cells = [
        cell_of(own, axes, max(planned[key], len(done[key])), done[key])
        for key, own in levels.items()
    ]
    names = axes.subjects.names
    return sorted(
        cells,
        key=lambda cell: (cell.panel, place(cell.subject, names), place(cell.level, axes.levels)),
    )


def key_of(cell: dict[str, Level]) -> tuple[Level, ...]:
    """A cell's levels, whatever the order of its factors."""
    return tuple(cell[name] for name in sorted(cell))


def place(level: Level | None, levels: Sequence[Level]) -> int:
    """The place of a level among those of its factor; what is not among them comes last."""
    return levels.index(level) if level is not None and level in levels else len(levels)


def cell_of(levels: dict[str, Level], axes: Axes, planned: int, trials: list[Trial]) -> Cell:
    """Compute a cell's figures."""
    ordered = tuple(sorted(trials, key=lambda trial: trial.block))
    return Cell(
        subject=axes.subjects.name(levels),
        levels=levels,
        level=axes.level_of(levels),
        panel=axes.panel_of(levels),
        planned=planned,
        trials=ordered,
        figures=figures_of(ordered, counts),
        rejected={}
        if any(trial.is_valid for trial in ordered)
        else figures_of(ordered, lambda *_: True),
    )


def counts(trial: Trial, measure: Measure) -> bool:
    """Whether a trial's figure of this measure counts.

    Other work on the CPUs decides how long the slowest requests take, and leaves other measures
    nearly alone. Of a generator that was late, the server's CPU time counts, and latencies count
    if they are the same from the actual send (pairs.py).
    """
    if measure.is_latency and is_beside_other_work(trial):
        return False
    return trial.is_valid or (
        trial.is_late_in_slices and (measure.counts_disturbed or measure.is_latency)
    )


def is_beside_other_work(trial: Trial) -> bool:
    """Whether other work took more CPU time than a quiet machine's own."""
    return trial.other_cpus_busy is not None and trial.other_cpus_busy > OTHER_WORK_MAX


def why_absent(cell: Cell, measure: Measure) -> str:
    """Why a cell has no figure of a measure, in short."""
    if measure.is_latency and all(map(is_beside_other_work, cell.trials)):
        busy = [trial.other_cpus_busy for trial in cell.trials if trial.other_cpus_busy is not None]
        if busy:
            return f"other work took {fmean(busy):.2f} CPUs"
    return "too few requests" if cell.counting(measure) else cell.verdict


def figures_of(
    trials: Sequence[Trial], is_counted: Callable[[Trial, Measure], bool]
) -> dict[str, Figure]:
    """Every measure that at least one of the trials that count for it has."""
    figures = {
        measure.name: figure_of([trial for trial in trials if is_counted(trial, measure)], measure)
        for measure in MEASURES
    }
    return {name: figure for name, figure in figures.items() if figure is not None}


def figure_of(trials: Sequence[Trial], measure: Measure) -> Figure | None:
    """The median over blocks.

    A percentile that one of the trials could not give is unknown for the cell: it may have been
    the worst of all.
    """
    values = {trial.block: measure.figure(trial) for trial in trials}
    by_block = {block: value for block, value in values.items() if value is not None}
    if not by_block or (measure.share is not None and len(by_block) < len(values)):
        return None
    spread = spread_of(list(by_block.values()))
    return Figure(value=spread.median, low=spread.low, high=spread.high, by_block=by_block)


def measures_of(cells: Sequence[Cell]) -> list[Measure]:
    """The measures that every load has, and of the others those that one of the cells has."""
    return [
        measure
        for measure in MEASURES
        if not measure.of_some_loads or any(measure.name in cell.figures for cell in cells)
    ]


def where(axes: Axes, cell: Cell) -> str:
    """A cell's place among the factors, in words."""
    return ", ".join(filter(None, (axes.at(cell.level), axes.panels[cell.panel].label)))
