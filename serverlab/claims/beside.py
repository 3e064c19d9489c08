"""The ledgers beside verdicts: measured for a campaign, and read for its page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from serverlab.analysis.ledger import ledgers
from serverlab.design.edges import EDGE_S
from serverlab.documents import decode
from serverlab.errors import LabError
from serverlab.files import write_whole
from serverlab.machine.machine import cpus_of_all
from serverlab.report.ledger_words import cost_table, sentences, wait_table
from serverlab.running.neighbours import measuring
from serverlab.running.probed_load import measure
from serverlab.slices import LEDGERS, ProbedLoad

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from serverlab.analysis.ledger import Difference, Ledger
    from serverlab.claims.claim import Claim
    from serverlab.claims.ledger import LedgerOf
    from serverlab.report.ledger_words import Cells
    from serverlab.running.events import Event

LEDGER_S = EDGE_S + 3  # that one takes, with its warm-up
BUDGET_SHARE = 0.05  # of a campaign's: a verdict rests on runs, and not on a ledger


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """A ledger as it stands beside a verdict."""

    of: LedgerOf
    sentences: list[str]
    tables: list[Cells]
    ledgers: list[Ledger]
    differences: list[Difference]


def affordable(claims: Iterable[Claim], budget_s: float | None) -> list[str]:
    """The names of the ledgers of some claims, as far as a budget allows them."""
    names = list(dict.fromkeys(one.ledger.name for one in claims if one.ledger is not None))
    return names if budget_s is None else names[: int(BUDGET_SHARE * budget_s / LEDGER_S)]


def ledgers_of(claims: Iterable[Claim], names: Sequence[str]) -> list[LedgerOf]:
    """The ledgers with these names."""
    by_name = {one.ledger.name: one.ledger for one in claims if one.ledger is not None}
    return [by_name[name] for name in names if name in by_name]


def file_of(folder: Path, name: str) -> Path:
    """Where a ledger's slices are."""
    return folder / LEDGERS / f"{name}.json"


def measure_ledger(
    folder: Path, one: LedgerOf, command: str, complain: Callable[[str], None],
    on_event: Callable[[Event], None],
) -> str:  # fmt: skip
    """Measure one, and put it on disk. Return why that cannot be done, or an empty text."""
    logs = folder / LEDGERS / f"{one.name}-logs"
    logs.mkdir(parents=True, exist_ok=True)
    trials = one.trials()
    settings = [of for trial in trials for of in (trial.server_settings, trial.load_settings)]
    try:
        with measuring(command, cpus_of_all(settings), complain):
            found = measure(trials, logs, on_event)
    except LabError as error:
        return f"{one.name} has no ledger: {error}"
    write_whole(file_of(folder, one.name), msgspec.json.encode(found) + b"\n")
    return ""


def found_beside(folder: Path, claims: Sequence[Claim], names: Sequence[str]) -> dict[str, Beside]:
    """The ledgers that there are, by the ids of their claims."""
    found: dict[str, Beside] = {}
    for one in ledgers_of(claims, names):
        path = file_of(folder, one.name)
        if path.exists() and (beside := beside_of(one, decode(path, ProbedLoad, "ledger"))):
            found |= {claim.id: beside for claim in claims if claim.ledger == one}
    return found


def beside_of(one: LedgerOf, load: ProbedLoad) -> Beside | None:
    """What its slices say; nothing if they are too few."""
    try:
        costs, differences = ledgers(load)
    except LabError:
        return None
    return Beside(
        of=one,
        sentences=sentences(costs, differences, load.without_probe),
        tables=[cost_table(costs, differences), wait_table(costs)],
        ledgers=costs,
        differences=differences,
    )
