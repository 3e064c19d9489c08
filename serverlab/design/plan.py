"""From an experiment to its trials: each cell once per block, in a seeded random order.

In an interleaved design, cells of a block that differ by their engine alone are one group: their
servers take turns under one load.
"""

from __future__ import annotations

import itertools
import random
from typing import TYPE_CHECKING

import msgspec

from serverlab.design.family import Kin  # noqa: TC001 - msgspec reads it
from serverlab.machine.machine import congestion_control, cpu_halves
from serverlab.quantities import duration_s

if TYPE_CHECKING:
    from serverlab.design.experiment import Experiment, Level

Cell = dict[str, str | int | float]

SCHEMA = 1
OVERHEAD_S = (
    0.6  # of a trial beside its warm-up and window: starting, connecting, draining, stopping
)
SLICE = "200ms"  # long enough for thousands of requests, short enough that no drift shows
WARMUP_SHARE_MAX = 0.5  # of the window, when the duration is overridden


class Trial(msgspec.Struct, frozen=True):
    """One execution of one cell: a fresh server, a warm-up, a measured window."""

    trial: str
    block: int
    order: int
    cell: Cell
    engine: str
    service: str
    server_settings: dict[str, str]
    load_settings: dict[str, str]

    @property
    def duration_s(self) -> float:
        """How long it takes, about."""
        load = self.load_settings
        return duration_s(load["warmup"]) + duration_s(load["duration"]) + OVERHEAD_S


class Plan(msgspec.Struct, frozen=True):
    """All trials of an experiment, in the order of execution."""

    schema: int
    name: str
    question: str
    seed: int
    baseline: str
    twin: str | None
    factors: dict[str, list[str | int | float]]
    trials: list[Trial]
    design: str = "separate"
    connection_log: bool = False
    family: dict[str, Kin] = {}
    precision: float | None = None  # half width of the headline intervals, as a share
    blocks_max: int = 0  # so many at most, where a precision is wanted

    def groups(self) -> list[list[Trial]]:
        """The trials that are run together: each alone, or those that take turns."""
        if self.design == "separate":
            return [[trial] for trial in self.trials]
        together = itertools.groupby(
            self.trials, key=lambda trial: (trial.block, without_engine(trial.cell))
        )
        return [list(group) for _, group in together]

    @property
    def duration_s(self) -> float:
        """How long the run takes, about."""
        return sum(trial.duration_s for trial in self.trials)

    @property
    def blocks(self) -> int:
        """How many blocks are planned so far."""
        return max(trial.block for trial in self.trials)

    @property
    def duration_max_s(self) -> float:
        """How long it takes if all blocks are run that a precision may ask for."""
        return self.duration_s * max(1, self.blocks_max / self.blocks)

    def with_another_block(self) -> Plan:
        """The same plan with one block more, in an order that seed and block decide."""
        block = self.blocks + 1
        first = {tuple(trial.cell.items()): trial for trial in self.trials if trial.block == 1}
        cells = shuffled(
            [trial.cell for trial in first.values()],
            self.design,
            random.Random(f"{self.seed}, block {block}"),
        )
        more = [
            msgspec.structs.replace(
                first[tuple(cell.items())], trial=name_of(block, order), block=block, order=order
            )
            for order, cell in enumerate(cells, start=1)
        ]
        return msgspec.structs.replace(self, trials=[*self.trials, *more])


def make_plan(
    experiment: Experiment, *, seed: int | None = None, duration: str | None = None
) -> Plan:
    """Lay out the trials.

    `seed` and `duration` override those of the experiment; a seed that nobody gave is drawn.
    """
    if seed is None:
        seed = experiment.design.seed
    if seed is None:
        seed = random.SystemRandom().randrange(2**32)
    twin = f"{experiment.design.baseline} again" if experiment.design.twin else None
    engines = [*experiment.variants, *([twin] if twin else [])]
    factors: dict[str, list[Level]] = {"engine": list(engines), **experiment.factors}
    cells = [
        dict(zip(factors, levels, strict=True)) for levels in itertools.product(*factors.values())
    ]
    kind, drawn = experiment.design.kind, random.Random(seed)
    trials = [
        make_trial(experiment, cell, block=block, order=order, twin=twin, duration=duration)
        for block in range(1, experiment.design.blocks + 1)
        for order, cell in enumerate(shuffled(cells, kind, drawn), start=1)
    ]
    return Plan(
        schema=SCHEMA,
        name=experiment.name,
        question=experiment.question,
        seed=seed,
        baseline=experiment.design.baseline,
        twin=twin,
        factors=factors,
        trials=trials,
        design=kind,
        connection_log=experiment.design.connection_log,
        family=experiment.family,
        precision=experiment.design.precision,
        blocks_max=experiment.design.blocks_max,
    )


def name_of(block: int, order: int) -> str:
    """A trial's name: its block, and its place in it."""
    return f"b{block}-{order:03}"


def without_engine(cell: Cell) -> tuple[tuple[str, str | int | float], ...]:
    """The levels that cells share whose servers take turns."""
    return tuple((name, level) for name, level in cell.items() if name != "engine")


def shuffled(cells: list[Cell], kind: str, drawn: random.Random) -> list[Cell]:
    """A block's cells in a new random order; those of one group stay together."""
    mixed = drawn.sample(cells, len(cells))
    if kind == "separate":
        return mixed
    first: dict[object, int] = {}
    for place, cell in enumerate(mixed):
        first.setdefault(without_engine(cell), place)
    return sorted(mixed, key=lambda cell: first[without_engine(cell)])


def make_trial(
    experiment: Experiment,
    cell: dict[str, Level],
    *,
    block: int,
    order: int,
    twin: str | None,
    duration: str | None,
) -> Trial:
    """Resolve a cell to what is passed to the two programs."""
    name = str(cell["engine"])
    variant = experiment.variants[experiment.design.baseline if name == twin else name]
    server_cpus, load_cpus = cpu_halves()
    levels = {key: str(value) for key, value in cell.items() if key != "engine"}
    server = {"cpus": server_cpus, "congestion": congestion_control()}
    server |= experiment.server | variant.settings
    server |= {key: value for key, value in levels.items() if key in experiment.server_factors}
    load = {
        "cpus": load_cpus,
        "congestion": congestion_control(),
        "warmup": "1s",
        "duration": "10s",
    }
    load |= experiment.load
    load |= {key: value for key, value in levels.items() if key in experiment.load_factors}
    if experiment.design.kind == "interleaved":
        engines = len(experiment.variants) + (twin is not None)
        load = {"slice": SLICE, "order": "abba" if engines == 2 else "latin"} | load
    if duration is not None:
        load["duration"] = duration
        warmup_s = min(duration_s(load["warmup"]), WARMUP_SHARE_MAX * duration_s(duration))
        load["warmup"] = f"{warmup_s:g}s"
    service = server.pop("service", "echo")
    return Trial(
        trial=name_of(block, order),
        block=block,
        order=order,
        cell=cell,
        engine=variant.engine,
        service=service,
        server_settings={key: value for key, value in server.items() if value},
        load_settings={key: value for key, value in load.items() if value},
    )
