"""Contestants show that they speak a service before any of them is timed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.contestants.building import build
from serverlab.design.catalog import catalog
from serverlab.errors import LabError
from serverlab.load_result import Verdict
from serverlab.quantities import Level
from serverlab.running.contestant_process import ContestantProcess, program_of
from serverlab.running.events import Listening
from serverlab.running.program import START_LIMIT_S
from serverlab.running.trial import verdict_of
from serverlab.verdicts import VerdictName
from serverlab.verify.probe import probe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from serverlab.contestant import Contestant
    from serverlab.records import PlannedTrial

OF_REQUESTS = {"depth", "model", "payload", "requests"}  # settings of any service's load

Cell = tuple[Level, ...]


@dataclass(frozen=True, slots=True)
class Ask:
    """What a contestant is asked to serve, and with which settings of the two programs."""

    service: str
    server_settings: dict[str, str]
    load_settings: dict[str, str]


def unproven(
    trials: Iterable[PlannedTrial], logs: Path, say: Callable[[str], None]
) -> dict[Cell, Verdict]:
    """The cells of contestants that cannot be timed, each with the verdict that says why.

    Each contestant is built, started once for each kind of request, asked, and stopped. `say` is
    told what takes long, and what is odd.
    """
    found: dict[object, Verdict | None] = {}
    cells = {}
    for trial in trials:
        if trial.contestant is None:
            continue
        key = (trial.contestant.name, trial.service, *asked_by(trial))
        if key not in found:
            ask = Ask(trial.service, trial.server_settings, trial.load_settings)
            found[key] = verdict_on(trial.contestant, ask, logs, say)
        if (verdict := found[key]) is not None:
            cells[tuple(trial.cell.values())] = verdict
    return cells


def asked_by(trial: PlannedTrial) -> list[tuple[str, str]]:
    """The settings of a trial's load on which it depends what a server is asked."""
    own = {setting.name for setting in catalog().services[trial.service].workload_settings}
    names = sorted((own | OF_REQUESTS) & trial.load_settings.keys())
    return [(name, trial.load_settings[name]) for name in names]


def verdict_on(
    contestant: Contestant, ask: Ask, logs: Path, say: Callable[[str], None]
) -> Verdict | None:
    """Why a contestant cannot be timed at a service; None if it can."""
    if ask.service not in contestant.services:
        spoken = ", ".join(contestant.services)
        return Verdict(
            VerdictName.NOT_OFFERED,
            f"{contestant.name} does not speak {ask.service}: its services are {spoken}",
        )
    log = logs / f"proof-{contestant.name}-{ask.service}.log"
    try:
        build(contestant, say)
        failure = first_failure(contestant, ask, log, say)
    except LabError as error:
        return verdict_of(error)
    if failure:
        return Verdict(VerdictName.NOT_OFFERED, f"{contestant.name}: {failure}")
    log.unlink(missing_ok=True)
    return None


def first_failure(contestant: Contestant, ask: Ask, log: Path, say: Callable[[str], None]) -> str:
    """The first exchange of a service that does not hold, or an empty text."""
    with program_of(contestant, ask.service, ask.server_settings, log) as server:
        address = server.await_event(Listening, START_LIMIT_S).address
        outcomes = probe(ask.service, address, ask.load_settings, required_only=True)
        server.ask_to_stop()
        server.expect_no_failure()
        if isinstance(server, ContestantProcess) and server.was_killed:
            say(f"{contestant.name} does not end on {contestant.stop}: serverlab kills it")
    return next((f"{one.name}: {one.failure}" for one in outcomes if one.failure), "")
