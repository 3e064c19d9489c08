"""What a run compares: its engines, levels of other factors, or classes of requests."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.levels import subject_name
from serverlab.measures import OF_CLASSES
from serverlab.records import CLASS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from serverlab.measure import Measure
    from serverlab.quantities import Level
    from serverlab.records import Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Subjects:
    """The factors whose levels are compared, and the names of the baseline and of its twin."""

    between: tuple[str, ...]
    names: tuple[str, ...]  # in the plan's order; the twin is the last
    baseline: str
    twin: str | None
    twin_engine: str | None  # the twin's level of the factor `engine`
    twin_of: str  # the engine that it is once more
    has_contestants: bool = False  # beside engines

    def name(self, cell: Mapping[str, Level]) -> str:
        """What a cell is in this comparison."""
        name = subject_name(cell, self.between)
        is_twin = self.twin is not None and cell["engine"] == self.twin_engine
        return self.twin if is_twin and self.twin is not None else name

    def without_twin(self, cell: Mapping[str, Level]) -> Mapping[str, Level]:
        """The levels of a cell; for the twin's, those of the cell that it is once more."""
        return {**cell, "engine": self.twin_of} if cell.get("engine") == self.twin_engine else cell

    @property
    def are_engines(self) -> bool:
        """Whether engines are compared."""
        return self.between == ("engine",)

    @property
    def are_classes(self) -> bool:
        """Whether classes of requests are compared."""
        return self.between == (CLASS,)

    def have(self, measure: Measure) -> bool:
        """Whether the subjects can have such a figure: a class of requests has no server."""
        return not self.are_classes or measure.name in OF_CLASSES

    @property
    def plural(self) -> str:
        """What subjects are called together: "engines", "servers", "levels of forum-lock"."""
        if self.are_engines:
            return "servers" if self.has_contestants else "engines"
        if self.are_classes:
            return "classes of requests"
        return f"levels of {self.between[0]}" if len(self.between) == 1 else "combinations"


def subjects_of(plan: Plan) -> Subjects:
    """What the trials of a plan differ by, as its contrast asks.

    Classes of requests are not told apart by trials: then these are told apart by their engines.
    """
    asked = plan.contrast.between
    between = ["engine"] if not asked or asked == [CLASS] else asked
    levels = itertools.product(*(plan.factors.get(name, []) for name in between))
    names = [subject_name(dict(zip(between, own, strict=True)), between) for own in levels]
    if between == ["engine"]:
        baseline, twin = plan.baseline, plan.twin
    else:
        baseline = plan.contrast.baseline or names[0]
        twin = None if plan.twin is None else f"{baseline} again"
        names += [twin] if twin else []
    return Subjects(
        between=tuple(between),
        names=tuple(names),
        baseline=baseline,
        twin=twin,
        twin_engine=plan.twin,
        twin_of=plan.baseline,
        has_contestants=any(trial.contestant is not None for trial in plan.trials),
    )
