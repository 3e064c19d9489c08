"""Which servers of a plan take turns under one load.

In an interleaved design, cells of a block that differ by what is compared alone are one group.
Where that is no setting of the server, engines take turns.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from serverlab.design.contrast import takes_turns

if TYPE_CHECKING:
    import random
    from collections.abc import Mapping, Sequence

    from serverlab.quantities import Level
    from serverlab.records import Plan, PlannedTrial

    Place = tuple[tuple[str, Level], ...]  # levels that several cells share, by their factors

SLICE = "200ms"  # long enough for thousands of requests, short enough that no drift shows


@dataclass(frozen=True, slots=True, kw_only=True)
class Turns:
    """Which cells of a block are one group: those that differ by these factors alone, or none."""

    of: tuple[str, ...]
    twin: str | None
    twin_of: str  # the engine that the twin is once more

    def shared(self, cell: Mapping[str, Level]) -> Place:
        """The levels that the cells of a group share."""
        plain = cell if cell["engine"] != self.twin else {**cell, "engine": self.twin_of}
        return tuple((name, level) for name, level in plain.items() if name not in self.of)


def turns_of(plan: Plan) -> Turns:
    """The levels that take turns: none in a separate design."""
    of: Sequence[str] = []
    if plan.design == "interleaved":
        between, first = plan.contrast.between, plan.trials[0]
        own = between and takes_turns(between, first.server_settings, first.load_settings)
        of = between if own else ["engine"]
    return Turns(of=tuple(of), twin=plan.twin, twin_of=plan.baseline)


def shuffled(
    cells: list[dict[str, Level]], turns: Turns, drawn: random.Random
) -> list[dict[str, Level]]:
    """A block's cells in a new random order; those of one group stay together."""
    mixed = drawn.sample(cells, len(cells))
    if not turns.of:
        return mixed
    first: dict[object, int] = {}
    for place, cell in enumerate(mixed):
        first.setdefault(turns.shared(cell), place)
    return sorted(mixed, key=lambda cell: first[turns.shared(cell)])


def with_order(trials: list[PlannedTrial], plan: Plan) -> list[PlannedTrial]:
    """The same trials; where servers take turns, their load is told how long each has it."""
    if plan.design == "separate":
        return trials
    told = []
    for group in groups_of(msgspec.structs.replace(plan, trials=trials)):
        usual = {"slice": SLICE, "order": "abba" if len(group) == 2 else "latin"}
        told += [
            msgspec.structs.replace(trial, load_settings=usual | trial.load_settings)
            for trial in group
        ]
    return told


def groups_of(plan: Plan) -> list[list[PlannedTrial]]:
    """The trials that are run together: each alone, or those that take turns."""
    if plan.design == "separate":
        return [[trial] for trial in plan.trials]
    turns = turns_of(plan)
    together = itertools.groupby(
        plan.trials, key=lambda trial: (trial.block, turns.shared(trial.cell))
    )
    return [list(group) for _, group in together]
