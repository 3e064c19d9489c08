"""What a measure is: a figure of each trial, with its unit, note and origin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from serverlab.load_result import Interval
    from serverlab.records import Trial


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A figure of each trial, a chart of the report and a column of its table."""

    name: str  # of the chart's file and of the CSV's column
    title: str
    kind: str  # "time" in ns, "memory" in bytes, or the unit itself
    of: Callable[[Trial], float | None]
    note: str
    more_is_better: bool = False
    share: float | None = None  # of a percentile: the share of what it is of that is below it
    of_slice: Callable[[Interval], float | None] | None = None  # None: slices are too short for it
    # Of a latency: the same from the actual send, without the generator's own lateness.
    from_send: Callable[[Trial], float | None] | None = None
    counts_disturbed: bool = False  # slices, since what other work takes of them leaves it alone
    falls_with_other_work: bool = False  # ratios are without what others took of slices
    of_some_loads: bool = False  # others do not have it, so that nothing is said where it is absent

    def figure(self, trial: Trial) -> float | None:
        """Its figure of a trial; of a trial in slices that of the slices that count.

        Older runs do not know which count, and keep the figure that they had.
        """
        slices = [] if trial.load is None else trial.load.slices
        known = [row for row in slices if isinstance(row.disturbed, bool)]
        rows = known if self.counts_disturbed else [row for row in known if not row.disturbed]
        if self.of_slice is None or not rows:
            return self.of(trial)
        values = [value for row in rows if (value := self.of_slice(row)) is not None]
        if len(values) < len(rows):
            return self.of(trial)
        import numpy  # noqa: PLC0415 - it takes long to load, and only results need it

        return float(numpy.median(values))

    @property
    def is_latency(self) -> bool:
        """Whether it comes from the times of requests: those of one load together, not of slices.

        So that all percentiles of a trial come from the same requests.
        """
        return self.from_send is not None

    @property
    def takes_turns(self) -> bool:
        """Whether servers that are measured in slices have it."""
        return self.of_slice is not None or self.is_latency

    @property
    def noun(self) -> str:
        """Its title within a sentence."""
        return (
            self.title
            if self.title[1].isupper() or self.title[1].isdigit()
            else lowered(self.title)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Measures that are looked at together."""

    title: str
    measures: tuple[Measure, ...]


def lowered(text: str) -> str:
    """With a small letter for the first."""
    return text[:1].lower() + text[1:]
