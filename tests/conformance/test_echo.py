"""What goes to an echo server comes back, byte for byte, however it is sent."""

from __future__ import annotations

import socket
from collections.abc import Callable

import pytest

from tests.conformance.applying import runs_sessions
from tests.conformance.feedings import FEEDINGS, Chunks
from tests.conformance.loads import RIGHT, load
from tests.conformance.peers import (
    connected,
    exchange,
    is_echoed,
    receive_all,
    receive_exactly,
    some_bytes,
)
from tests.conformance.server import Server, serving


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


# The last byte of each piece is TCP's urgent one.
@pytest.mark.engines(that=runs_sessions)
def test_urgent_bytes_come_back_in_their_places(echo_server: Server) -> None:
    with echo_server.connect() as peer:
        for number in range(100):
            first, second = some_bytes(1 + 10 * number), some_bytes(1 + number, seed=2)
            peer.send(first, socket.MSG_OOB)
            peer.sendall(second)
            assert receive_exactly(peer, len(first + second)) == first + second


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


@pytest.mark.engines(that=runs_sessions)
def test_a_server_without_state_closes_after_one_request(engine: str) -> None:
    with serving(engine, "--close-after=100000") as server:
        request = some_bytes(100_000)
        with server.connect() as peer:
            assert exchange(peer, request + b"and more that nobody echoes") == request
        with server.connect() as peer:
            peer.sendall(request)
            assert receive_all(peer) == request  # the server ends first


@pytest.mark.engines(that=runs_sessions)
@pytest.mark.parametrize("model", [("--model=churn",), ("--model=sessions", "--rate=200")])
def test_clients_connect_anew_for_each_request_to_a_server_that_closes(
    engine: str, model: tuple[str, ...]
) -> None:
    with serving(engine, "--close-after=64") as server:
        each = ("--connections=4", "--requests=1", "--sessions=25", "--payload=64")
        result = load(server, *model, *each, "--duration=1h", "--warmup=0s").result
    assert result["verdict"]["name"] in RIGHT | {"CLIENT-LIMITED"}, result["verdict"]
    assert result["requests"]["completed"] == result["session_ns"]["count"] == 100
    assert result["requests"]["errors"] == {}


def test_a_client_that_asks_for_more_than_one_request_loses_its_connection() -> None:
    with serving("poll", "--close-after=64") as server:
        result = load(server, "--model=churn", "--requests=2", "--payload=64").result
    assert result["verdict"]["name"] == "ERRORS"
    assert result["connections"]["lost"] > 0
