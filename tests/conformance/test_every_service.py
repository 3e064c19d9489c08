"""What holds for every service under every engine, whatever it serves.

The load generator asks and checks, as it knows the client half of each service; so a new service
is tested here without a line of its own.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from tests.conformance.loads import RIGHT, load
from tests.conformance.peers import connected, receive_all, reset, some_bytes
from tests.conformance.server import Server, serving
from tests.waiting import DEADLINE_S, until


@pytest.fixture(scope="module")
def server(engine: str, service: str) -> Iterator[Server]:
    """A server of the service under the engine, shared by the tests of this file."""
    with serving(engine, f"--service={service}") as running:
        yield running


def expect_served_right(server: Server, service: str, *settings: str) -> None:
    """Expect that the service's workload finds every reply right, however late it is.

    A machine so busy that no request is sent in a short window gets a longer one.
    """
    asked = (f"--service={service}", f"--timeout={DEADLINE_S:.0f}s", *settings)
    result = load(server, "--duration=150ms", *asked).result
    if result["requests"]["completed"] == 0:
        result = load(server, "--duration=5s", *asked).result
    assert result["requests"]["errors"] == {}
    assert result["verdict"]["name"] in RIGHT, result["verdict"]
    assert result["requests"]["completed"] > 0


@pytest.mark.parametrize(
    "settings",
    [
        ["--connections=1"],
        ["--connections=64", "--depth=16"],
        ["--connections=200", "--threads=2"],
    ],
    ids=str,
)
def test_every_reply_is_right(server: Server, service: str, settings: list[str]) -> None:
    expect_served_right(server, service, *settings)


def test_whoever_ends_without_a_word_is_ended_with(server: Server) -> None:
    with connected(server, 20) as peers:
        for peer in peers:
            peer.shutdown(socket.SHUT_WR)
        for peer in peers:
            receive_all(peer)


def test_garbage_hurts_no_other_connection(server: Server, service: str) -> None:
    descriptors = server.descriptors()
    for seed in range(30):
        with server.connect() as peer:
            peer.sendall(some_bytes(2_000, seed=seed))
            if seed % 3 == 0:
                reset(peer)
    until(lambda: server.descriptors() <= descriptors, "no descriptor of theirs is open")
    expect_served_right(server, service)
