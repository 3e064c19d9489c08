"""What is special about edges: one registration is enough, whatever the connection goes through."""

from __future__ import annotations

from tests.conformance.peers import (
    connected,
    expect_answers_to_ended_peers,
    is_echoed,
    receive_exactly,
    send_until_blocked,
    some_bytes,
)
from tests.conformance.server import serving

CONNECTIONS = 20


def test_nothing_is_registered_again_after_pauses_and_waiting_output() -> None:
    request = some_bytes(4_000_000)
    with serving("epoll-edge", "--high-water=64KiB") as server:
        with connected(server, CONNECTIONS, buffer_bytes=1 << 16) as peers:
            sent = [send_until_blocked(peer, request) for peer in peers]
            assert min(sent) > 64 << 10
            for peer, size in zip(peers, sent, strict=True):
                assert receive_exactly(peer, size) == request[:size]
                assert is_echoed(peer, b"hello")
        server.ask_to_stop()
        summary = server.summary()
    of_the_loop = 4  # the listener and the stop, added and removed
    assert summary["syscalls"]["change"] == CONNECTIONS + of_the_loop


def test_a_short_request_with_the_end_behind_it_is_answered_and_ended() -> None:
    with serving("epoll-edge") as server:
        expect_answers_to_ended_peers(server, CONNECTIONS)
