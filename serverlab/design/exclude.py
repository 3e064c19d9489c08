"""Combinations of levels that an experiment leaves out: `exclude = [{model = "open", …}]`.

An entry leaves out every cell that has all of its levels. Of a combination all subjects are left
out or none, so that each one that is measured has its baseline.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from serverlab.design.relative_rate import CLOSED
from serverlab.errors import UsageError
from serverlab.quantities import quoted, share_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from serverlab.quantities import Level

    Exclusion = Mapping[str, Level]

KEY = "[design] exclude"


def is_excluded(cell: Mapping[str, Level], exclusions: Sequence[Exclusion]) -> bool:
    """Whether one of the entries has no level that the cell does not have."""
    return any(entry.items() <= cell.items() for entry in exclusions)


def exclusions_of(
    given: object,
    factors: Mapping[str, Sequence[Level]],
    compared: Sequence[str],
    load: Mapping[str, Sequence[Level] | Level],
) -> tuple[Exclusion, ...]:
    """What is left out, checked; `factors` are those apart from the engine.

    Raises UsageError for an entry that names no cell or parts what is compared, and if nothing or
    no closed loop is left where a relative rate needs it.
    """
    if not isinstance(given, list | tuple) or not all(
        isinstance(one, dict) and one for one in given
    ):
        raise UsageError(f'{KEY} is a list of levels: [{{model = "open", connections = 1000}}]')
    for entry in given:
        for name, level in entry.items():
            refuse_level(name, level, factors, compared)
    cells = [dict(zip(factors, one, strict=True)) for one in itertools.product(*factors.values())]
    left = [cell for cell in cells if not is_excluded(cell, given)]
    if not left:
        raise UsageError(f"{KEY} leaves nothing to measure")
    if share_of(str(load.get("rate", ""))) is not None:
        for cell in left:
            if is_excluded(cell | {"model": CLOSED}, given):
                raise UsageError(
                    f"{KEY}: the relative rate needs the closed loop of {quoted(cell)}"
                )
    return tuple(given)


def refuse_level(
    name: str, level: object, factors: Mapping[str, Sequence[Level]], compared: Sequence[str]
) -> None:
    """Raise UsageError unless it is a level of a factor that is not compared."""
    if name == "engine" or name in compared:
        raise UsageError(f"{KEY}: {name} is compared: each of its levels is measured, or none")
    if name not in factors:
        known = ", ".join(one for one in factors if one not in compared) or "none"
        raise UsageError(
            f"{KEY}: {quoted(name)} is no factor; factors that are not compared: {known}"
        )
    if level not in factors[name]:
        levels = ", ".join(map(str, factors[name]))
        raise UsageError(f"{KEY}: {quoted(level)} is no level of {name}: {levels}")
