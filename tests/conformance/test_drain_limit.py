"""The drain limit is kept whatever sessions do, and what it leaves unanswered is counted."""

from __future__ import annotations

import contextlib
import socket
import time

import pytest

from serverlab.design.catalog import Engine
from tests.conformance.peers import (
    FIXED_SEND_BUFFER,
    await_delivery,
    connected,
    deliver,
    hears_something,
    is_echoed,
    receive_all,
    receive_line,
    send_until_stuck,
    some_bytes,
)
from tests.conformance.server import Server, serving
from tests.waiting import until

CONNECTIONS = 40
LIMIT = "--drain-limit=200ms"
GONE_WITHIN_S = 20  # no session has ended by then; the limit and the grace are under one
BUCKET = ["--service=bucket", "--bucket-delay-unit=1ms"]
HALF_A_MINUTE = b"30000,0\n"


def notices(server: Server) -> list[str]:
    """What it says beside its summary."""
    return [event["text"] for event in server.events if event["event"] == "notice"]


def replies(peer: socket.socket) -> int:
    """How many lines come before the connection ends, however it ends."""
    received = b""
    with contextlib.suppress(ConnectionResetError):
        while piece := peer.recv(1 << 10):
            received += piece
    return received.count(b"\n")


def has_pool(engine: Engine) -> bool:
    """Whether threads take turns at its connections."""
    return "threads" not in engine.unsupported_settings and not engine.thread_per_connection


def expect_served(peers: list[socket.socket]) -> None:
    """Expect that each has a connection that is accepted."""
    for peer in peers:
        peer.sendall(b"0,0\n")
        assert receive_line(peer) == b"0\n"


def expect_unanswered(server: Server, count: int, limit_s: str = "0.2") -> None:
    """Expect that so many connections were counted, and are spoken of."""
    assert server.summary()["unanswered"] == count
    said = f"the drain limit, {limit_s} s, passed: {count} connections ended unanswered"
    assert notices(server) == ([said] if count > 0 else [])


@pytest.mark.service("bucket")
@pytest.mark.parametrize("kind", ["sleep", "spin"])
def test_sessions_at_work_do_not_keep_a_server_beyond_the_limit(engine: str, kind: str) -> None:
    settings = [*BUCKET, f"--bucket-delay-kind={kind}", LIMIT]
    with (
        serving(engine, *settings, connections=CONNECTIONS) as server,
        connected(server, CONNECTIONS) as peers,
    ):
        expect_served(peers)
        for peer in peers:
            peer.sendall(HALF_A_MINUTE)
        for peer in peers:
            await_delivery(peer)
        began_s = time.monotonic()
        server.ask_to_stop()
        server.summary()
        assert time.monotonic() - began_s < GONE_WITHIN_S
        expect_unanswered(server, CONNECTIONS)
        assert sum(map(replies, peers)) == 0


@pytest.mark.service("bucket")
@pytest.mark.engines(that=has_pool)
def test_a_pool_does_not_serve_its_queue_beyond_the_limit(engine: str) -> None:
    """Some sessions end within the grace: then the engine ends in order."""
    settings = [*BUCKET, "--bucket-delay-kind=sleep", "--threads=4", "--drain-limit=100ms"]
    with (
        serving(engine, *settings) as server,
        connected(server, CONNECTIONS) as peers,
    ):
        expect_served(peers)
        for peer in peers:
            deliver(peer, b"250,0\n")
        server.ask_to_stop()
        expect_unanswered(server, CONNECTIONS - sum(map(replies, peers)), "0.1")


@pytest.mark.service("bucket")
def test_a_peer_that_asks_many_at_a_time_counts_once(engine: str) -> None:
    settings = [*BUCKET, "--bucket-delay-kind=sleep", LIMIT]
    with serving(engine, *settings, connections=4) as server, connected(server, 3) as peers:
        expect_served(peers)
        for peer in peers:
            deliver(peer, 3 * HALF_A_MINUTE)
        server.ask_to_stop()
        expect_unanswered(server, 3)


def test_a_peer_that_takes_no_replies_is_counted_and_one_that_is_silent_is_not(
    engine: str,
) -> None:
    with (
        serving(engine, LIMIT, FIXED_SEND_BUFFER, connections=4) as server,
        server.connect(buffer_bytes=1 << 16) as slow,
        server.connect() as silent,
    ):
        assert is_echoed(silent, b"hello")
        send_until_stuck(server, slow, some_bytes(16_000_000))
        server.ask_to_stop()
        assert receive_all(silent) == b""
        expect_unanswered(server, 1)


@pytest.mark.service("bucket")
def test_a_drain_that_ends_in_time_leaves_none_unanswered(engine: str) -> None:
    settings = [*BUCKET, "--bucket-delay-kind=sleep"]
    with (
        serving(engine, *settings, connections=CONNECTIONS) as server,
        connected(server, CONNECTIONS) as peers,
    ):
        for peer in peers:
            deliver(peer, b"1,0\n")
        server.ask_to_stop()
        assert sum(map(replies, peers)) == CONNECTIONS
        expect_unanswered(server, 0)


def ends_in_order(engine: str) -> bool:
    """Whether a server ends by itself that finds requests before the stop, and no time left.

    The last resort does not know the figures of the service.
    """
    with (
        serving(engine, "--drain-limit=0s", connections=4) as server,
        connected(server, 3) as peers,
    ):
        for peer in peers:
            assert is_echoed(peer, b"are you there?")
        server.freeze()
        for peer in peers:
            peer.sendall(b"before the stop")
        server.ask_to_stop()
        server.thaw()
        return server.summary()["service"] is not None


def test_a_limit_that_passes_before_the_stop_is_seen_ends_the_server_in_order(
    engine: str,
) -> None:
    """At one of five times: on a busy machine the last resort may come before its turn."""
    assert any(ends_in_order(engine) for _ in range(5))


@pytest.mark.of_engine("processes")
def test_processes_at_work_end_at_the_limit_and_each_counts() -> None:
    """They serve no service that waits: a client that takes no replies keeps a process."""
    with contextlib.ExitStack() as stack:
        # Within the limit a process has to be forked, which takes a busy machine its time.
        server = stack.enter_context(serving("processes", "--drain-limit=3s", "--threads=3"))
        for _ in range(3):
            slow = stack.enter_context(server.connect(buffer_bytes=1 << 16))
            send_until_stuck(server, slow, some_bytes(16_000_000))
        late = stack.enter_context(server.connect())
        deliver(late, b"too late?")
        server.ask_to_stop()
        until(lambda: hears_something(late), "one that waited is served by a process of its own")
        expect_unanswered(server, 3, limit_s="3")
