"""The server's own times of messages, stores, locks and connections, if it is asked for them."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hdrh.histogram import HdrHistogram

from tests.conformance.applying import runs_sessions
from tests.conformance.loads import load
from tests.conformance.peers import exchange, is_echoed
from tests.conformance.server import Server, serving
from tests.waiting import until

pytestmark = pytest.mark.engines(that=runs_sessions)

REQUEST = b"PING\r\n"
REPLY = b"+PONG\r\n"


def stamps_of(server: Server) -> dict[str, Any]:
    """Stop the server and return its times."""
    server.ask_to_stop()
    stamps: dict[str, Any] = server.summary()["stamps"]
    return stamps


@pytest.mark.service("bucket")
def test_a_message_is_timed_while_its_session_works_and_a_connection_while_it_is_open(
    engine: str,
) -> None:
    delays = 4
    delay = ("--bucket-delay-unit=10ms", "--bucket-delay-kind=sleep")
    with serving(engine, "--stamps=on", "--service=bucket", *delay) as server:
        began_s = time.monotonic()
        with server.connect() as peer:
            for _ in range(delays):
                peer.sendall(b"1,0\n")
                assert peer.recv(100).endswith(b"\n")
        took_ns = (time.monotonic() - began_s) * 1e9
        stamps = stamps_of(server)
    message, connection = stamps["message_ns"], stamps["connection_ns"]
    assert (message["count"], connection["count"]) == (delays, 1)
    assert message["min"] * 1.001 >= 10e6
    assert delays * message["mean"] <= connection["mean"] * 1.001
    assert delays * message["mean"] <= took_ns * 1.001
    assert stamps["store_ns"]["count"] == stamps["lock_wait_ns"]["count"] == 0
    assert stamps["store_ns"]["mean"] is None


@pytest.mark.service("kv-resp")
def test_messages_that_come_together_share_the_time_of_their_turn(engine: str) -> None:
    with serving(engine, "--stamps=on", "--service=kv-resp") as server:
        with server.connect() as peer:
            assert exchange(peer, REQUEST * 50 + b"GET a\r\n" * 50) == REPLY * 50 + b"$-1\r\n" * 50
        stamps = stamps_of(server)
    message, store = stamps["message_ns"], stamps["store_ns"]
    assert message["count"] == 100
    assert 50 <= store["count"] <= 100
    assert store["mean"] * store["count"] <= message["mean"] * message["count"]


@pytest.mark.service("kv-resp")
def test_the_times_of_a_load_have_one_entry_a_reply_and_one_a_connection(engine: str) -> None:
    with serving(engine, "--stamps=on", "--service=kv-resp", "--kv-shards=1") as server:
        result = load(server, "--service=kv-resp", "--connections=8").result
        server.ask_to_stop()
        summary = server.summary()
    stamps = summary["stamps"]
    assert result["requests"]["completed"] > 0
    assert stamps["message_ns"]["count"] == stamps["store_ns"]["count"] == summary["requests"]
    assert stamps["connection_ns"]["count"] == 8
    assert stamps["lock_wait_ns"]["count"] == summary["service"]["lock_waits"]
    histogram = HdrHistogram.decode(stamps["message_ns"]["hdr"])
    assert histogram.get_total_count() == summary["requests"]


def test_without_being_asked_the_server_stamps_nothing(engine: str) -> None:
    with serving(engine) as server:
        with server.connect() as peer:
            assert is_echoed(peer, b"hello")
        server.ask_to_stop()
        assert "stamps" not in server.summary()


@pytest.mark.service("http")
def test_a_reply_in_many_pieces_is_one_message_and_waits_for_no_client(engine: str) -> None:
    size = 8 << 20
    request = b"GET /bytes/%d HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n" % size
    with serving(engine, "--stamps=on", "--service=http") as server:
        with server.connect(buffer_bytes=4096) as peer:
            began_s = time.monotonic()
            peer.sendall(request)
            until(server.sleeps, "the server waits for its client")
            waited_ns = (time.monotonic() - began_s) * 1e9
            received = 0
            while piece := peer.recv(1 << 20):
                received += len(piece)
            took_ns = (time.monotonic() - began_s) * 1e9
        stamps = stamps_of(server)
    assert received > size
    assert stamps["message_ns"]["count"] == 1
    assert stamps["message_ns"]["max"] <= took_ns
    assert stamps["connection_ns"]["max"] * 1.001 >= waited_ns
