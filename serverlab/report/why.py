"""Why engines differ from their neighbours: the ledgers of a run, a row each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.analysis.ledger import ledgers
from serverlab.errors import LabError
from serverlab.report.ledger_words import change, sentences

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serverlab.analysis.ledger import Difference
    from serverlab.analysis.run_data import RunData


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """What an engine costs more than its neighbour, and by which parts."""

    found: Difference
    sentence: str
    difference: str
    rest: str


def whys(run: RunData) -> list[Why]:
    """A row for each edge that was explained."""
    return list(made(run))


def made(run: RunData) -> Iterator[Why]:
    """The same, one by one; what has too few slices says nothing."""
    for load in run.ledgers:
        try:
            costs, [found] = ledgers(load)
        except LabError:
            continue
        yield Why(
            found=found,
            sentence=sentences(costs, [found], load.without_probe)[0],
            difference=change(found.cpu_ns),
            rest=change(found.rest_ns),
        )
