"""A load that generators share, each on a host that is this machine under another name."""

from __future__ import annotations

import os
import signal
import threading
from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from serverlab.analysis.wire import on_the_wire
from serverlab.errors import LabError
from serverlab.records import Generator, PlannedTrial, Trial
from serverlab.running.events import Connected, WindowBegan
from serverlab.running.host import HERE, Hosts, ThisMachine
from serverlab.running.host_clock import offset_of
from serverlab.running.process import NativeProcess
from serverlab.running.trial import not_together, of_several, run_trials
from tests.lab import report_data

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from serverlab.running.events import Event

STOP_S = 0.6
NAMES = ["server", "left", "middle", "right"]


class Named(ThisMachine):
    """This machine under another name; it knows what it has started."""

    def __init__(self, name: str) -> None:
        """A host of that name."""
        self.name = name
        self.programs: list[NativeProcess] = []

    def start(
        self, program: str, settings: Mapping[str, str], log: Path, under: Sequence[str] = ()
    ) -> NativeProcess:
        """Start a program, and keep it."""
        started = NativeProcess(program, dict(settings), log, under=under)
        self.programs.append(started)
        return started


def hosts() -> tuple[Hosts, list[Named]]:
    """One for the server, three for generators."""
    server, *generators = named = [Named(name) for name in NAMES]
    return Hosts(server, generators), named


def trial(**load: str) -> PlannedTrial:
    """Of echo."""
    return PlannedTrial(
        trial="b1-001",
        block=1,
        order=1,
        cell={"engine": "epoll-level"},
        engine="epoll-level",
        service="echo",
        server_settings={},
        load_settings={"connections": "31", "warmup": "300ms", "duration": "1s", **load},
    )


def run(folder: Path, where: Hosts, on_event: Callable[[Event], None], **load: str) -> Trial:
    """The record of a trial."""
    [record] = run_trials([trial(**load)], folder, None, on_event, where)
    return record


def nothing(_: Event) -> None:
    """No display."""


class Lost(Named):
    """A host on which nothing starts any more."""

    def start(
        self, program: str, settings: Mapping[str, str], log: Path, under: Sequence[str] = ()
    ) -> NativeProcess:
        """Say what a node says that is lost."""
        del program, settings, log, under
        raise LabError("the node is lost")


def test_a_generator_that_is_lost_as_it_starts_is_named(tmp_path: Path) -> None:
    where, named = hosts()
    where = Hosts(where.server, [named[1], Lost("middle"), named[3]])
    record = run(tmp_path, where, nothing)
    assert record.verdict.name == "FAILED"
    assert record.verdict.reason == "middle: the node is lost"
    assert not any(program.is_alive() for host in named for program in host.programs)


def test_generators_together_issue_what_one_alone_does(tmp_path: Path) -> None:
    where, _ = hosts()
    settings = {"model": "open", "rate": "2000", "pacing": "sleep"}
    shared = run(tmp_path, where, nothing, **settings)
    alone = run(tmp_path, HERE, nothing, **settings)
    assert shared.load is not None
    assert alone.load is not None
    assert shared.server is not None
    assert shared.load.requests.intended == alone.load.requests.intended
    assert shared.load.connections.requested == 31
    assert shared.load.requests.completed == shared.load.requests.intended
    assert [one.host for one in shared.generators] == NAMES[1:]
    total = sum(one.goodput_per_s for one in shared.generators)
    assert shared.load.rate.goodput_per_s == pytest.approx(total)
    assert shared.server.cpu_s is not None
    assert 0 < shared.server.cpu_s < 1.1
    assert alone.generators == []
    assert list(tmp_path.iterdir()) == []  # logs of what went well are not kept


def test_generators_take_turns_together_and_read_what_each_server_used(tmp_path: Path) -> None:
    where, _ = hosts()
    settings = {"slice": "100ms", "duration": "500ms", "warmup": "100ms", "connections": "6"}
    turns = [
        msgspec.structs.replace(
            trial(**settings), trial=f"b1-00{order}", order=order, engine=engine
        )
        for order, engine in enumerate(["epoll-level", "threads"], start=1)
    ]
    records = run_trials(turns, tmp_path, None, nothing, where)
    for record in records:
        load, server = record.load, record.server
        assert load is not None, record.verdict
        assert server is not None
        assert [one.host for one in record.generators] == NAMES[1:]
        assert len(load.slices) == 5
        total = sum(one.goodput_per_s for one in record.generators)
        assert load.rate.goodput_per_s == pytest.approx(total)
        assert load.requests.completed == load.latency_ns.count
        assert sum(row.completed for row in load.slices) == load.requests.received
        for row in load.slices:
            assert row.answered is not msgspec.UNSET
            assert row.answered >= row.completed > 0
            assert row.p99_ns is not None
            assert row.server_cpu_s
            assert 0 < row.server_cpu_s < 0.3
        # A server uses nothing while it is another's turn: what its slices have used is all.
        used_s = sum(row.server_cpu_s or 0 for row in load.slices)
        assert load.cpu.server_s == pytest.approx(used_s)
        assert server.cpu_per_request_us == load.cpu.server_per_request_us
    assert list(tmp_path.iterdir()) == []


def test_a_generator_that_begins_late_makes_the_trial_invalid_with_its_name(
    tmp_path: Path,
) -> None:
    where, named = hosts()

    def stop_one(event: Event) -> None:
        if isinstance(event, Connected):
            pid = named[2].programs[0].pid
            os.kill(pid, signal.SIGSTOP)
            threading.Timer(STOP_S, os.kill, (pid, signal.SIGCONT)).start()

    record = run(tmp_path, where, stop_one, warmup="2s")
    if record.verdict.name == "FAILED":  # it was stopped before it had read when to begin
        assert record.verdict.reason.startswith("middle: serverlab-load: --begin=told: ")
        assert record.verdict.reason.endswith(" s ago")
    else:
        assert record.verdict.name == "APART"
        assert "ms apart, middle last" in record.verdict.reason


@pytest.mark.parametrize(
    ("warmup", "late_ms", "verdict"),
    [("0s", 4.9, ""), ("0s", 5.1, "APART"), ("2s", 199, ""), ("2s", 201, "APART")],
)
def test_generators_are_apart_by_more_than_5_ms_or_a_tenth_of_the_warm_up(
    warmup: str, late_ms: float, verdict: str
) -> None:
    rows = [
        Generator(host=host, verdict="VALID", goodput_per_s=1, began_ns=round(1e6 * began_ms))
        for host, began_ms in (("left", 7000), ("right", 7000 + late_ms))
    ]
    found = not_together(trial(warmup=warmup), rows)
    assert (f"{late_ms:.1f} ms apart, right last" in found) == bool(verdict)
    assert verdict or not found


@pytest.mark.parametrize("verdict", ["VALID", "NOT-SUSTAINED", "CLIENT-LIMITED"])
@pytest.mark.parametrize(("full", "found"), [(0.95, "NETWORK-BOUND"), (0.85, None)])
def test_what_comes_short_while_the_network_is_full_is_the_networks(
    verdict: str, full: float, found: str | None
) -> None:
    made = report_data.record({"engine": "poll"}, block=1, order=1, speed=1.0)
    record = msgspec.convert(made | {"verdict": {"name": verdict, "reason": ""}}, Trial)
    assert record.load is not None
    of_network = of_several(record, on_the_wire(record.load) / full)
    assert of_network.verdict.name == (found or verdict)


def test_a_generator_that_is_killed_fails_the_trial_and_leaves_nothing(tmp_path: Path) -> None:
    where, named = hosts()

    def kill_one(event: Event) -> None:
        if isinstance(event, WindowBegan):
            os.kill(named[3].programs[0].pid, signal.SIGKILL)

    record = run(tmp_path, where, kill_one)
    assert record.verdict.name == "FAILED"
    assert record.verdict.reason == "right: serverlab-load ended by SIGKILL"
    assert all(not one.is_alive() for host in named for one in host.programs)


def test_a_server_that_dies_is_what_went_wrong(tmp_path: Path) -> None:
    where, named = hosts()

    def kill_server(event: Event) -> None:
        if isinstance(event, WindowBegan):
            os.kill(named[0].programs[0].pid, signal.SIGKILL)

    record = run(tmp_path, where, kill_server)
    assert record.verdict.name in {"FAILED", "ERRORS"}
    assert all(not one.is_alive() for host in named for one in host.programs)


def test_what_a_generator_refuses_is_said_with_its_host(tmp_path: Path) -> None:
    where, _ = hosts()
    record = run(tmp_path, where, nothing, connections="2")
    assert record.verdict.name == "FAILED"
    assert "3 workers cannot share 2 connections" in record.verdict.reason
    assert record.verdict.reason.split(":")[0] in NAMES[1:]


@given(
    ahead_ns=st.integers(-(10**17), 10**17),
    delays=st.lists(
        st.tuples(st.integers(0, 10**9), st.integers(0, 10**9)), min_size=1, max_size=20
    ),
)
def test_an_offset_is_as_certain_as_it_says(ahead_ns: int, delays: list[tuple[int, int]]) -> None:
    ways = iter(delays)
    now_ns = 0
    back_ns = 0

    def their_clock_ns() -> int:
        nonlocal now_ns, back_ns
        there_ns, back_ns = next(ways)
        now_ns += there_ns
        return now_ns + ahead_ns

    def own_clock_ns() -> int:
        nonlocal now_ns, back_ns
        now_ns, back_ns = now_ns + back_ns, 0
        return now_ns

    found = offset_of(their_clock_ns, own_clock_ns, round_trips=len(delays))
    assert abs(found.ns - ahead_ns) <= found.uncertain_ns
    assert found.uncertain_ns <= (min(map(sum, delays)) + 1) // 2
