"""Settings as a table of an experiment gives them: a list is a factor, a scalar is fixed."""

from __future__ import annotations

import difflib
import math
from typing import TYPE_CHECKING

from serverlab.design.known_keys import known
from serverlab.design.outputs import refuse_outputs
from serverlab.errors import UsageError
from serverlab.plain_text import HIDDEN
from serverlab.quantities import NUMBER_MAX, Level, quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from serverlab.design.catalog import Setting
    from serverlab.quantities import TomlTable

# Set by the laboratory for each trial.
RESERVED_SERVER = {"listen"}
RESERVED_LOAD = {"target", "server-pid", "service", "part", "begin"}
# Of an engine that is measured, unless an experiment asks for something else: each system call
# passes the filter, while those of a contestant and the operations of a ring pass none.
MEASURED_SERVER = {"confine": "off"}


def settings_of(
    table: str, given: TomlTable, settings: Mapping[str, Setting], reserved: set[str]
) -> dict[str, list[Level] | Level]:
    """The table's keys with their levels, each checked as far as its setting says."""
    refuse_outputs(
        f"[{table}] ", given, settings, "; [design] connection_log = true keeps one for each trial"
    )
    known(f"[{table}]", given, settings.keys() - reserved)
    return {
        key: [level(f"[{table}] {key}", settings[key], one) for one in value]
        if isinstance(value, list)
        else level(f"[{table}] {key}", settings[key], value)
        for key, value in given.items()
    }


def level(where: str, setting: Setting, value: object) -> Level:
    """One value of a setting, as the report shows it; `where` it stands is for messages."""
    if isinstance(value, bool):
        value = "on" if value else "off"
    if not isinstance(value, str | int | float):
        raise UsageError(f"{where}: {quoted(value)} is neither a text nor a number")
    if isinstance(value, float) and not math.isfinite(value):
        raise UsageError(f"{where}: {value} is no value of a setting")
    if isinstance(value, int) and not -NUMBER_MAX <= value < NUMBER_MAX:
        raise UsageError(f"{where}: {quoted(value)} is too large a number")
    if isinstance(value, str) and HIDDEN.search(value):
        raise UsageError(f"{where}: {quoted(value)} holds a character that cannot be seen")
    if setting.choices and str(value) not in setting.choices:
        near = difflib.get_close_matches(str(value), setting.choices, n=1, cutoff=0.5)
        hint = f"; did you mean {near[0]}?" if near else ""
        allowed = ", ".join(setting.choices)
        raise UsageError(f"{where}: {quoted(value)} is not one of {allowed}{hint}")
    return value


def factors_of(settings: Mapping[str, list[Level] | Level]) -> dict[str, list[Level]]:
    """The settings that are lists."""
    factors = {key: value for key, value in settings.items() if isinstance(value, list)}
    for key, levels in factors.items():
        if not levels:
            raise UsageError(f"{key} is an empty list")
        if len(set(map(str, levels))) < len(levels):
            raise UsageError(f"{key} names a level twice")
    return factors


def fixed_of(settings: Mapping[str, list[Level] | Level]) -> dict[str, str]:
    """The settings that are scalars, as text."""
    return {key: str(value) for key, value in settings.items() if not isinstance(value, list)}


def as_list(value: list[Level] | Level) -> list[str]:
    """The level or levels of a setting, as text."""
    return [str(one) for one in value] if isinstance(value, list) else [str(value)]
