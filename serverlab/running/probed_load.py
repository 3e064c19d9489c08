"""Loads servers in slices, and has the probe come and go between them."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING

from serverlab.design.plan import told_load
from serverlab.errors import LabError, UnsupportedError
from serverlab.machine.native import PROBE, program
from serverlab.quantities import duration_s
from serverlab.running.borders import (
    Borders,
    FollowingBorders,
    OutsideBorders,
    ProbedBorders,
)
from serverlab.running.events import (
    AtBorder,
    Connected,
    Listening,
    LoadEnded,
    Probing,
)
from serverlab.running.host import HERE
from serverlab.running.process import NativeProcess
from serverlab.running.program import START_LIMIT_S
from serverlab.running.switch_counts import SwitchCounter
from serverlab.running.trial import limit_s, pids_of, raise_if_server_died, start_server
from serverlab.slices import GROUP, SLICE_S, TURNS, ProbedLoad, Slice, turn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from serverlab.load_result import LoadResult
    from serverlab.records import PlannedTrial
    from serverlab.running.events import Event


FIRST_LEAD_NS = 50_000_000  # from telling when to begin until then
LEAD_NS = 1_000_000  # from slice to slice: one that begins later is disturbed
ONE_IN = 8  # connections is followed, so that it costs little
READ_S = 0.5  # for which an event is waited for at a time


def measure(
    trials: Sequence[PlannedTrial],
    logs: Path,
    on_event: Callable[[Event], None],
    *,
    sampled_groups: int = 0,
    follows: bool = False,
) -> ProbedLoad:
    """Load the servers of these trials in turns, and return their slices in the order of time.

    In the last `sampled_groups` of them stacks are sampled, and nothing is counted. Where there can
    be no probe, what is counted is what everybody may know. If the probe `follows` requests, these
    are not counted, but each of some connections is kept. Raises LabError if a program fails, and
    if requests are to be followed and there can be no probe.
    """
    names = [str(trial.cell["engine"]) for trial in trials]
    counted = len(trials) * (slices_of(trials[0]) - GROUP * sampled_groups)
    with contextlib.ExitStack() as running:
        servers = [
            running.enter_context(start_server(HERE, trial, {}, logs / f"server-{number}.log"))
            for number, trial in enumerate(trials, start=1)
        ]
        addresses = [server.await_event(Listening, START_LIMIT_S).address for server in servers]
        pids = pids_of(servers)
        if pids is None:
            raise UnsupportedError("a server whose process is not known cannot be probed")
        why = ""
        told = {"pid": " ".join(map(str, pids))}
        probe = None
        try:
            if follows:
                told |= following(trials[0], addresses)
            probe = running.enter_context(started_probe(told, logs))
        except UnsupportedError as error:
            if follows:
                raise
            why = str(error)
        settings = {**told_load(trials[0], addresses), **TURNS, "begin": "told"}
        settings["server-pid"] = " ".join(map(str, pids))
        load = running.enter_context(NativeProcess("serverlab-load", settings, logs / "load.log"))
        borders: Borders
        if probe is None:
            borders = OutsideBorders(len(trials), pids=pids)
        elif follows:
            borders = FollowingBorders(len(trials), probe=probe)
        else:
            borders = ProbedBorders(
                len(trials),
                probe=probe,
                switches=SwitchCounter(pids, load.pid),
                sampled_from=counted,
                samples=sampled_groups > 0,
            )
        try:
            results = follow(load, borders, limit_s(trials), on_event)
            stacks = borders.stacks()
        except LabError:
            raise_if_server_died(trials, servers)
            raise
    return ProbedLoad(
        slices=in_order(names, results, borders)[:counted],
        stacks=dict(zip(names, stacks, strict=True)),
        costs_ns=borders.typical_costs_ns(),
        without_probe=why,
        requests=dict(zip(names, borders.requests(), strict=True)) if follows else {},
        requests_lost=borders.lost,
    )


def following(trial: PlannedTrial, addresses: Sequence[str]) -> dict[str, str]:
    """What the probe is told so that it follows requests: one in so many connections."""
    connections = int(trial.load_settings.get("connections", "1"))
    return {
        "port": " ".join(address.rpartition(":")[2] for address in addresses),
        "one-in": str(min(ONE_IN, connections)),
    }


def started_probe(told: dict[str, str], logs: Path) -> NativeProcess:
    """The probe with these options, attached nowhere yet.

    Raises UnsupportedError if it was not built, or if the kernel does not take it.
    """
    try:
        program(PROBE)
    except LabError as error:
        raise UnsupportedError(str(error)) from None
    probe = NativeProcess(PROBE, told, logs / "probe.log", is_told=True)
    try:
        probe.await_event(Probing, START_LIMIT_S)
    except LabError:
        probe.stop()
        raise
    return probe


def follow(
    load: NativeProcess, borders: Borders, longest_s: float, on_event: Callable[[Event], None]
) -> list[LoadResult]:
    """See a load through its slices, and return the result of each target.

    Raises LabError if it ends before its time, or never.
    """
    place = -borders.servers
    deadline_s = time.monotonic() + 2 * longest_s
    while time.monotonic() < deadline_s:
        if (event := load.next_event(READ_S)) is None:
            continue
        on_event(event)
        match event:
            case Connected() | AtBorder():
                borders.pass_to(place)
                place += 1
                load.tell(
                    f"begin {time.monotonic_ns() + (FIRST_LEAD_NS if place < 1 else LEAD_NS)}"
                )
            case LoadEnded():
                return event.results()
    raise LabError(f"serverlab-load has not ended within {2 * longest_s:.0f} s")


def in_order(names: Sequence[str], results: Sequence[LoadResult], borders: Borders) -> list[Slice]:
    """The slices of all servers, with what was counted at their borders."""
    counted = borders.counted[len(names) :]  # behind the warm-ups
    rows = [iter(result.slices) for result in results]
    found = []
    for place, parts in enumerate(counted):
        target = turn(place, len(names))
        if (row := next(rows[target], None)) is None:  # behind the last slice
            break
        found.append(
            Slice(
                subject=names[target],
                group=place // (GROUP * len(names)),
                probed=borders.is_probed(place),
                disturbed=row.disturbed is True,
                requests=row.answered or 0,
                cpu_ns=round(1e9 * (row.server_cpu_s or 0)),
                switches=borders.switches_in(place),
                parts=dict(parts[target]),
            )
        )
    return found


def slices_of(trial: PlannedTrial) -> int:
    """How many slices each server has."""
    return round(duration_s(trial.load_settings["duration"]) / SLICE_S)
