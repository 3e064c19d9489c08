"""A part of an experiment file: the levels that claims read, with windows as long as they need."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from serverlab.design.catalog import catalog
from serverlab.design.experiment import read_experiment
from serverlab.design.plan import plan_s
from serverlab.design.several_hosts import plan_for
from serverlab.machine.native import experiments
from serverlab.records import Contrast

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from serverlab.claims.needs import Place
    from serverlab.design.catalog import Catalog
    from serverlab.design.experiment import Experiment
    from serverlab.quantities import Level
    from serverlab.records import Plan

BLOCKS_MIN = 3  # fewer give no interval that deserves the name
CONNECTED_PER_S = 3000  # opened and closed again, on a machine that has other things to do, too


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """What of an experiment is run, and between which ends it may be shortened."""

    name: str  # of its folder
    file: str  # below experiments/
    window_s: float  # of each trial, where the budget allows it
    shortest_s: float  # the shortest window that still says something
    blocks: int
    levels: Mapping[str, tuple[Level, ...]] = field(default_factory=dict)  # of cut factors
    ending_s: float = 0  # of a trial: what is still in flight when its window ends

    @property
    def blocks_min(self) -> int:
        """As many as an interval needs; what is only to be seen once needs no interval."""
        return min(BLOCKS_MIN, self.blocks)

    @property
    def path(self) -> Path:
        """The experiment file."""
        return experiments() / self.file

    def experiment(self, of: Catalog) -> Experiment:
        """The experiment, cut to the levels, with an A/A pair only where engines are compared.

        What is only to be seen once needs none either. A claim says itself what it compares.
        """
        whole = cut(read_experiment(self.path, of), self.levels)
        twin = whole.design.twin and self.blocks > 1 and len(whole.variants) > 1
        design = dataclasses.replace(whole.design, twin=twin)
        return dataclasses.replace(whole, design=design, contrast=Contrast())

    def plan(
        self, of: Catalog, *, blocks: int, window_s: float, seed: int, generators: int = 0
    ) -> Plan:
        """Its trials; `generators` on hosts of their own load the server, or one beside it."""
        whole = self.experiment(of)
        design = dataclasses.replace(whole.design, blocks=blocks)
        experiment = dataclasses.replace(whole, name=self.name, design=design)
        return plan_for(experiment, seed=seed, duration=f"{window_s:g}s", generators=generators)

    def lacking(self, place: Place) -> str:
        """Why it cannot be run in a place, in words; empty if it can."""
        if place.has_network and keeps_log(self.path):
            return "It needs the log of a load's connections; here several hosts share the load."
        return ""

    def seconds(self, plan: Plan) -> float:
        """How long a plan of it takes: the plan's own figure, connecting, and what ends late."""
        connecting_s = 0.0
        for trial in plan.trials:
            load = trial.load_settings
            slowest = float(load.get("connect-rate", CONNECTED_PER_S)) or CONNECTED_PER_S
            connecting_s += int(load.get("connections", 1)) / min(slowest, CONNECTED_PER_S)
        return plan_s(plan) + connecting_s + self.ending_s * len(plan.trials)


@cache
def keeps_log(path: Path) -> bool:
    """Whether the figures of an experiment are of single connections."""
    return read_experiment(path, catalog()).design.connection_log


def cut(experiment: Experiment, levels: Mapping[str, tuple[Level, ...]]) -> Experiment:
    """The same experiment with fewer levels of some factors, the engine among them.

    Raises ValueError if it does not have one of them.
    """
    factors: dict[str, list[Level]] = {"engine": [*experiment.variants], **experiment.factors}
    for name, kept in levels.items():
        if missing := [level for level in kept if level not in factors.get(name, [])]:
            raise ValueError(f"{experiment.name} has no {name} {missing}")
        factors[name] = list(kept)
    engines = [str(engine) for engine in factors.pop("engine")]
    design, is_whole = experiment.design, len(engines) == len(experiment.variants)
    if design.baseline not in engines:
        design = dataclasses.replace(design, baseline=engines[0])
    return dataclasses.replace(
        experiment,
        factors=factors,
        variants={name: experiment.variants[name] for name in engines},
        design=design,
        family=experiment.family if is_whole else {},
    )
