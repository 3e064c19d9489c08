"""From an experiment to its trials: each cell once per block, in a seeded random order."""

from __future__ import annotations

import itertools
import random
from typing import TYPE_CHECKING

import msgspec

from serverlab.design.contrast import ENGINE
from serverlab.design.exclude import is_excluded
from serverlab.design.given_settings import MEASURED_SERVER
from serverlab.design.kind import ends_when_done
from serverlab.design.turns import Turns, shuffled, turns_of, with_order
from serverlab.errors import UsageError
from serverlab.levels import subject_name
from serverlab.load_result import SCHEMA
from serverlab.machine.machine import congestion_control, cpu_halves
from serverlab.quantities import cpu_set, duration_s, share_of
from serverlab.records import CLASS, Plan, PlannedTrial

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from serverlab.design.experiment import Experiment
    from serverlab.design.turns import Place
    from serverlab.quantities import Level
    from serverlab.records import Contrast

# Beside a trial's warm-up and window: starting, connecting, draining, stopping.
OVERHEAD_S = 0.6
OVERHEAD_OF_TURNS_S = 0.1  # servers that take turns start and stop together
BORDER_S = 0.05  # between two slices, in which generators on hosts are told when to begin
REQUESTS = 10  # of a session, where an experiment does not say
REQUEST_S = 1e-3  # that a request takes, about
SERVICE = "echo"  # where an experiment does not say
WARMUP_AUTO, WARMUP_AUTO_S = "auto", 20.0  # until the load is steady, and then at most
WARMUP_SHARE_MAX = 0.5  # of the window, when the duration is overridden


def trial_s(trial: PlannedTrial) -> float:
    """How long a trial takes, about."""
    load = trial.load_settings
    return warmup_s(load["warmup"]) + load_s(load) + trial.stop_after_s + overhead_s(load)


def load_s(load: Mapping[str, str]) -> float:
    """How long a load takes, about: its window, or as long as so many sessions need at least."""
    limit_s = duration_s(load["duration"])
    if (sessions := int(load.get("sessions", 0))) == 0:
        return limit_s
    each_s = max(REQUEST_S, duration_s(load.get("think", "0s")))
    return min(limit_s, sessions * int(load.get("requests", REQUESTS)) * each_s)


def overhead_s(load: Mapping[str, str]) -> float:
    """The time of a trial beside its warm-up and its window, by the settings of its load."""
    return OVERHEAD_OF_TURNS_S if "slice" in load else OVERHEAD_S


def plan_s(plan: Plan) -> float:
    """How long a run takes, about."""
    borders = sum(map(slices, plan.trials)) if plan.generators else 0
    return sum(map(trial_s, plan.trials)) + BORDER_S * borders


def slices(trial: PlannedTrial) -> float:
    """How many slices a trial has; none if it has its time to itself."""
    load = trial.load_settings
    return duration_s(load["duration"]) / duration_s(load["slice"]) if "slice" in load else 0


def plan_max_s(plan: Plan) -> float:
    """How long it takes if all blocks are run that a precision may ask for."""
    planned_s = plan_s(plan)
    longest_s = planned_s * max(1, plan.blocks_max / plan.blocks)
    return max(planned_s, min(longest_s, plan.time_max_s or longest_s))


def told_server(trial: PlannedTrial, address: str = "127.0.0.1") -> dict[str, str]:
    """What the server of a trial is told; `address` is its host's."""
    return {
        "engine": trial.engine,
        "service": trial.service,
        "listen": f"{address}:0",
        **trial.server_settings,
    }


def told_load(trial: PlannedTrial, addresses: Sequence[str]) -> dict[str, str]:
    """What a load of servers at these addresses is told, beside their processes."""
    return {"target": " ".join(addresses), "service": trial.service, **trial.load_settings}


def place_of(plan: Plan, cell: Mapping[str, Level]) -> Place:
    """Where a cell is compared with others: its levels but for those that are compared."""
    between = plan.contrast.between or [ENGINE]
    alike = Turns(of=tuple(between), twin=plan.twin, twin_of=plan.baseline)
    return alike.shared({name: level for name, level in cell.items() if name in plan.factors})


def with_another_block(plan: Plan, places: Container[Place] | None = None) -> Plan:
    """The same plan with one block more, in an order that seed and block decide.

    It has the cells of these places, or all.
    """
    block = plan.blocks + 1
    first = {
        tuple(trial.cell.items()): trial
        for trial in plan.trials
        if trial.block == 1 and (places is None or place_of(plan, trial.cell) in places)
    }
    cells = shuffled(
        [trial.cell for trial in first.values()],
        turns_of(plan),
        random.Random(f"{plan.seed}, block {block}"),
    )
    more = [
        placed(trial, block, order)
        for order, trial in enumerate(
            capacities_first([first[tuple(cell.items())] for cell in cells]), start=1
        )
    ]
    return msgspec.structs.replace(plan, trials=[*plan.trials, *more])


def with_repeat(plan: Plan, name: str) -> Plan:
    """The same plan with one trial once more, right behind the first time, unless it is there."""
    if any(trial.repeats == name for trial in plan.trials):
        return plan
    place = next(place for place, trial in enumerate(plan.trials) if trial.trial == name)
    repeat = msgspec.structs.replace(plan.trials[place], trial=f"{name}-again", repeats=name)
    trials = [*plan.trials[: place + 1], repeat, *plan.trials[place + 1 :]]
    return msgspec.structs.replace(plan, trials=trials)


def check_settings(plan: Plan) -> None:
    """Refuse a plan with settings that no version of serverlab has made. Raises UsageError."""
    for trial in plan.trials:
        if missing := {"warmup", "duration"} - trial.load_settings.keys():
            raise UsageError(f"{trial.trial}: load_settings lack {', '.join(sorted(missing))}")
        for settings in (trial.server_settings, trial.load_settings):
            cpu_set(settings.get("cpus", ""))
        assert trial_s(trial) >= 0  # it can be read, or says why not


def make_plan(
    experiment: Experiment,
    *,
    seed: int | None = None,
    duration: str | None = None,
    generators: int = 0,
) -> Plan:
    """Lay out the trials.

    `seed` and `duration` override those of the experiment; a seed that is not given is drawn.
    `generators` on hosts of their own issue the load; 0: one does, beside the server.
    """
    if seed is None:
        seed = experiment.design.seed
    if seed is None:
        seed = random.SystemRandom().randrange(2**32)
    twin = twin_name(experiment) if experiment.design.twin else None
    engines = [*experiment.variants, *([twin] if twin else [])]
    factors: dict[str, list[Level]] = {"engine": list(engines), **experiment.factors}
    cells = [
        cell
        for cell in cells_of(experiment.contrast, factors, twin)
        if not is_excluded(cell, experiment.design.exclude)
    ]
    halves = ("", "") if generators else cpu_halves()
    resolved = {
        tuple(cell.items()): make_trial(experiment, cell, halves, twin=twin, duration=duration)
        for cell in cells
    }
    plan = Plan(
        schema=SCHEMA,
        name=experiment.name,
        question=experiment.question,
        seed=seed,
        baseline=experiment.design.baseline,
        twin=twin,
        factors=factors,
        trials=list(resolved.values()),
        design=experiment.design.kind,
        design_reason=experiment.design.reason,
        connection_log=experiment.design.connection_log,
        explain=experiment.design.explain,
        family=experiment.family,
        contrast=experiment.contrast,
        precision=experiment.design.precision,
        blocks_max=experiment.design.blocks_max,
        time_max_s=experiment.design.time_max_s * shortened(experiment, cells[0], duration),
        generators=generators,
        server_node=experiment.cluster.server if generators else {},
    )
    turns, drawn = turns_of(plan), random.Random(seed)
    trials = [
        placed(trial, block, order)
        for block in range(1, experiment.design.blocks + 1)
        for order, trial in enumerate(
            capacities_first(
                [resolved[tuple(cell.items())] for cell in shuffled(cells, turns, drawn)]
            ),
            start=1,
        )
    ]
    return msgspec.structs.replace(plan, trials=with_order(trials, plan))


def shortened(experiment: Experiment, cell: dict[str, Level], duration: str | None) -> float:
    """The share of its planned time that a trial takes if its duration is overridden by less."""
    if duration is None:
        return 1
    usual, told = (
        trial_s(make_trial(experiment, cell, ("", ""), twin=None, duration=one))
        for one in (None, duration)
    )
    return min(1, told / usual)


def cells_of(
    contrast: Contrast, factors: Mapping[str, list[Level]], twin: str | None
) -> list[dict[str, Level]]:
    """Every combination of levels.

    Where no engines are compared, the twin is that of the baseline's level alone.
    """
    cells = [
        dict(zip(factors, levels, strict=True)) for levels in itertools.product(*factors.values())
    ]
    between = contrast.between
    if not between or between == [CLASS]:
        return cells
    baseline = contrast.baseline or subject_name(cells[0], between)
    return [
        cell for cell in cells if cell["engine"] != twin or subject_name(cell, between) == baseline
    ]


def capacities_first(trials: list[PlannedTrial]) -> list[PlannedTrial]:
    """A block's trials with those last whose rate is a share of what the others find."""
    return sorted(trials, key=lambda trial: share_of(trial.load_settings.get("rate", "")) or 0)


def twin_name(experiment: Experiment) -> str:
    """The name of the A/A twin: `poll again`, or more of that if a variant has this name."""
    name = f"{experiment.design.baseline} again"
    while name in experiment.variants:
        name += " again"
    return name


def name_of(block: int, order: int) -> str:
    """A trial's name: its block, and its place in it."""
    return f"b{block}-{order:03}"


def placed(trial: PlannedTrial, block: int, order: int) -> PlannedTrial:
    """The same trial at a place in a block."""
    return msgspec.structs.replace(
        trial, trial=name_of(block, order), block=block, order=order, repeats=""
    )


def warmup_s(text: str) -> float:
    """How long a warm-up takes at most."""
    return WARMUP_AUTO_S if text == WARMUP_AUTO else duration_s(text)


def make_trial(
    experiment: Experiment,
    cell: dict[str, Level],
    halves: tuple[str, str],
    *,
    twin: str | None,
    duration: str | None,
) -> PlannedTrial:
    """Resolve a cell to what is passed to the two programs: a trial that has no place yet."""
    name = str(cell["engine"])
    variant = experiment.variants[experiment.design.baseline if name == twin else name]
    server_cpus, load_cpus = halves
    levels = {key: str(value) for key, value in cell.items() if key != "engine"}
    server = {"cpus": server_cpus, "congestion": congestion_control()}
    if variant.contestant is None:
        server |= MEASURED_SERVER
    server |= experiment.server | variant.settings
    server |= {key: value for key, value in levels.items() if key in experiment.server_factors}
    load = {
        "cpus": load_cpus,
        "congestion": congestion_control(),
        "warmup": "0s" if ends_when_done(experiment.load | levels) else "1s",
        "duration": "10s",
    }
    load |= experiment.load
    load |= {key: value for key, value in levels.items() if key in experiment.load_factors}
    unused = experiment.unused.get(load.get("model", ""), frozenset())
    load = {key: value for key, value in load.items() if key not in unused}
    if duration is not None:
        load["duration"] = duration
        shorter_s = min(warmup_s(load["warmup"]), WARMUP_SHARE_MAX * duration_s(duration))
        load["warmup"] = f"{shorter_s:g}s"
    service = server.pop("service", SERVICE)
    return PlannedTrial(
        trial="",
        block=0,
        order=0,
        cell=cell,
        engine=variant.engine,
        service=service,
        server_settings={key: value for key, value in server.items() if value},
        load_settings={key: value for key, value in load.items() if value},
        stop_after_s=duration_s(experiment.design.stop_after),
        contestant=variant.contestant,
    )
