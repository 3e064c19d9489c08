"""Peers that keep a connection for nothing: timeouts end them, and no one else."""

from __future__ import annotations

import contextlib
import os
import select
import socket
import time

import pytest

from serverlab.design.catalog import Engine
from tests.conformance.applying import runs_sessions
from tests.conformance.peers import (
    connected,
    is_echoed,
    receive_exactly,
    receive_line,
    send_until_blocked,
)
from tests.conformance.server import Server, serving
from tests.hostile.good_client import EXCHANGES, good_client, is_answered
from tests.waiting import DEADLINE_S, until

# Sanitized processes that were just forked take a second for their first reply.
TIMEOUT_S = 0.4 if os.environ.get("SERVERLAB_BUILD", "release") == "release" else 3.0
EARLIEST_S = 0.9 * TIMEOUT_S  # the server looks now and then, and begins at its first look
IDLE = f"--idle-timeout={TIMEOUT_S}s"
REQUEST = f"--request-timeout={TIMEOUT_S}s"

pytestmark = pytest.mark.engines(that=runs_sessions)


def time_to_the_end_s(peer: socket.socket) -> float:
    """How long it takes from now until the server has ended the connection."""
    began_s = time.monotonic()
    with contextlib.suppress(ConnectionError):
        assert peer.recv(1) == b""
    return time.monotonic() - began_s


def timed_out(server: Server) -> int:
    """Stop a server; how many connections its timeouts have ended, as it says itself."""
    server.ask_to_stop()
    number: int = server.summary()["timed_out"]
    return number


def trickle(peer: socket.socket, text: bytes, pause_s: float) -> None:
    """Send a byte now and then until the server ends the connection."""
    peer.settimeout(pause_s)
    with contextlib.suppress(ConnectionError):
        for byte in text:
            peer.sendall(bytes([byte]))
            with contextlib.suppress(TimeoutError):
                assert peer.recv(1) == b"", "a reply to half of a request"
                return
        pytest.fail("the server has not ended it")


def test_a_connection_on_which_nothing_happens_is_ended(engine: str, service: str) -> None:
    with serving(engine, f"--service={service}", IDLE) as server, good_client(server, service):
        with connected(server, 5) as peers:
            assert is_answered(peers[0], service)
            for peer in peers:
                assert time_to_the_end_s(peer) < DEADLINE_S
        with server.connect() as peer:
            assert time_to_the_end_s(peer) > EARLIEST_S


# An echo has no requests that could be cut short.
@pytest.mark.parametrize("service", sorted(EXCHANGES.keys() - {"echo"}))
def test_a_request_that_is_not_whole_in_time_is_ended_and_an_idle_connection_is_not(
    engine: str, service: str
) -> None:
    begin = EXCHANGES[service].request[:-1]
    with (
        serving(engine, f"--service={service}", REQUEST) as server,
        good_client(server, service),
        connected(server, 5) as peers,
        server.connect() as idle,
    ):
        for number, peer in enumerate(peers):
            peer.sendall(begin[: 1 + number * (len(begin) - 1) // len(peers)])
        for peer in peers:
            assert time_to_the_end_s(peer) < DEADLINE_S
        assert is_answered(idle, service)


@pytest.mark.service("http")
def test_a_request_that_comes_a_byte_at_a_time_is_ended_though_its_peer_is_never_idle(
    engine: str,
) -> None:
    long = b"GET / HTTP/1.1\r\nX: " + b"x" * 1_000
    with serving(engine, "--service=http", REQUEST, IDLE) as server:
        with server.connect() as peer:
            trickle(peer, long, TIMEOUT_S / 10)
        assert timed_out(server) == 1


def test_a_peer_that_takes_nothing_is_ended(engine: str) -> None:
    with (
        serving(engine, IDLE) as server,
        good_client(server, "echo"),
        server.connect(buffer_bytes=1 << 16) as peer,
    ):
        assert is_echoed(peer, b"hello")
        before = server.descriptors()
        with contextlib.suppress(ConnectionError):  # it may be ended before all buffers are full
            send_until_blocked(peer, bytes(64_000_000))
        until(lambda: server.descriptors() < before, "the server has ended the connection")


@pytest.mark.service("http")
def test_a_peer_that_takes_nothing_is_ended_though_it_sends_a_byte_now_and_then(
    engine: str,
) -> None:
    with (
        serving(engine, "--service=http", IDLE) as server,
        server.connect(buffer_bytes=1 << 16) as peer,
    ):
        assert is_answered(peer, "http")
        before = server.descriptors()
        peer.sendall(b"GET /bytes/100000000 HTTP/1.1\r\nHost: x\r\n\r\n")

        def is_ended_at_the_next_byte() -> bool:
            with contextlib.suppress(ConnectionError):
                peer.sendall(b"G")
            return server.descriptors() < before

        until(is_ended_at_the_next_byte, "the server has ended the connection")


@pytest.mark.service("http")
@pytest.mark.parametrize("timeout", [IDLE, REQUEST])
def test_an_urgent_byte_switches_no_timeout_off(engine: str, timeout: str) -> None:
    with serving(engine, "--service=http", timeout) as server:
        with server.connect() as peer:
            peer.send(b"GET / HTTP", socket.MSG_OOB)
            assert time_to_the_end_s(peer) < DEADLINE_S
        assert timed_out(server) == 1


@pytest.mark.service("bucket")
def test_a_client_whose_request_takes_longer_than_all_timeouts_is_waited_for(
    engine: str,
) -> None:
    with serving(engine, "--service=bucket", "--bucket-delay-unit=1ms", IDLE, REQUEST) as server:
        with server.connect() as peer:
            work_ms = round(3_000 * TIMEOUT_S)
            peer.sendall(b"%d,0\n" % work_ms)
            assert receive_line(peer) == b"%d\n" % work_ms
        assert timed_out(server) == 0


def test_a_client_that_is_never_idle_for_long_is_never_ended(engine: str) -> None:
    with serving(engine, IDLE, REQUEST) as server:
        with server.connect() as peer:
            ends_at_s = time.monotonic() + 3 * TIMEOUT_S
            while time.monotonic() < ends_at_s:
                assert is_echoed(peer, b"still here")
                select.select([peer], [], [], TIMEOUT_S / 10)
        assert timed_out(server) == 0


@pytest.mark.service("http")
def test_a_peer_that_stays_when_its_conversation_is_over_keeps_no_descriptor(engine: str) -> None:
    last = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    with serving(engine, "--service=http") as server, good_client(server, "http"):
        alone = server.descriptors()
        with connected(server, 100) as peers:
            for peer in peers:
                peer.sendall(last)
            for peer in peers:
                while peer.recv(1000):
                    pass
            until(lambda: server.descriptors() <= alone, "all connections are closed")


@pytest.mark.engines(that=lambda row: "max-connections" not in row.unsupported_settings)
def test_connections_above_the_maximum_wait_until_others_have_ended(engine: str) -> None:
    most = 3
    with (
        serving(engine, f"--max-connections={most}") as server,
        connected(server, most) as served,
    ):
        assert all(is_echoed(peer, b"hello") for peer in served)
        with connected(server, most) as waiting:
            for peer in waiting:
                peer.sendall(b"now?")
                peer.settimeout(0.1)
                with pytest.raises(TimeoutError):
                    peer.recv(1)
                peer.settimeout(DEADLINE_S)
            assert all(is_echoed(peer, b"still here") for peer in served)
            unanswered = set(waiting)
            for one in served:
                one.close()
                answered, _, _ = select.select(unanswered, [], [], DEADLINE_S)
                assert [receive_exactly(peer, 4) for peer in answered] == [b"now?"]
                unanswered -= set(answered)


def accepts_on_threads(row: Engine) -> bool:
    return not {"threads", "max-connections"} & set(row.unsupported_settings)


@pytest.mark.sanitized  # in a release build two of them are hardly ever there at once
@pytest.mark.engines(that=accepts_on_threads)
def test_threads_that_accept_at_the_same_time_keep_to_the_maximum(engine: str) -> None:
    perturbed = ["env", "SERVERLAB_PERTURB=1"]
    with serving(engine, "--threads=4", "--max-connections=1", prefix=perturbed) as server:
        for _ in range(8):
            with connected(server, 5) as peers:
                for peer in peers:
                    peer.sendall(b"now?")
                [answered, *others], _, _ = select.select(peers, [], [], DEADLINE_S)
                assert not others
                waiting = set(peers) - {answered}
                assert not select.select(waiting, [], [], 0.02)[0]
