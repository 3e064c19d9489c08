"""The ratios of two runs, cell by cell, and whether they miss the limits that were asked for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.errors import UsageError
from serverlab.measures import GOODPUT, P50, P90, P99, P99_9, SERVER_CPU
from serverlab.stats.unpaired import BLOCKS_MIN, unpaired_ratio

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from serverlab.analysis.cells import Cell
    from serverlab.compare.comparability import Pair
    from serverlab.measure import Measure
    from serverlab.stats.paired import Ratio

MEASURES = {
    "goodput": GOODPUT,
    "cpu": SERVER_CPU,
    "p50": P50,
    "p90": P90,
    "p99": P99,
    "p99.9": P99_9,
}
MORE_IS_BETTER = {"goodput"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """A measure of a cell: second over first, or why there is none."""

    measure: str
    ratio: Ratio | None
    why: str = ""

    @property
    def is_sure(self) -> bool:
        """Whether there is an interval."""
        return self.ratio is not None and self.ratio.pairs >= BLOCKS_MIN

    @property
    def judgement(self) -> str:
        """`better`, `worse`, or empty if nothing can be said."""
        if self.ratio is None or not self.ratio.is_distinguishable:
            return ""
        return (
            "better" if (self.ratio.estimate > 1) == (self.measure in MORE_IS_BETTER) else "worse"
        )


def compared(pair: Pair) -> dict[str, Compared]:
    """Every measure of a cell."""
    return {name: compare(name, pair) for name in MEASURES}


def compare(name: str, pair: Pair) -> Compared:
    """One measure of a cell, over the blocks of each run."""
    values = [blocks(cell, MEASURES[name]) for cell in (pair.first, pair.second)]
    for cell, own, which in zip(
        (pair.first, pair.second), values, ("first", "second"), strict=True
    ):
        if not own:
            why = cell.verdict if not cell.figures else "no figure"
            return Compared(measure=name, ratio=None, why=f"{which} run: {why}")
    ratio = unpaired_ratio(values[1], values[0])
    why = "" if ratio.pairs >= BLOCKS_MIN else "a single block has no interval"
    return Compared(measure=name, ratio=ratio, why=why)


def blocks(cell: Cell, measure: Measure) -> list[float]:
    """The figure of each valid block; none if one of them is not positive."""
    figure = cell.figures.get(measure.name)
    if figure is None or figure.low <= 0:
        return []
    return list(figure.by_block.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """What is not to be: "p99 > 1.1x"."""

    text: str
    measure: str
    above: bool
    bound: float

    @property
    def allows_a_loss(self) -> bool:
        """Whether the bound lies on the worse side of 1; else it asks for a gain."""
        return self.bound >= 1 if self.above else self.bound <= 1

    def is_broken(self, ratio: Ratio, *, differs: bool) -> bool:
        """Whether the two differ beyond doubt, and the ratio is beyond the bound.

        A whole interval beyond the bound would let most losses pass that are a little larger than
        the bound. Where a bound asks for a gain, that is shown only by a whole interval.
        """
        if not self.allows_a_loss:
            return ratio.high > self.bound if self.above else ratio.low < self.bound
        is_beyond = ratio.estimate > self.bound if self.above else ratio.estimate < self.bound
        return differs and is_beyond

    def fails(self, found: Compared) -> bool:
        """Whether a cell breaks it; not if there is no interval."""
        if found.ratio is None or not found.is_sure:
            return False
        return self.is_broken(found.ratio, differs=found.ratio.is_distinguishable)


def read_gate(text: str) -> Gate:
    """The gate that a text is."""
    match = re.fullmatch(r"\s*([a-z][\w.]*)\s*([<>])\s*(\d+(?:\.\d+)?)\s*x\s*", text)
    if match is None or match[1] not in MEASURES or float(match[3]) <= 0:
        raise UsageError(
            f"--fail-if: '{text}' is not a measure ({', '.join(MEASURES)}) with a bound of its "
            "ratio, such as p99 > 1.1x"
        )
    return Gate(text=text, measure=match[1], above=match[2] == ">", bound=float(match[3]))


def gate_sentences(gate: Gate, cells: Sequence[tuple[str, dict[str, Compared]]]) -> Iterator[str]:
    """Why a gate fails: a sentence for each cell; one if no cell could be judged at all."""
    for label, measures in cells:
        found = measures[gate.measure]
        if gate.fails(found):
            assert found.ratio is not None
            yield (
                f"{gate.text}: {gate.measure} of {label} is {found.ratio.estimate:.3g}x "
                f"[{found.ratio.low:.3g}, {found.ratio.high:.3g}]"
            )
    if not any(measures[gate.measure].is_sure for _, measures in cells):
        yield f"{gate.text}: no cell could be judged, so nothing shows that it is kept"
