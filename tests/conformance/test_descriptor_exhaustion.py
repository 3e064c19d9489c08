"""A server without a free descriptor serves whom it has, and does not spin while others wait."""

from __future__ import annotations

import socket

import pytest

from tests.conformance.peers import connected, hears_something, is_echoed, receive_exactly
from tests.conformance.programs import engine_row
from tests.conformance.server import serving
from tests.waiting import until

LIMIT = 64
CLIENTS = 100
CPU_MAX_S = 0.05  # in half a second: looking again every 50 ms takes less, spinning takes it all


def shares_descriptors(engine: str) -> None:
    """Skip the test of an engine whose processes hold one connection each."""
    if not engine_row(engine).one_process:
        pytest.skip(f"no process of {engine} runs out of descriptors by its connections")


def answered(peers: list[socket.socket]) -> list[socket.socket]:
    """Those whose answer has come."""
    return [peer for peer in peers if hears_something(peer)]


def test_more_connections_than_descriptors_are_served_in_turn(engine: str) -> None:
    shares_descriptors(engine)
    with (
        serving(engine, prefix=["prlimit", f"--nofile={LIMIT}:{LIMIT}", "--"]) as server,
        connected(server, CLIENTS) as peers,
    ):
        assert server.events[-1]["descriptors_max"] == LIMIT
        for peer in peers:
            peer.sendall(b"?")
        until(lambda: server.descriptors() == LIMIT, "it has taken as many as it can")
        assert server.cpu_used_within_s(0.5) < CPU_MAX_S
        served = answered(peers)
        waiting = [peer for peer in peers if peer not in served]
        assert LIMIT / 2 < len(served) < LIMIT
        for peer in served:
            assert receive_exactly(peer, 1) == b"?"
            assert is_echoed(peer, b"and again")
        for peer in served:
            peer.close()
        until(lambda: len(answered(waiting)) == len(waiting), "those who waited are answered")
        for peer in waiting:
            assert receive_exactly(peer, 1) == b"?"


def test_a_stop_is_heeded_without_a_free_descriptor(engine: str) -> None:
    shares_descriptors(engine)
    with (
        serving(engine, prefix=["prlimit", f"--nofile={LIMIT}:{LIMIT}", "--"]) as server,
        connected(server, CLIENTS) as _peers,
    ):
        until(lambda: server.descriptors() == LIMIT, "it has taken as many as it can")
        server.ask_to_stop()
        server.summary()
