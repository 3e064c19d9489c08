"""After a run that asks for it: each engine beside its neighbour, in probed slices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from serverlab.design.catalog import catalog
from serverlab.design.edges import EDGE_S, Edge, edges_of
from serverlab.errors import LabError, OwnError
from serverlab.files import writing
from serverlab.running.probed_load import measure
from serverlab.slices import GROUP, LEDGERS, SLICE_S

if TYPE_CHECKING:
    from collections.abc import Callable

    from serverlab.records import Plan, PlannedTrial
    from serverlab.running.events import Event
    from serverlab.running.store import RunFolder

GROUPS = round(EDGE_S / (2 * GROUP * SLICE_S))


def unexplained(folder: RunFolder, plan: Plan) -> list[Edge]:
    """The edges of a plan that are to be explained and have not been."""
    in_kernel = [name for name, engine in catalog().engines.items() if engine.in_kernel]
    edges = edges_of(plan, in_kernel)
    return [edge for edge in edges if not (folder.path / LEDGERS / f"{edge.name}.json").exists()]


def explain(folder: RunFolder, edge: Edge, on_event: Callable[[Event], None]) -> str:
    """Measure an edge, and put it on disk. Return why that cannot be done, or an empty text."""
    trials = [of_slices(edge.neighbour), of_slices(edge.engine)]
    try:
        found = measure(trials, folder.logs, on_event)
    except OwnError:
        raise
    except LabError as error:
        return f"{edge.name} is not explained: {error}"
    with writing(folder.path / LEDGERS):
        (folder.path / LEDGERS).mkdir(exist_ok=True)
    folder.write(f"{LEDGERS}/{edge.name}.json", found)
    return ""


def of_slices(trial: PlannedTrial) -> PlannedTrial:
    """The same trial for as long as its slices take."""
    own = {"duration": f"{1000 * GROUPS * GROUP * SLICE_S:.0f} ms"}
    return msgspec.structs.replace(trial, load_settings=trial.load_settings | own)
