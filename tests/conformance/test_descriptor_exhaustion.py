"""A server without a free descriptor serves its connections, and does not spin meanwhile."""

from __future__ import annotations

import socket

import pytest

from tests.conformance.applying import is_one_process
from tests.conformance.peers import connected, hears_something, is_echoed, receive_exactly
from tests.conformance.server import serving
from tests.waiting import until

# A process that holds one connection does not run out of descriptors by its connections.
pytestmark = pytest.mark.engines(that=is_one_process)

LIMIT = 64
CLIENTS = (
    90  # more than LIMIT, and fewer than twice what it leaves an engine that has 15 of its own
)
CPU_MAX_S = 0.05  # in half a second: looking again every 50 ms takes less, spinning takes it all


def answered(peers: list[socket.socket]) -> list[socket.socket]:
    """Those whose answer has come."""
    return [peer for peer in peers if hears_something(peer)]


def test_more_connections_than_descriptors_are_served_in_turn(engine: str) -> None:
    with (
        serving(engine, prefix=["prlimit", f"--nofile={LIMIT}:{LIMIT}", "--"]) as server,
        connected(server, CLIENTS) as peers,
    ):
        assert server.events[-1]["descriptors_max"] == LIMIT
        for peer in peers:
            peer.sendall(b"?")
        until(lambda: server.descriptors() == LIMIT, "it has taken as many as it can")
        # It may still start a thread for each, which takes a moment under a sanitizer.
        until(lambda: server.cpu_used_within_s(0.5) < CPU_MAX_S, "it waits, and does not spin")
        served = answered(peers)
        waiting = [peer for peer in peers if peer not in served]
        assert LIMIT / 2 < len(served) < LIMIT
        for peer in served:
            assert receive_exactly(peer, 1) == b"?"
            assert is_echoed(peer, b"and again")
        for peer in served:
            peer.close()
        until(lambda: len(answered(waiting)) == len(waiting), "those that waited are answered")
        for peer in waiting:
            assert receive_exactly(peer, 1) == b"?"


def test_a_stop_is_heeded_without_a_free_descriptor(engine: str) -> None:
    with (
        serving(engine, prefix=["prlimit", f"--nofile={LIMIT}:{LIMIT}", "--"]) as server,
        connected(server, CLIENTS) as _peers,
    ):
        until(lambda: server.descriptors() == LIMIT, "it has taken as many as it can")
        server.ask_to_stop()
        server.summary()
