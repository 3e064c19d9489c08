"""Which engines of a plan are explained beside their neighbours, and at which level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from serverlab.records import Plan, PlannedTrial

EDGE_S = 15.0  # that one takes, about


@dataclass(frozen=True, slots=True)
class Edge:
    """An engine and its neighbour, with a trial of each at one level."""

    neighbour: PlannedTrial
    engine: PlannedTrial

    @property
    def name(self) -> str:
        """What it is called: the engine, of which there is one edge."""
        return str(self.engine.cell["engine"])


def edges_of(plan: Plan, in_kernel: Collection[str]) -> list[Edge]:
    """The edges of the family tree that a plan contains, at the middle of its closed loops.

    Those of engines `in_kernel`, whose work nobody can count, are left out.
    """
    if not plan.explain:
        return []
    first = [trial for trial in plan.trials if trial.block == 1 and is_explained(trial, in_kernel)]
    by_cell = {tuple(trial.cell.values()): trial for trial in first}
    found = []
    for name, kin in plan.family.items():
        own = sorted(
            (trial for trial in first if trial.cell["engine"] == name),
            key=lambda trial: [
                plan.factors[factor].index(level) for factor, level in trial.cell.items()
            ],
        )
        pairs = [
            Edge(by_cell[beside], trial)
            for trial in own
            if (beside := tuple({**trial.cell, "engine": kin.neighbour}.values())) in by_cell
        ]
        found += pairs[len(pairs) // 2 : len(pairs) // 2 + 1]
    return found


def is_explained(trial: PlannedTrial, in_kernel: Collection[str]) -> bool:
    """Whether its server can be, under its load."""
    load = trial.load_settings
    is_closed = load.get("model", "closed") == "closed" and "sessions" not in load
    return is_closed and trial.contestant is None and trial.engine not in in_kernel
