"""Many connections, many requests, and one client that never pauses: others are served."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator

import pytest

from tests.conformance.applying import runs_sessions
from tests.conformance.peers import (
    connected,
    exchange,
    receive_exactly,
    send_until_blocked,
    some_bytes,
)
from tests.conformance.programs import engine_row, is_sanitized
from tests.conformance.server import Server, serving
from tests.hostile.good_client import EXCHANGES, KEPT_BYTES_MAX, good_client, is_answered

AT_A_TIME = 200
QUIET = 50
PIPELINED = 2_000 if is_sanitized() else 20_000
UNREAD_BYTES = 64_000_000  # of requests: more than any buffers hold


def connections_of(engine: str) -> int:
    """How many come at once: a process for each of 10 000 takes a minute."""
    return 10_000 if engine_row(engine).one_process and not is_sanitized() else 1_000


def test_connections_that_are_closed_at_once_leave_nothing(engine: str) -> None:
    with serving(engine) as server, good_client(server, "echo"):
        for _ in range(connections_of(engine) // AT_A_TIME):
            with connected(server, AT_A_TIME):
                pass


@contextlib.contextmanager
def flooding(server: Server, service: str) -> Iterator[None]:
    """Let one connection ask without a pause, and read the replies, until the block ends."""
    batch = 100
    ask, reply = EXCHANGES[service].request * batch, EXCHANGES[service].reply * batch
    ended = threading.Event()

    def flood(peer: socket.socket) -> None:
        while not ended.is_set():
            peer.sendall(ask)
            assert receive_exactly(peer, len(reply)) == reply

    with server.connect() as peer:
        thread = threading.Thread(target=flood, args=(peer,))
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()


def test_one_connection_that_never_pauses_does_not_starve_quiet_ones(
    engine: str, service: str
) -> None:
    with (
        serving(engine, f"--service={service}") as server,
        good_client(server, service),
        connected(server, QUIET) as peers,
        flooding(server, service),
    ):
        for _ in range(3):
            for peer in peers:
                assert is_answered(peer, service)


def test_a_huge_pipeline_is_answered_to_the_last_request(engine: str, service: str) -> None:
    asked = EXCHANGES[service]
    with (
        serving(engine, f"--service={service}") as server,
        good_client(server, service),
        server.connect() as peer,
    ):
        assert exchange(peer, asked.request * PIPELINED) == asked.reply * PIPELINED


@pytest.mark.engines(that=runs_sessions)  # what the kernel does: tests/conformance/test_sockmap.py
def test_a_peer_that_never_reads_its_replies_costs_bounded_memory(
    engine: str, service: str
) -> None:
    asked = EXCHANGES[service].request
    requests = asked * (UNREAD_BYTES // len(asked))
    with (
        serving(engine, f"--service={service}") as server,
        good_client(server, service),
        server.connect(buffer_bytes=1 << 16) as peer,
    ):
        before_bytes = server.rss_bytes()
        assert send_until_blocked(peer, requests) < len(requests)
        assert server.rss_bytes() < before_bytes + KEPT_BYTES_MAX


# Of a value that many ask for and none takes, each has a piece; the value is there once.
@pytest.mark.service("kv-resp")
def test_large_values_that_nobody_takes_cost_a_piece_for_each_peer(engine: str) -> None:
    value, peers, piece_bytes_max = bytes(1 << 20), 30, 256 << 10
    with serving(engine, "--service=kv-resp") as server, server.connect() as owner:
        owner.sendall(b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$%d\r\n%b\r\n" % (len(value), value))
        assert receive_exactly(owner, 5) == b"+OK\r\n"
        count = min(peers, server.connections_max or peers) - 1
        with connected(server, count, buffer_bytes=1 << 16) as unread:
            before_bytes = server.rss_bytes()
            for peer in unread:
                peer.sendall(b"MGET k k k k\r\n")
            for peer in unread:
                assert peer.recv(4) == b"*4\r\n"
            assert server.rss_bytes() < before_bytes + KEPT_BYTES_MAX + count * piece_bytes_max


def test_a_stream_that_no_protocol_has_ends_or_is_waited_out(engine: str, service: str) -> None:
    with serving(engine, f"--service={service}") as server, good_client(server, service):
        for seed in range(10):
            with server.connect() as peer, contextlib.suppress(ConnectionError):
                send_until_blocked(peer, some_bytes(300_000, seed=seed))
