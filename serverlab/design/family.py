"""The neighbour of each engine of an experiment: the catalogue's tree, cut to its engines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serverlab.records import Kin

if TYPE_CHECKING:
    from collections.abc import Mapping

    from serverlab.design.catalog import Engine


def family(
    engines_by_name: Mapping[str, str],
    settings: Mapping[str, Mapping[str, str]],
    catalogue: Mapping[str, Engine],
) -> dict[str, Kin]:
    """The neighbour of each name that has one in the experiment.

    Where the catalogue's neighbour is not in the experiment, the nearest of its forebears that is.
    An engine with settings of its own is beside the same engine without them.

    Args:
        engines_by_name: the engine of each name in the experiment
        settings: of each name, what it sets for itself
        catalogue: all engines
    """
    kin = {}
    for name, engine in engines_by_name.items():
        if name != engine:
            if engine in engines_by_name:
                own = ", ".join(f"{key} {value}" for key, value in settings[name].items())
                kin[name] = Kin(neighbour=engine, difference=own)
            continue
        steps = []
        row = catalogue[engine]
        while row.neighbour:
            steps.append(row.difference)
            if row.neighbour in engines_by_name:
                kin[name] = Kin(neighbour=row.neighbour, difference="; ".join(reversed(steps)))
                break
            row = catalogue[row.neighbour]
    return kin
