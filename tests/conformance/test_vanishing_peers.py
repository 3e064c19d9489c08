"""Peers that vanish, in whatever state, take nothing with them and leave nothing behind."""

from __future__ import annotations

import socket
from collections.abc import Callable

import pytest

from tests.conformance.peers import (
    hears_something,
    is_echoed,
    reset,
    send_until_blocked,
    some_bytes,
)
from tests.conformance.server import serving
from tests.waiting import until

VANISHING = 20
SMALL_BUFFER_BYTES = 1 << 16  # full soon


def just_connected(_peer: socket.socket) -> None:
    """It has said nothing, and has perhaps not been accepted."""


def answered(peer: socket.socket) -> None:
    """It has had its reply, and is idle."""
    assert is_echoed(peer, b"hello")


def has_asked(peer: socket.socket) -> None:
    """Its request is on the way."""
    peer.sendall(some_bytes(10_000))


def has_an_unread_reply(peer: socket.socket) -> None:
    """Its reply has come, and it has not read it."""
    peer.sendall(b"hello")
    until(lambda: hears_something(peer), "it is answered")


def takes_no_replies(peer: socket.socket) -> None:
    """The server has more to send than it takes."""
    send_until_blocked(peer, some_bytes(16_000_000))


def has_half_closed(peer: socket.socket) -> None:
    """It has said all it will, and has not read what came back."""
    peer.sendall(some_bytes(100_000))
    peer.shutdown(socket.SHUT_WR)


STATES = [
    just_connected,
    answered,
    has_asked,
    has_an_unread_reply,
    takes_no_replies,
    has_half_closed,
]


@pytest.mark.parametrize("vanish", [reset, socket.socket.close])
@pytest.mark.parametrize("state", STATES)
def test_vanished_peers_leave_the_server_serving_and_no_descriptor_open(
    engine: str, state: Callable[[socket.socket], None], vanish: Callable[[socket.socket], None]
) -> None:
    count = 2 if state is takes_no_replies else VANISHING  # until they are blocked takes a while
    with serving(engine) as server, server.connect() as witness:
        assert is_echoed(witness, b"before")
        descriptors = server.descriptors()
        for _ in range(count):
            peer = server.connect(buffer_bytes=SMALL_BUFFER_BYTES)
            try:
                state(peer)
            finally:
                vanish(peer)
        assert is_echoed(witness, b"after")
        until(lambda: server.descriptors() == descriptors, "no descriptor of theirs is open")


def test_a_storm_of_resets_is_survived(engine: str) -> None:
    with serving(engine) as server, server.connect() as witness:
        assert is_echoed(witness, b"before")
        descriptors = server.descriptors()
        for _ in range(10):
            peers = [server.connect() for _ in range(50)]
            for peer in peers:
                peer.sendall(b"x")
            for peer in peers:
                reset(peer)
        assert is_echoed(witness, b"after")
        until(lambda: server.descriptors() == descriptors, "no descriptor of theirs is open")
