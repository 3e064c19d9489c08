"""Why engines differ from their neighbours: the ledgers of a run, a row each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.report.ledger_words import change, sentences

if TYPE_CHECKING:
    from serverlab.analysis.ledger import Difference
    from serverlab.analysis.results import Results


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """What an engine costs more than its neighbour, and by which parts."""

    found: Difference
    sentence: str
    difference: str
    rest: str


def whys(shown: Results) -> list[Why]:
    """A row for each engine that was explained."""
    return [
        Why(
            found=one.difference,
            sentence=sentences(one.ledgers, [one.difference], one.without_probe)[0],
            difference=change(one.difference.cpu_ns),
            rest=change(one.difference.rest_ns),
        )
        for one in shown.explained
    ]
