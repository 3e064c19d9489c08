"""What epoll-adaptive promises where a connection's requests turn from cheap to expensive."""

from __future__ import annotations

import select
import socket

from tests.conformance.peers import connected, receive_exactly
from tests.conformance.server import serving

CHEAP = b"0,1\n"
EXPENSIVE = b"5000,1\n"
TOTAL_AFTER_TEACHING = 100
SLEEPING = ["--service=bucket", "--bucket-delay-kind=sleep", "--bucket-delay-unit=1ms"]


def ask(peer: socket.socket, request: bytes, reply: bytes) -> None:
    """Send a request and expect its reply."""
    peer.sendall(request)
    assert receive_exactly(peer, len(reply)) == reply


def test_a_connection_that_was_expensive_once_holds_up_none_again() -> None:
    with (
        serving("epoll-adaptive", *SLEEPING, "--drain-limit=0s") as server,
        connected(server, 2) as (turning, other),
    ):
        for _ in range(60):
            ask(turning, CHEAP, b"0\n")
        ask(turning, b"%d,1\n" % TOTAL_AFTER_TEACHING, b"%d\n" % TOTAL_AFTER_TEACHING)
        turning.sendall(EXPENSIVE)
        ask(other, b"0,2\n", b"0\n")
        assert not select.select([turning], [], [], 0)[0], "the expensive one is at work still"
