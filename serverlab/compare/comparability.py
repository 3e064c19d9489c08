"""Whether two runs ask the same, and in what else they differ.

A question is a cell's load model, service and everything else that a request depends on: where that
differs, a ratio has no meaning. How it was carried, and on which machine, may be what one wants to
know; it is said.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from serverlab.analysis.axes import axes_of
from serverlab.analysis.cells import Cell, gather, key_of
from serverlab.analysis.subjects import subjects_of
from serverlab.console import describe
from serverlab.design.catalog import catalog
from serverlab.errors import LabError, UsageError
from serverlab.notation import count, level_text, listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from serverlab.analysis.run_data import RunData
    from serverlab.environment import Environment
    from serverlab.quantities import Level
    from serverlab.records import Trial

# Settings of the load that say how it was carried, not what was asked.
CARRIED = {
    "cpus", "threads", "processes", "pacing", "transport", "congestion", "seed", "source",
    "duration", "warmup", "timeout", "connect-timeout", "connect-rate", "slice", "order",
    "connection-log",
}  # fmt: skip
# Facts of the machine without which it is another one.
IDENTITY = ("cpu", "cpus", "memory_bytes", "virtualized")
# Facts of the moment, which always differ; and a table, whose rows are facts of their own.
MOMENTARY = {"schema", "warnings", "load_average", "steal_ticks", "sysctls"}
NAMED_MAX = 3  # cells that a sentence names


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A cell that both runs have."""

    levels: dict[str, Level]
    first: Cell
    second: Cell


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A fact or setting in which the runs differ."""

    what: str
    first: str
    second: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Paired:
    """Two runs that may be compared."""

    first: RunData
    second: RunData
    pairs: list[Pair]
    notes: list[str]  # what limits the comparison, a sentence each
    differences: list[Difference]


def pair_up(first: RunData, second: RunData) -> Paired:
    """Find what the runs have in common. Raises UsageError if comparing them makes no sense."""
    if first.folder.resolve() == second.folder.resolve():
        raise UsageError(f"{first.folder} and {second.folder} are the same run")
    for run in (first, second):
        if not run.trials:
            raise UsageError(f"{run.folder} has no finished trial")
    refuse_other_question(first, second)
    cells = [cells_of(run) for run in (first, second)]
    common = [key for key in cells[0] if key in cells[1]]
    if not common:
        raise UsageError(
            f"no cell is in both runs: {first.folder} has {described(first)}; "
            f"{second.folder} has {described(second)}"
        )
    pairs = [
        Pair(levels=levels_of(cells[0][key]), first=cells[0][key], second=cells[1][key])
        for key in common
    ]
    return Paired(
        first=first,
        second=second,
        pairs=pairs,
        notes=list(notes(first, second, cells)),
        differences=list(differences(first, second)),
    )


def cells_of(run: RunData) -> dict[tuple[Level, ...], Cell]:
    """The cells of a run by their levels, without the twin's."""
    return {
        key_of(levels_of(cell)): cell
        for cell in gather(run, axes_of(run.plan.factors, subjects_of(run.plan)))
        if cell.trials and cell.levels["engine"] != run.plan.twin
    }


def levels_of(cell: Cell) -> dict[str, Level]:
    """The levels of a cell that has been run, its engine among them."""
    return cell.trials[0].cell


def refuse_other_question(first: RunData, second: RunData) -> None:
    """Raise UsageError if what was asked in a common cell differs between the runs."""
    asked = [questions(run) for run in (first, second)]
    for key in asked[0].keys() & asked[1].keys():
        one, other = asked[0][key], asked[1][key]
        for name in sorted(one.keys() | other.keys()):
            if one.get(name) != other.get(name):
                raise UsageError(
                    f"the runs ask different things: {name} is {one.get(name, 'not set')} in "
                    f"{first.folder}, {other.get(name, 'not set')} in {second.folder}"
                )


def questions(run: RunData) -> dict[tuple[Level, ...], dict[str, str]]:
    """What was asked in each cell, by its levels."""
    return {key_of(trial.cell): question(trial) for trial in run.trials}


def question(trial: Trial) -> dict[str, str]:
    """All that a request of a trial depends on; what was not said is the program's own."""
    said = fallbacks() | trial.load_settings
    asked = {
        name: "".join(str(value).split()) for name, value in said.items() if name not in CARRIED
    }
    if trial.load is not None:
        asked["model"] = trial.load.load.model
    return asked | {"service": trial.service}


def fallbacks() -> dict[str, str]:
    """What the load's settings are where no option gives them; none if it is not built here."""
    with contextlib.suppress(LabError):
        return {name: setting.fallback for name, setting in catalog().load_settings.items()}
    return {}


def described(run: RunData) -> str:
    """A run's factors, in words."""
    return "; ".join(
        f"{name} {listed([level_text(level) for level in levels])}"
        for name, levels in run.plan.factors.items()
    )


def notes(
    first: RunData, second: RunData, cells: list[dict[tuple[Level, ...], Cell]]
) -> Iterator[str]:
    """What limits the comparison."""
    changed = [
        name
        for name in IDENTITY
        if getattr(first.environment, name) != getattr(second.environment, name)
    ]
    if changed:
        yield (
            f"The runs are of different machines ({listed(changed)}): what differs may be theirs, "
            "and not the programs'."
        )
    for run, own, others in (
        (first, cells[0], cells[1]),
        (second, cells[1], cells[0]),
    ):
        planned = sum(not trial.repeats for trial in run.plan.trials)
        if len(run.counted) < planned:
            yield (
                f"{run.folder} is not complete: {count(len(run.counted))} of {count(planned)} "
                "trials."
            )
        alone = [describe(levels_of(own[key])) for key in own if key not in others]
        if alone:
            more = len(alone) - NAMED_MAX
            named = "; ".join(alone[:NAMED_MAX]) + (f" and {more} more" if more > 0 else "")
            yield f"In {run.folder} alone, and not compared: {named}."
        invalid = sum(not trial.is_valid for trial in run.counted)
        if invalid:
            yield f"{run.folder} has {count(invalid)} trials that are not valid: they do not count."
        if run.environment.dirty:
            yield f"{run.folder} was of a working tree with uncommitted changes."


def differences(first: RunData, second: RunData) -> Iterator[Difference]:
    """Every fact and setting in which they differ."""
    yield from differing("", facts(first.environment), facts(second.environment))
    designs = [{"design": run.plan.design} for run in (first, second)]
    yield from differing("", designs[0], designs[1])
    contestants = [contestants_of(run) for run in (first, second)]
    both = contestants[0].keys() & contestants[1].keys()
    yield from differing(
        "contestant ", *({name: own[name] for name in sorted(both)} for own in contestants)
    )
    for side in ("server_settings", "load_settings"):
        shared = [common_settings(run, side) for run in (first, second)]
        names = {name for name in shared[0].keys() | shared[1].keys() if side == "server_settings"
                 or name in CARRIED}  # fmt: skip
        yield from differing(
            f"{side.partition('_')[0]} ",
            *({name: own[name] for name in own if name in names} for own in shared),
        )


def differing(
    prefix: str, first: Mapping[str, object], second: Mapping[str, object]
) -> Iterator[Difference]:
    """The entries of two mappings that are not the same."""
    for name in sorted(first.keys() | second.keys()):
        one, other = (str(own.get(name, "not set")) for own in (first, second))
        if one != other:
            yield Difference(what=f"{prefix}{name}", first=one, second=other)


def facts(environment: Environment) -> dict[str, str | None]:
    """The machine's lasting facts, kernel parameters by their own name."""
    every = msgspec.structs.asdict(environment)
    lasting = {name: value for name, value in every.items() if name not in MOMENTARY}
    return lasting | environment.sysctls


def contestants_of(run: RunData) -> dict[str, str]:
    """What starts each contestant of a run, and its version."""
    return {
        trial.contestant.name: ", ".join(
            filter(None, (trial.contestant.start or trial.contestant.address, trial.server.version))
        )
        for trial in run.trials
        if trial.contestant is not None and trial.server is not None
    }


def common_settings(run: RunData, side: str) -> dict[str, str]:
    """The settings that are the same in all trials of a run; the others are factors."""
    every: list[dict[str, str]] = [getattr(trial, side) for trial in run.trials]
    return {
        name: value
        for name, value in every[0].items()
        if all(own.get(name) == value for own in every)
    }
