"""A stop: what was asked is answered, the connections end, and the server says what it did."""

from __future__ import annotations

import contextlib
import signal
import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from queue import SimpleQueue

import pytest

from serverlab.machine import sampler
from tests.conformance.loads import loading
from tests.conformance.peers import (
    FIXED_SEND_BUFFER,
    await_delivery,
    connected,
    deliver,
    exchange,
    hears_something,
    is_echoed,
    receive_all,
    receive_exactly,
    send_until_stuck,
    some_bytes,
)
from tests.conformance.programs import many_connections, preloading
from tests.conformance.server import Server, serving
from tests.waiting import until

CONNECTIONS = 50
SMALL_BUFFER_BYTES = 1 << 16  # full soon


def is_refused(server: Server) -> bool:
    """Whether it takes no new connection."""
    try:
        server.connect().close()
    except (ConnectionRefusedError, ConnectionResetError):
        return True
    return False


def speak_on(peer: socket.socket) -> None:
    """Ask again and again, for ever."""
    while True:
        peer.sendall(b"on and on")
        peer.recv(1 << 16)


ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGALRM)
SERVED_IN_S = 0.02
REQUEST = b"20,0\n"


def ask_ahead(peer: socket.socket, replied: Callable[[int], None]) -> None:
    """Have two requests under way, half the time that one takes apart, until the server ends."""
    peer.sendall(REQUEST)
    hears_something(peer, SERVED_IN_S / 2)
    peer.sendall(REQUEST)
    with contextlib.suppress(ConnectionError):
        while replies := peer.recv(1 << 16).count(b"\n"):
            replied(replies)
            peer.sendall(replies * REQUEST)


def takes_termination(task: Path) -> bool:
    """Whether the thread would run the handlers of the signals that ask for a stop or bring it."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has just ended
        lines = (task / "status").read_text(encoding="ascii").splitlines()
        blocked = next(int(line.split()[1], 16) for line in lines if line.startswith("SigBlk:"))
        return not any(blocked >> (number - 1) & 1 for number in ENDING)
    return False


LONG = ["--duration=1h", "--warmup=300ms", "--timeout=60s"]  # the window begins under load


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_ends_idle_connections_and_the_server(engine: str, number: signal.Signals) -> None:
    with serving(engine) as server, connected(server, CONNECTIONS) as peers:
        server.ask_to_stop(number)
        for peer in peers:
            assert receive_all(peer) == b""
        server.summary()


def test_only_the_first_thread_of_a_process_takes_what_asks_for_a_stop(engine: str) -> None:
    with serving(engine) as server, connected(server, 4) as peers:
        assert all(is_echoed(peer, b"hello") for peer in peers)
        for process in sampler.processes(server.pid):
            first = Path("/proc", str(process), "task", str(process))
            until(partial(takes_termination, first), "it is not making a thread now")
            others = [task for task in sampler.tasks(process) if task.name != first.name]
            assert [task.name for task in others if takes_termination(task)] == []


def test_a_stop_without_any_connection_ends_the_server(engine: str) -> None:
    with serving(engine) as server:
        server.ask_to_stop()
        server.summary()


@pytest.mark.engines(that=lambda row: row.name.startswith("uring"))
def test_a_stop_just_before_the_wait_for_a_ring_ends_the_server(engine: str) -> None:
    with serving(engine, prefix=preloading("stop_before_wait")) as server:
        server.summary()


def test_what_was_asked_before_the_stop_is_answered_and_then_the_end_comes(engine: str) -> None:
    requests = [some_bytes(6_400, seed=number) for number in range(CONNECTIONS)]
    with serving(engine) as server, connected(server, CONNECTIONS) as peers:
        for part in range(0, 6_400, 64):
            for peer, request in zip(peers, requests, strict=True):
                peer.sendall(request[part : part + 64])
        for peer in peers:
            await_delivery(peer)
        server.ask_to_stop()
        for peer, request in zip(peers, requests, strict=True):
            assert receive_all(peer) == request


@pytest.mark.parametrize("connections", [50, many_connections()])
def test_a_stop_under_load_answers_all_that_was_received_and_ends_every_connection(
    engine: str, connections: int
) -> None:
    with (
        serving(engine, connections=connections) as server,
        loading(server.address, f"--connections={connections}", *LONG) as running,
    ):
        running.await_event("window")
        server.ask_to_stop()
        summary = server.summary()
        running.interrupt()
        result = running.end().result
    assert summary["accepts"] >= connections
    assert summary["bytes_in"] == summary["bytes_out"] >= result["bytes"]["received"]
    assert summary["bytes_in"] > 0
    assert result["connections"]["established"] == connections
    assert set(result["requests"]["errors"]) <= {
        "idle_eof", "read_eof_in_reply", "read_reset", "broken_pipe", "connect_refused",
        "connect_reset",
    }  # fmt: skip


@pytest.mark.service("bucket")
def test_a_peer_whose_next_request_is_always_there_does_not_keep_the_server(engine: str) -> None:
    """A socket still receives after its receiving was ended, and so is never found empty."""
    settings = ["--service=bucket", "--bucket-delay-unit=1ms", "--bucket-delay-kind=sleep"]
    with (
        ThreadPoolExecutor() as threads,
        serving(engine, *settings, connections=2) as server,
        connected(server, 2) as peers,
    ):
        replies: SimpleQueue[int] = SimpleQueue()
        for peer in peers:
            threads.submit(ask_ahead, peer, replies.put)
        for _ in range(20):
            replies.get()
        server.ask_to_stop()
        server.summary()


def test_a_client_that_waits_to_be_accepted_at_the_stop_is_answered(engine: str) -> None:
    requests = [some_bytes(1_000, seed=number) for number in range(CONNECTIONS)]
    with serving(engine) as server:
        server.freeze()
        with connected(server, CONNECTIONS) as peers:
            for peer, request in zip(peers, requests, strict=True):
                deliver(peer, request)
            server.ask_to_stop()
            server.thaw()
            for peer, request in zip(peers, requests, strict=True):
                assert receive_all(peer) == request
        server.summary()


def test_a_client_that_connects_while_the_server_is_busy_stopping_takes_nothing_from_others(
    engine: str,
) -> None:
    request = some_bytes(30_000)
    with (
        serving(engine) as server,
        connected(server, CONNECTIONS) as busy,
        contextlib.ExitStack() as late,
    ):
        for peer in busy:
            deliver(peer, request)
        server.ask_to_stop()
        with contextlib.suppress(ConnectionError):
            while True:
                late.enter_context(server.connect()).sendall(b"am I too late?")
        for peer in busy:
            assert receive_all(peer) == request


def test_none_is_accepted_while_the_server_drains(engine: str) -> None:
    request = some_bytes(16_000_000)
    with (
        serving(engine, FIXED_SEND_BUFFER) as server,
        server.connect(buffer_bytes=SMALL_BUFFER_BYTES) as slow,
    ):
        sent = send_until_stuck(server, slow, request)
        server.ask_to_stop()
        until(lambda: is_refused(server), "new connections are refused")
        assert receive_exactly(slow, 1_000) == request[:1_000]
        assert sent > 1_000


def test_a_peer_that_takes_no_replies_does_not_keep_the_server_beyond_its_drain_limit(
    engine: str,
) -> None:
    with (
        serving(engine, "--drain-limit=200ms") as server,
        server.connect(buffer_bytes=SMALL_BUFFER_BYTES) as slow,
    ):
        send_until_stuck(server, slow, some_bytes(16_000_000))
        server.ask_to_stop()
        server.summary()


def test_a_peer_that_speaks_on_does_not_keep_the_server(engine: str) -> None:
    with serving(engine, "--drain-limit=200ms") as server, server.connect() as speaker:
        assert is_echoed(speaker, b"hello")
        server.ask_to_stop()
        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            speak_on(speaker)
        server.summary()


def test_a_second_signal_ends_the_server_at_once(engine: str) -> None:
    with (
        serving(engine, FIXED_SEND_BUFFER) as server,
        server.connect(buffer_bytes=SMALL_BUFFER_BYTES) as slow,
    ):
        send_until_stuck(server, slow, some_bytes(16_000_000))
        server.ask_to_stop()
        until(lambda: is_refused(server), "the first signal has come")
        server.ask_to_stop()
        server.expect_killed_by(signal.SIGTERM)


def test_the_summary_counts_what_was_accepted_received_and_sent(engine: str) -> None:
    request = some_bytes(5_000)
    with serving(engine) as server:
        for _ in range(10):
            with server.connect() as peer:
                assert exchange(peer, request) == request
        server.ask_to_stop()
        summary = server.summary()
    assert summary["accepts"] == 10
    assert summary["bytes_in"] == 50_000
    assert summary["bytes_out"] == 50_000


def test_the_port_is_free_again_once_the_server_has_gone(engine: str) -> None:
    with serving(engine) as server, server.connect() as peer:
        assert is_echoed(peer, b"hello")
        address = server.address
        server.ask_to_stop()
        server.summary()
        with serving(engine, f"--listen={address}") as successor, successor.connect() as again:
            assert successor.address == address
            assert is_echoed(again, b"hello")
            again.shutdown(socket.SHUT_WR)
