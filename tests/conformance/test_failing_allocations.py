"""Wherever an allocation fails that is made for a connection, that connection ends and no other."""

from __future__ import annotations

import contextlib
import errno
import itertools
import select
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conformance.allocations import EVERY, Allocations, allocations
from tests.conformance.commands import run
from tests.conformance.peers import is_echoed, receive_all, receive_exactly, some_bytes
from tests.conformance.programs import LOAD, SERVER, engine_row, engines
from tests.conformance.server import Server, serving
from tests.waiting import DEADLINE_S, until

MOST = 500  # a conversation that is not through after so many failures has no end
FAILING_S = 0.3  # a process that could not begin is replaced after 0.1 s
SMALL_BUFFER = "--send-buffer=8KiB"
REQUEST = some_bytes(200_000)  # less than makes a server stop to read


@contextlib.contextmanager
def ended_by_server() -> Iterator[None]:
    """Leave the block where the server has closed the connection; a timeout is a failure."""
    try:
        yield
    except OSError as error:
        if not isinstance(error, ConnectionError) and error.errno != errno.ENOTCONN:
            raise


def echoes(server: Server) -> None:
    """Hear the echo of what a socket does not take at once, or its beginning, and the end."""
    with server.connect() as peer, ended_by_server():
        peer.sendall(REQUEST)
        peer.shutdown(socket.SHUT_WR)
        assert REQUEST.startswith(receive_all(peer))


def stores(server: Server) -> None:
    """Store a value that comes in pieces, and ask for it, until the connection ends."""
    size = len(REQUEST)
    with server.connect() as peer, ended_by_server():
        peer.sendall(b"*3\r\n$3\r\nSET\r\n$5\r\nabcde\r\n$%d\r\n" % size + REQUEST[:1_000])
        peer.sendall(REQUEST[1_000:] + b"\r\n" + b"*2\r\n$3\r\nGET\r\n$5\r\nabcde\r\n")
        peer.shutdown(socket.SHUT_WR)
        receive_all(peer)


def pings(server: Server) -> bool:
    """Whether a store answers."""
    with server.connect() as peer:
        peer.sendall(b"PING\r\n")
        return receive_exactly(peer, 7) == b"+PONG\r\n"


def echoes_a_word(server: Server) -> bool:
    """Whether an echo comes back."""
    with server.connect() as peer:
        return is_echoed(peer, b"and what about me?")


def expect_only_connections_to_end(
    server: Server,
    plan: Allocations,
    converse: Callable[[Server], None],
    serves: Callable[[Server], bool],
    last: int | None,
) -> None:
    """Let the first allocation fail in a conversation, then the second, until none is left."""
    converse(server)
    descriptors = server.descriptors()
    for number in itertools.count(1):
        assert number < MOST
        with plan.failing(number, last or number):
            converse(server)
        assert serves(server)
        until(lambda: server.descriptors() <= descriptors, "all connections are closed")
        if plan.failed() == 0:
            break


@pytest.mark.parametrize("last", [None, EVERY], ids=["one", "all"])
@pytest.mark.parametrize(
    ("service", "converse", "serves"),
    [("echo", echoes, echoes_a_word), ("kv-resp", stores, pings)],
    ids=["echo", "kv-resp"],
)
def test_a_failing_allocation_ends_one_connection(
    engine: str,
    service: str,
    converse: Callable[[Server], None],
    serves: Callable[[Server], bool],
    last: int | None,
) -> None:
    with (
        allocations() as plan,
        serving(engine, f"--service={service}", SMALL_BUFFER, prefix=plan.prefix) as server,
    ):
        expect_only_connections_to_end(server, plan, converse, serves, last)


def test_a_server_that_listens_keeps_serving_after_memory_ran_out(engine: str) -> None:
    with allocations() as plan, contextlib.ExitStack() as stack:
        with plan.failing_once_listening():
            server = stack.enter_context(serving(engine, prefix=plan.prefix))
            server.cpu_used_within_s(FAILING_S)
        assert echoes_a_word(server)


def some_numbers(first: int) -> Iterator[int]:
    """At first each number, later about one in ten."""
    while True:
        yield first
        first += max(1, first // 10)


BEFORE_IT_LISTENS = 120  # of the last allocations until then: those for its threads, and more
OF_THREADS = [
    name
    for name in engines()
    if "threads" not in engine_row(name).unsupported_settings and engine_row(name).one_process
]


def says_or_ends(plan: Allocations, engine: str) -> bool:
    """Whether a server says that it listens or why not, or ends; it is ended then.

    It may be ended by an allocation in the destructor of an event: see below.
    """
    options = [f"--engine={engine}", "--threads=9", "--listen=127.0.0.1:0"]
    with subprocess.Popen(
        [*plan.prefix, str(SERVER), *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as server:
        assert server.stdout is not None
        in_time, _, _ = select.select([server.stdout], [], [], DEADLINE_S)
        server.kill()
    return bool(in_time)


@pytest.mark.unsanitized  # it would take minutes, as it starts each server 120 times
@pytest.mark.parametrize("engine", OF_THREADS)
def test_a_server_without_memory_for_a_thread_does_not_wait_for_it(engine: str) -> None:
    with allocations() as plan:
        with plan.failing(EVERY):
            assert says_or_ends(plan, engine)
        count = plan.asked()
        for number in range(count - BEFORE_IT_LISTENS, count):
            with plan.failing(number, number):
                assert says_or_ends(plan, engine), number


# The JSON library takes an event apart in a destructor, which may not fail: that of the first line
# makes these allocations, and those that come once all are connected are not tried.
FREEING_THE_FIRST_LINE = 10


@pytest.mark.parametrize("share", ["--threads=3", "--processes=2"])
def test_a_load_without_memory_for_its_workers_ends_with_a_sentence(share: str) -> None:
    with serving("epoll-level") as target, allocations() as plan:
        command = [
            *plan.prefix, str(LOAD), f"--target={target.address}", "--connections=4",
            "--warmup=0s", "--duration=50ms", share,
        ]  # fmt: skip
        failures = 0
        for number in some_numbers(FREEING_THE_FIRST_LINE):
            with plan.failing_once_listening(number, number):
                ended = run(Path("/usr/bin/env"), *command[1:])
            if '"event":"connected"' in ended.stdout:
                break
            assert ended.status == 1, number
            assert "out of memory" in ended.sentence(LOAD.name)
            assert "ulimit -v" in ended.stderr
            failures += 1
    assert failures > 0
