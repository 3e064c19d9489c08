"""Whatever the settings, an engine serves right: they change how fast, never what."""

from __future__ import annotations

import itertools
import select
import socket
from pathlib import Path

import pytest

from tests.conformance.peers import (
    connected,
    is_echoed,
    receive_all,
    receive_exactly,
    sending,
    some_bytes,
)
from tests.conformance.programs import catalogue, engine_row, engines
from tests.conformance.server import Server, serving
from tests.conformance.sockets import has_ipv6
from tests.waiting import until

# Settings of all engines at their ends: where a loop forgets a rest, a batch or a border, it shows.
EXTREMES = [
    ["--send-buffer=128", "--receive-buffer=128"],
    ["--accept-batch=1"],
    ["--read-buffer=1"],
    ["--high-water=1"],
    ["--read-buffer=1", "--high-water=1", "--accept-batch=1", "--send-buffer=128"],
    ["--read-buffer=16MiB", "--high-water=1GiB", "--accept-batch=100000"],
    ["--threads=1"],
    ["--threads=16"],
    ["--nodelay=off"],
    ["--cpus=0"],
]

SAMPLES = {"COUNT": ["2"], "SIZE": ["1 B"], "DURATION": ["1ms"]}


def name_of(setting: str) -> str:
    """`read-buffer` of `--read-buffer=1`."""
    return setting.removeprefix("--").partition("=")[0]


def extremes() -> list[tuple[str, list[str]]]:
    """Each engine with each of the settings that mean something to it."""
    cases: list[tuple[str, list[str]]] = []
    for engine, settings in itertools.product(engines(), EXTREMES):
        ignored = engine_row(engine).unsupported_settings
        meant = [setting for setting in settings if name_of(setting) not in ignored]
        if meant and (engine, meant) not in cases:
            cases.append((engine, meant))
    return cases


def samples(setting: str) -> list[str]:
    """The setting at every choice, or at a value that is not its fallback, and not at all."""
    row = next(row for row in catalogue().settings if row.name == setting)
    values = row.choices or SAMPLES[row.values]
    return ["", *(f"--{setting}={value}" for value in values if value != row.fallback)]


def combinations() -> list[tuple[str, list[str]]]:
    """Each engine that has settings of its own, with all their combinations."""
    return [
        (engine, [setting for setting in combination if setting])
        for engine in engines()
        for combination in itertools.product(*map(samples, engine_row(engine).extra_settings))
        if any(combination)
    ]


def is_closed_at_the_next(server: Server, peer: socket.socket) -> bool:
    """Whether a connection ends, at the latest when another client comes (--close-by=main)."""
    with server.connect():
        readable, _, _ = select.select([peer], [], [], 0.1)
        return bool(readable)


def serves_right(server: Server) -> None:
    """Expect that connections are echoed side by side, and one with more than fits anywhere."""
    with connected(server, min(10, server.connections_max or 10)) as peers:
        requests = [some_bytes(3_000, seed=number) for number in range(len(peers))]
        for peer, request in zip(peers, requests, strict=True):
            peer.sendall(request)
        for peer, request in zip(peers, requests, strict=True):
            assert receive_exactly(peer, len(request)) == request
        for peer in peers:
            assert is_echoed(peer, b"again")
    request = some_bytes(20_000)
    with server.connect() as peer, sending(peer, request):
        assert receive_exactly(peer, len(request)) == request
        until(lambda: is_closed_at_the_next(server, peer), "the connection has ended")
        assert receive_all(peer) == b""


@pytest.mark.parametrize(("engine", "settings"), extremes(), ids=str)
def test_an_engine_serves_right_at_the_ends_of_its_settings(
    engine: str, settings: list[str]
) -> None:
    with serving(engine, *settings) as server:
        serves_right(server)


@pytest.mark.parametrize(("engine", "settings"), combinations(), ids=str)
def test_an_engine_serves_right_with_its_own_settings_together(
    engine: str, settings: list[str]
) -> None:
    with serving(engine, *settings) as server:
        serves_right(server)


def test_a_backlog_beyond_the_systems_is_clamped_and_said_so(engine: str) -> None:
    granted = int(Path("/proc/sys/net/core/somaxconn").read_text())
    with serving(engine, f"--backlog={granted + 1}") as server:
        notices = [event["text"] for event in server.events if event["event"] == "notice"]
        assert notices == [f"backlog {granted + 1} clamped to net.core.somaxconn, {granted}"]
        serves_right(server)


@pytest.mark.skipif(not has_ipv6(), reason="this machine has no ::1")
def test_an_engine_serves_by_ipv6(engine: str) -> None:
    with serving(engine, "--listen=[::1]:0") as server:
        assert server.address.startswith("[::1]:")
        serves_right(server)
