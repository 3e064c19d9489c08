"""Asks the native programs whether they would start with some settings, before anything is run.

The programs know their settings; nothing of that is repeated here.
"""

from __future__ import annotations

import itertools
import subprocess
from typing import TYPE_CHECKING

import msgspec

from serverlab.design.plan import told_load, told_server
from serverlab.design.turns import groups_of
from serverlab.errors import UNAVAILABLE, USAGE, LabError, UnsupportedError, UsageError, reason_of
from serverlab.machine.native import program
from serverlab.quantities import quoted
from serverlab.running.capacity import with_any_rate

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from serverlab.records import Plan, PlannedTrial

LIMIT_S = 60
SERVER, LOAD = "serverlab-server", "serverlab-load"
ADDRESS = "127.0.0.1:1"  # stands for that of a server which has not been started

Settings = dict[str, str]
Cells = dict[tuple[str | int | float, ...], str]  # by a cell's levels: why it cannot be run here


class Checked(msgspec.Struct, frozen=True):
    """What a program says of settings (docs/results-schema.md)."""

    status: int
    setting: str | None = None
    text: str = ""


def checked(name: str, rows: Sequence[Mapping[str, str]]) -> list[Checked]:
    """What a program says of each row of settings."""
    lines = b"".join(msgspec.json.encode(row) + b"\n" for row in rows)
    try:
        done = subprocess.run(
            [program(name), "--check-lines"],
            input=lines,
            capture_output=True,
            check=False,
            timeout=LIMIT_S,
        )
    except OSError as error:
        raise LabError(f"cannot run {program(name)}: {reason_of(error)}") from error
    except subprocess.TimeoutExpired:
        raise LabError(f"{name} has not checked the settings within {LIMIT_S} s") from None
    found = [msgspec.json.decode(line, type=Checked) for line in done.stdout.splitlines()]
    if len(found) != len(rows):
        said = done.stderr.decode(errors="replace").strip()
        raise LabError(f"{name} ended while it checked settings: {said or done.returncode}")
    return found


def require(name: str, *rows: Mapping[str, str]) -> None:
    """Refuse settings with which a program does not start.

    Raises UsageError for a wrong setting, UnsupportedError for what this machine cannot do.
    """
    for result in checked(name, rows):
        if result.status == USAGE:
            raise UsageError(result.text)
        if result.status == UNAVAILABLE:
            raise UnsupportedError(result.text)
        if result.status != 0:
            raise LabError(f"{name}: {result.text}")


def unsupported(
    plan: Plan, where: str, own: Mapping[str, Mapping[str, str]] | None = None
) -> Cells:
    """The cells of a plan that this machine cannot run, each with the reason.

    Raises UsageError for the first setting that is wrong. `where` names the file that it is from,
    `own` holds what tables such as [engine.poll] say, by the name of the engine.
    """
    cells: Cells = {}
    for name, told in ((SERVER, told_to_servers(plan)), (LOAD, told_to_loads(plan))):
        rows = {tuple(sorted(settings.items())): settings for _, settings in told}
        found = dict(zip(rows, checked(name, list(rows.values())), strict=True))
        for trials, settings in told:
            result = found[tuple(sorted(settings.items()))]
            if result.status == UNAVAILABLE:
                cells |= {levels(trial): f"{name}: {result.text}" for trial in trials}
            elif result.status != 0:
                table = name.removeprefix("serverlab-")
                engine = named(plan, trials[0])
                if name == SERVER and result.setting in (own or {}).get(engine, {}):
                    table = f"engine.{engine}"
                said = sentence(result, settings, trials[0])
                raise UsageError(f"{where}: [{table}]{said}")
    return cells


def levels(trial: PlannedTrial) -> tuple[str | int | float, ...]:
    """What names a trial's cell within its plan."""
    return tuple(trial.cell.values())


def told_to_servers(plan: Plan) -> list[tuple[list[PlannedTrial], Settings]]:
    """Each cell of the plan with the settings of its server: those of all blocks are the same.

    A contestant's server is told nothing that could be checked so.
    """
    own = [trial for trial in first_block(plan).trials if trial.contestant is None]
    return [([trial], told_server(trial)) for trial in own]


def told_to_loads(plan: Plan) -> list[tuple[list[PlannedTrial], Settings]]:
    """The trials of the first block that share a load, with its settings."""
    return [
        (group, told_load(with_any_rate(group[0]), [ADDRESS] * len(group)))
        for group in groups_of(first_block(plan))
    ]


def first_block(plan: Plan) -> Plan:
    """The plan without its other blocks, which have the same cells."""
    trials = itertools.takewhile(lambda trial: trial.block == plan.trials[0].block, plan.trials)
    return msgspec.structs.replace(plan, trials=list(trials))


def named(plan: Plan, trial: PlannedTrial) -> str:
    """The engine of a trial as the experiment names it: the twin is the baseline."""
    engine = str(trial.cell["engine"])
    return plan.baseline if engine == plan.twin else engine


def sentence(result: Checked, settings: Settings, trial: PlannedTrial) -> str:
    """What is wrong with a setting, behind the table that it stands in."""
    wrong = result.text.removeprefix(f"--{result.setting}: ")
    key = "" if result.setting is None else f" {result.setting}"
    given = f" = {quoted(settings[result.setting])}" if result.setting in settings else ""
    return f"{key}{given}: {wrong} (with {', '.join(words(trial.cell))})"


def words(cell: Mapping[str, str | int | float]) -> Iterator[str]:
    """A cell, factor by factor."""
    return (f"{factor} {quoted(level)}" for factor, level in cell.items())
