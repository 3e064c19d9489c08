"""Clients that connect all at once are all accepted, and wake no more threads than are needed."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.conformance.peers import exchange, is_echoed, some_bytes
from tests.conformance.programs import catalogue
from tests.conformance.server import Server, serving
from tests.waiting import until

BACKLOG = 8
CROWD = 3 * BACKLOG

# A thread is told that a client has come, has asked, has ended; each may take a call that finds
# nothing, and a word to another thread. Where a herd wakes, each of THREADS is told of each.
THREADS = 8
WAITS_EACH_MAX = 6.0
OF_THREADS = [
    one.name
    for one in catalogue().engines
    if "threads" not in one.unsupported_settings
    and not one.name.startswith("asio-")  # the calls of that library are not counted
]
CLIENTS = 200


def waiting_at(server: Server) -> int:
    """How many wait in its accept queue, the longest if it has several, as the kernel says."""
    port = f"{int(server.address.rpartition(':')[2]):04X}"
    rows = [line.split() for line in Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()]
    return max(int(row[4].split(":")[1], 16) for row in rows if is_listener(row, port))


def is_listener(row: list[str], port: str) -> bool:
    """Whether a row of /proc/net/tcp is that of a socket which listens on the port."""
    return row[1].endswith(f":{port}") and row[3] == "0A"


def is_served(server: Server, number: int) -> bool:
    """Whether a client that connects and asks is answered."""
    with server.connect() as peer:
        return is_echoed(peer, some_bytes(1_000, seed=number))


def test_a_crowd_that_the_accept_queue_cannot_hold_is_served_to_the_last(engine: str) -> None:
    """A client that the kernel turns away tries again after a second, and finds room."""
    with serving(engine, f"--backlog={BACKLOG}") as server, ThreadPoolExecutor(CROWD) as crowd:
        server.freeze()
        served = [crowd.submit(is_served, server, number) for number in range(CROWD)]
        until(lambda: waiting_at(server) > BACKLOG, "the queue is full")
        server.thaw()
        assert all(future.result() for future in served)


@pytest.mark.parametrize("engine", OF_THREADS)
def test_a_client_wakes_no_herd(engine: str) -> None:
    with serving(engine, f"--threads={THREADS}") as server:
        for number in range(CLIENTS):
            request = some_bytes(100, seed=number)
            with server.connect() as peer:
                assert exchange(peer, request) == request
        server.ask_to_stop()
        syscalls = server.summary()["syscalls"]
    assert syscalls["wait"] / CLIENTS < WAITS_EACH_MAX
