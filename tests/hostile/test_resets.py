"""A peer that resets or closes its connection within a request leaves nothing behind."""

from __future__ import annotations

import socket

from tests.conformance.peers import reset
from tests.conformance.server import serving
from tests.hostile.good_client import EXCHANGES, good_client
from tests.hostile.vanishing import vanish

STAGES = 40  # a request is left after each of its bytes, or after so many of them
REQUESTS_AHEAD = 3


def test_a_peer_may_leave_after_any_byte_of_its_requests(engine: str, service: str) -> None:
    stream = EXCHANGES[service].request * REQUESTS_AHEAD
    sizes = range(0, len(stream) + 1, max(1, len(stream) // STAGES))
    with serving(engine, f"--service={service}") as server, good_client(server, service):
        for leave in (reset, socket.socket.close):
            for size in sizes:
                peer = server.connect()
                peer.sendall(stream[:size])
                leave(peer)


def test_peers_that_vanish_without_a_word_hold_up_neither_others_nor_a_stop(engine: str) -> None:
    with serving(engine, "--drain-limit=100ms") as server, server.connect() as witness:
        for _ in range(20):
            peer = server.connect()
            peer.sendall(b"and then nothing")
            vanish(peer)
        witness.sendall(b"still here")
        assert witness.recv(100) == b"still here"
