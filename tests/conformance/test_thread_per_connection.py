"""Engines whose threads serve one connection each: when all are taken, the next one waits."""

from __future__ import annotations

import select

import pytest

from tests.conformance.peers import (
    connected,
    deliver,
    is_echoed,
    receive_exactly,
    reset,
    send_until_blocked,
    some_bytes,
)
from tests.conformance.programs import engine_row, engines
from tests.conformance.server import serving

THREAD_PER_CONNECTION = [name for name in engines() if engine_row(name).thread_per_connection]


@pytest.mark.parametrize("engine", THREAD_PER_CONNECTION)
def test_one_connection_too_many_is_answered_once_another_has_ended(engine: str) -> None:
    with serving(engine, "--threads=2") as server, server.connect() as first:
        with server.connect() as second:
            assert is_echoed(first, b"I stay")
            assert is_echoed(second, b"I leave")
            with server.connect() as third:
                third.sendall(b"I wait")
                assert not select.select([third], [], [], 0.1)[0]
                second.close()
                assert receive_exactly(third, 6) == b"I wait"
        assert is_echoed(first, b"and I am still here")


@pytest.mark.parametrize("engine", THREAD_PER_CONNECTION)
def test_none_gets_the_reply_that_another_did_not_take(engine: str) -> None:
    with serving(engine, "--threads=1") as server:
        for _ in range(3):
            rude = server.connect(buffer_bytes=1 << 16)
            send_until_blocked(rude, some_bytes(16_000_000))
            reset(rude)
            with server.connect() as next_one:
                assert is_echoed(next_one, b"this is mine")


@pytest.mark.parametrize("engine", THREAD_PER_CONNECTION)
def test_a_client_that_waits_for_a_thread_at_the_stop_is_answered(engine: str) -> None:
    with serving(engine, "--threads=2") as server:
        with connected(server, 20) as peers:
            for number, peer in enumerate(peers):
                deliver(peer, b"%04d" % number)
            for number, peer in enumerate(peers[:2]):
                assert receive_exactly(peer, 4) == b"%04d" % number
            server.ask_to_stop()
            for number, peer in enumerate(peers[2:], start=2):
                assert receive_exactly(peer, 5) == b"%04d" % number
        assert server.summary()["accepts"] == 20
