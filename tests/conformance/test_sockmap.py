"""What only the engine of a sockmap does: no thread is woken, some connections are closed."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from tests.conformance.commands import run
from tests.conformance.loads import load
from tests.conformance.peers import (
    connected,
    expect_answers_to_ended_peers,
    is_echoed,
    receive_all,
    some_bytes,
)
from tests.conformance.programs import SERVER
from tests.conformance.server import serving, skip_if_lacking

# What a peer that nothing holds up can get rid of: 16 MiB, as much again before the engine looks
# and closes, and what the buffers of both sockets take.
KEPT_MAX_BYTES = 64 << 20
DESCRIPTORS = 100
AT_A_TIME = 20


def send_before_receiving(peer: socket.socket, request: bytes) -> bytes:
    """Send the whole request, and only then receive, up to the end."""
    peer.sendall(request)
    return receive_all(peer)


def test_no_request_wakes_the_server() -> None:
    with serving("sockmap") as server:
        requests = load(server, "--connections=64", "--duration=3s").result["requests"]["completed"]
        server.ask_to_stop()
        summary = server.summary()
    assert summary["requests"] >= requests > 1_000
    assert summary["events"] < 500  # of 64 connections that come and go
    assert summary["syscalls"]["receive"] == summary["syscalls"]["send"] == 0


def test_any_number_may_have_ended_before_they_are_accepted() -> None:
    """Such a socket gets no place in the map, and leaves none taken."""
    prefix = ["prlimit", f"--nofile={DESCRIPTORS}"]
    with serving("sockmap", prefix=prefix) as server:
        for _ in range(2 * DESCRIPTORS // AT_A_TIME):
            expect_answers_to_ended_peers(server, AT_A_TIME)


def test_a_peer_that_takes_no_replies_is_closed_in_the_end() -> None:
    with serving("sockmap") as server, connected(server, 2) as (witness, slow):
        with pytest.raises(ConnectionError):
            send_before_receiving(slow, some_bytes(KEPT_MAX_BYTES))
        assert is_echoed(witness, b"others are answered all the same")


def test_a_peer_that_takes_replies_is_never_closed() -> None:
    request = some_bytes(1 << 20)
    with serving("sockmap") as server, server.connect() as peer:
        for _ in range(64):
            assert is_echoed(peer, request)


@pytest.mark.parametrize("setting", ["--connection-log=log.tsv", "--stamps=on", "--close-after=1"])
def test_sessions_that_do_not_run_cannot_be_logged_timed_or_set(setting: str) -> None:
    skip_if_lacking("sockmap")
    ended = run(SERVER, "--engine=sockmap", setting)
    assert ended.status == 2
    assert "runs no sessions" in ended.sentence("serverlab-server")


def test_a_user_that_may_not_load_programs_is_told_so() -> None:
    skip_if_lacking("sockmap")
    ended = run(Path("setpriv"), "--bounding-set=-all", str(SERVER), "--engine=sockmap")
    assert ended.status == 69  # this machine cannot
    assert "CAP_BPF" in ended.sentence("serverlab-server")
