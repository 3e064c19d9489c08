"""Without memory for a connection, the server ends that one and serves the others."""

from __future__ import annotations

import contextlib
import itertools
import socket

import pytest

from tests.conformance.peers import is_echoed, receive_exactly, receive_line
from tests.conformance.server import Server, serving

pytestmark = pytest.mark.unsanitized  # a sanitizer reserves more addresses than a limit allows

ADDRESSES_BYTES = 300 << 20  # some hundred stacks of 256 KiB, and what the C library takes
TOO_MANY = 3_000

STORE_BYTES = 400_000_000  # of addresses: for the program, its threads, and a store of the rest
VALUE = bytes(1_000_000)
MOST_VALUES = 2 * STORE_BYTES // len(VALUE)


def failed_connections(server: Server) -> int:
    """How many connections the server says it ended; it says so once before."""
    server.ask_to_stop()
    failed: int = server.summary()["failed_connections"]
    notices = [event["text"] for event in server.events if event["event"] == "notice"]
    assert len(notices) == 1
    assert notices[0].startswith("a connection was ended: ")
    return failed


def test_threads_without_memory_for_another_hang_up_on_it_alone() -> None:
    prefix = ["prlimit", f"--as={ADDRESSES_BYTES}"]
    with serving("threads", prefix=prefix) as server, contextlib.ExitStack() as open_peers:
        witness = open_peers.enter_context(server.connect())
        assert is_echoed(witness, b"I came first")
        served = 0
        for _ in range(TOO_MANY):
            peer = open_peers.enter_context(server.connect())
            with contextlib.suppress(ConnectionError):
                served += is_echoed(peer, b"is there room for me?")
        assert 0 < served < TOO_MANY
        assert is_echoed(witness, b"and I am still here")
        assert failed_connections(server) == TOO_MANY - served


def is_stored(peer: socket.socket, key: int) -> bool:
    """Whether a value that takes much memory is kept; if not, the connection has ended."""
    name = b"%06d" % key
    with contextlib.suppress(ConnectionError):
        peer.sendall(b"*3\r\n$3\r\nSET\r\n$6\r\n%b\r\n$%d\r\n" % (name, len(VALUE)))
        peer.sendall(VALUE + b"\r\n")
        return receive_line(peer) == b"+OK\r\n"
    return False


def is_answered(peer: socket.socket, request: bytes, reply: bytes) -> bool:
    """Whether the reply is the right one."""
    peer.sendall(request)
    return receive_exactly(peer, len(reply)) == reply


@pytest.mark.service("kv-resp")
def test_a_store_that_fills_the_memory_ends_connections_and_not_the_server(engine: str) -> None:
    prefix = ["prlimit", f"--as={STORE_BYTES}"]
    with (
        serving(engine, "--service=kv-resp", prefix=prefix, connections=16) as server,
        server.connect() as witness,
    ):
        assert is_answered(witness, b"*3\r\n$3\r\nSET\r\n$1\r\na\r\n$1\r\nb\r\n", b"+OK\r\n")
        ended = 0
        for key in itertools.count():
            assert key < MOST_VALUES
            with server.connect() as offender:
                ended += not is_stored(offender, key)
            if ended == 3:
                break
        assert is_answered(witness, b"*2\r\n$3\r\nGET\r\n$1\r\na\r\n", b"$1\r\nb\r\n")
        assert failed_connections(server) >= ended
