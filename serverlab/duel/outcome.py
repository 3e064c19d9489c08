"""What a duel has found: each subject over the first, by each measure.

All comparisons of the duel are judged together (Holm), so that two equal servers are called
different in any of them at most three times in a hundred duels; and a difference that is smaller
than that of the first subject from its own A/A twin is none.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from serverlab.analysis.cells import why_absent
from serverlab.analysis.comparisons import (
    HIGHER,
    LOWER,
    NOT_DISTINGUISHABLE,
    TOO_NOISY,
    is_too_noisy,
)
from serverlab.analysis.pairs import has_figure
from serverlab.analysis.stages import stage
from serverlab.analysis.standings import BY_SERVER_CPU
from serverlab.notation import listed
from serverlab.report.answer import with_interval
from serverlab.stats.holm import holm

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from serverlab.analysis.cells import Cell
    from serverlab.analysis.results import Results
    from serverlab.analysis.stages import Stage
    from serverlab.analysis.standings import Criterion, Standing
    from serverlab.analysis.subjects import Subjects
    from serverlab.measure import Measure
    from serverlab.stats.paired import Ratio

# How often two equal servers may be called different. A run's comparisons may be in 5 % of cases;
# a duel is a gate of every change, and an alarm once in twenty changes is one that nobody reads.
ALARM = 0.03
# How that chance is shared out: most of it goes to what is measured best. With equal shares of 2 %
# two of ten planted 3 % of server CPU were missed in a noisy hour.
SHARES = {"server-cpu-per-request": 3.0}
OTHER_SHARE = 1.0
# The verdict where latencies differ from the intended instant on, which holds the generator's own
# lateness, and do not from the actual send on.
LATE = "the generator was late"
AT_RATE = "at a fixed rate"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A subject over the first one, by one measure at one level."""

    subject: str
    baseline: str
    measure: Measure
    where: str  # the level, in words; empty if there is one alone
    ratio: Ratio | None
    floor: float  # how far the first is from its twin, as a factor
    verdict: str = NOT_DISTINGUISHABLE  # or higher, or lower; without a ratio, why there is none

    @property
    def differs(self) -> bool:
        """Whether the two are different beyond doubt."""
        return self.verdict in {HIGHER, LOWER}


def outcome(shown: Results) -> list[Row]:
    """The rows of a duel, those of a measure together, in the order of its contrast."""
    rows = list(unjudged(shown))
    ratios = [row for row in rows if row.ratio is not None]
    raised = holm(
        [row.ratio.chance for row in ratios if row.ratio is not None],
        [SHARES.get(row.measure.name, OTHER_SHARE) for row in ratios],
    )
    p_values = {id(row): p_value for row, p_value in zip(ratios, raised, strict=True)}
    judged = [judge(row, p_values.get(id(row), 1)) for row in rows]
    order = shown.run.plan.contrast.by
    return sorted(judged, key=lambda row: order.index(row.measure.name))


def unjudged(shown: Results) -> Iterator[Row]:
    """Each subject beside the first, at each level and by what is asked of its load model."""
    axes = shown.compared.axes
    for one, where in stages(shown):
        for criterion in one.asked:
            is_at_rate = criterion == BY_SERVER_CPU and not one.is_closed
            at = ", ".join(filter(None, (where, AT_RATE))) if is_at_rate else where
            yield from rows_of(one, criterion, at, axes.subjects)


def rows_of(one: Stage, criterion: Criterion, where: str, subjects: Subjects) -> Iterator[Row]:
    """Each subject beside the first, by one measure at one level."""
    found = one.standings[criterion.measure.name]
    first = next((cell for cell in one.cells if cell.subject == subjects.baseline), None)
    for cell in one.cells:
        if first is not None and cell.subject not in {subjects.baseline, subjects.twin}:
            yield row_of(cell, first, found, where)


def stages(shown: Results) -> Iterator[tuple[Stage, str]]:
    """Each level of each load model, and its name if there are several."""
    plan, axes = shown.run.plan, shown.compared.axes
    several = len(axes.levels) > 1 or len(axes.panels) > len(plan.factors.get("model", [None]))
    for place, panel in enumerate(axes.panels):
        for level in axes.levels or (None,):
            labels = (axes.at(level), panel.label) if several else ()
            yield (
                stage(plan, axes, shown.compared.at(place), level),
                ", ".join(filter(None, labels)),
            )


def row_of(cell: Cell, first: Cell, found: Standing, where: str) -> Row:
    """A cell beside the first subject's; a ratio without an interval says nothing."""
    measure, baseline = found.criterion.measure, first.subject
    ratio = None if found.baseline is None else found.ratio(cell, found.baseline)
    why = NOT_DISTINGUISHABLE
    if ratio is None or math.isinf(ratio.half_width):
        without = [one for one in (first, cell) if not has_figure(one, measure)]
        lacking = min(without, key=was_measured, default=None)
        why = "too few blocks count" if lacking is None else why_absent(lacking, measure)
        if lacking is not None and why == lacking.verdict:
            why = f"{lacking.subject}: {why}"
        ratio = None
    elif is_too_noisy(ratio.low, ratio.high):
        ratio, why = None, TOO_NOISY
    return Row(
        subject=cell.subject,
        baseline=baseline,
        measure=measure,
        where=where,
        ratio=ratio,
        floor=found.floor if ratio is not None else 1.0,
        verdict=why,
    )


def was_measured(cell: Cell) -> bool:
    """Whether any trial of a cell has figures; if none has, that says more than noise does."""
    return any(trial.load is not None for trial in cell.trials)


def judge(row: Row, p_value: float) -> Row:
    """A row with its verdict; `p_value` is that among all comparisons of the duel."""
    if row.ratio is None:
        return row
    if row.ratio.is_by_one_reading:
        return replace(row, verdict=LATE)
    if p_value > ALARM or row.ratio.distance <= row.floor:
        return row
    return replace(row, verdict=HIGHER if row.ratio.estimate > 1 else LOWER)


def sentences(rows: Sequence[Row]) -> list[str]:
    """What a duel says of each subject: a sentence each."""
    return [
        sentence([row for row in rows if row.subject == name])
        for name in dict.fromkeys(row.subject for row in rows)
    ]


def sentence(rows: Sequence[Row]) -> str:
    """What a duel says of one subject."""
    first = rows[0]
    different = [row for row in rows if row.differs]
    alike = list(dict.fromkeys(named(row) for row in rows if row.ratio and not row.differs))
    unknown = list(dict.fromkeys(f"{named(row)} ({row.verdict})" for row in rows if not row.ratio))
    said = []
    if different:
        parts = [
            f"{ratio_words(row.ratio)} times the {named(row)}"
            for row in different
            if row.ratio is not None
        ]
        said.append(f"{first.subject} has {listed(parts)} of {first.baseline}")
    if alike and different:
        said.append(f"they are not distinguishable in {listed(alike)}")
    elif alike:
        said.append(
            f"{first.subject} and {first.baseline} are not distinguishable in {listed(alike)}"
        )
    if unknown:
        said.append(f"there is no figure for {listed(unknown)}")
    text = "; ".join(said)
    return f"{text[:1].upper()}{text[1:]}." if not different and not alike else f"{text}."


def named(row: Row) -> str:
    """A measure, and where it was taken."""
    return f"{row.measure.noun} {row.where}".strip()


def ratio_words(ratio: Ratio) -> str:
    """A ratio with its interval: `1.12 [1.11, 1.13]`."""
    is_known = ratio.low > 0 and math.isfinite(ratio.high)
    bounds = (ratio.low, ratio.high) if is_known else (None, None)
    return with_interval(ratio.estimate, *bounds)
