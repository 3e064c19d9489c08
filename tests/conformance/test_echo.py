"""What goes to an echo server comes back, byte for byte, however it is sent."""

from __future__ import annotations

import socket
from collections.abc import Callable

import pytest

from tests.conformance.feedings import FEEDINGS, Chunks
from tests.conformance.peers import (
    connected,
    exchange,
    is_echoed,
    receive_all,
    receive_exactly,
    some_bytes,
)
from tests.conformance.server import Server


@pytest.mark.parametrize("size", [0, 1, 100, 64 << 10, 1_000_000, 10_000_000])
def test_everything_comes_back_and_then_the_end(echo_server: Server, size: int) -> None:
    request = some_bytes(size)
    with echo_server.connect() as peer:
        assert exchange(peer, request) == request


@pytest.mark.parametrize("feeding", FEEDINGS)
def test_each_chunk_comes_back_however_requests_are_cut(
    echo_server: Server, feeding: Callable[[Chunks], Chunks]
) -> None:
    requests = [some_bytes(size, seed=size) for size in (1, 7, 256, 2, 333, 1)]
    chunks = feeding(requests)
    assert b"".join(chunks) == b"".join(requests)
    with echo_server.connect() as peer:
        for chunk in chunks:  # each is awaited, so that none is glued to the next on its way
            assert is_echoed(peer, chunk)
        peer.shutdown(socket.SHUT_WR)
        assert receive_all(peer) == b""


def test_bytes_that_trickle_in_come_back(echo_server: Server) -> None:
    request = some_bytes(2_000)
    with echo_server.connect() as peer:
        for byte in request:
            peer.sendall(bytes([byte]))
        assert receive_exactly(peer, len(request)) == request


def test_small_writes_come_back_in_their_order(echo_server: Server) -> None:
    writes = [some_bytes(1 + number % 50, seed=number) for number in range(1_000)]
    with echo_server.connect() as peer:
        for write in writes:
            peer.sendall(write)
        assert receive_exactly(peer, sum(map(len, writes))) == b"".join(writes)


def test_connections_do_not_mix(echo_server: Server) -> None:
    with connected(echo_server, 50) as peers:
        for turn in range(5):
            requests = [some_bytes(3_000, seed=100 * turn + n) for n in range(len(peers))]
            for peer, request in zip(peers, requests, strict=True):
                peer.sendall(request)
            for peer, request in zip(peers, requests, strict=True):
                assert receive_exactly(peer, len(request)) == request


def test_a_connection_is_answered_again_after_a_pause(echo_server: Server) -> None:
    with echo_server.connect() as patient, echo_server.connect() as busy:
        assert is_echoed(patient, b"before")
        for number in range(100):
            assert is_echoed(busy, some_bytes(100, seed=number))
        assert is_echoed(patient, b"after")


def test_a_large_request_does_not_hold_up_a_small_one_on_another_connection(
    echo_server: Server,
) -> None:
    with echo_server.connect() as slow, echo_server.connect() as quick:
        slow.sendall(some_bytes(100_000))  # its reply is not read before the end
        assert is_echoed(quick, b"quick")
        slow.shutdown(socket.SHUT_WR)
        assert receive_all(slow) == some_bytes(100_000)
