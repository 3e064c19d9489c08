"""Connections that say nothing cost no CPU time, and are answered when they speak."""

from __future__ import annotations

from tests.conformance.peers import connected, is_echoed
from tests.conformance.programs import many_connections
from tests.conformance.server import serving

IDLE = many_connections()
CPU_MAX_S = 0.05  # in a second: a loop that spins uses all of it, a sleeping one some microseconds


def test_idle_connections_use_no_cpu_and_are_alive(engine: str) -> None:
    with serving(engine, connections=IDLE) as server, connected(server, IDLE) as peers:
        for peer in peers:
            assert is_echoed(peer, b"hello")
        assert server.cpu_used_within_s(1) < CPU_MAX_S
        for peer in peers:
            assert is_echoed(peer, b"are you still there?")
