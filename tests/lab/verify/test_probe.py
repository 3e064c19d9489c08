"""Which exchanges hold, of servers that are right and of servers with one fault each."""

from __future__ import annotations

import shutil
import socket
import threading
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from serverlab.running.events import Listening
from serverlab.verify.probe import SERVICES, outcome, probe
from serverlab.verify_command import started
from tests.lab.command_line import call
from tests.lab.verify.planted import Serve, serving


def echo(peer: socket.socket) -> None:
    """A right one."""
    while data := peer.recv(65536):
        peer.sendall(data)


def reversed_third(peer: socket.socket) -> None:
    """The third reply on a connection is wrong."""
    for place in range(10**6):
        if not (data := peer.recv(65536)):
            return
        peer.sendall(data[::-1] if place == 2 else data)


def one_reply(peer: socket.socket) -> None:
    """It closes after its first reply."""
    peer.sendall(peer.recv(65536))


def deaf_to_a_half_close(peer: socket.socket) -> None:
    """The connection stays open when the client has ended."""
    echo(peer)
    threading.Event().wait(8)


def a_byte_too_much(peer: socket.socket) -> None:
    """Something follows what was asked for."""
    while data := peer.recv(65536):
        peer.sendall(data)
    peer.sendall(b"!")


def silent(peer: socket.socket) -> None:
    """No reply."""
    while peer.recv(65536):
        pass


def seven_bits(peer: socket.socket) -> None:
    """Not every byte is returned as it is."""
    while data := peer.recv(65536):
        peer.sendall(bytes(byte & 127 for byte in data))


def short_memory(peer: socket.socket) -> None:
    """What is beyond 64 KiB on a connection is lost."""
    left = 65536
    while data := peer.recv(65536):
        peer.sendall(data[:left])
        left -= len(data[:left])


FAULTS: dict[str, tuple[Serve, set[str], str]] = {
    "right": (echo, set(), ""),
    "reversed third": (reversed_third, {"a connection carries"}, 'received "olleh"'),
    "one reply": (one_reply, {"a connection carries", "a message of 256"}, 'expected "hello"'),
    "deaf to a half-close": (
        deaf_to_a_half_close,
        {"after a half-close"},
        'expected "the end of the connection", received nothing in time',
    ),
    "a byte too much": (
        a_byte_too_much,
        {"after a half-close"},
        'expected "the end of the connection", received "!"',
    ),
    "seven bits": (seven_bits, {"every byte", "a message of 256"}, "received"),
    "short memory": (short_memory, {"a message of 256", "after a half-close"}, "received"),
}


@pytest.mark.parametrize(("serve", "expected", "words"), FAULTS.values(), ids=FAULTS)
def test_each_fault_fails_its_exchanges_and_no_other(
    serve: Serve, expected: set[str], words: str
) -> None:
    with serving(serve) as address:
        outcomes = probe("echo", address, {}, required_only=False)
    failed = {one.name: one.failure for one in outcomes if one.failure}
    for beginning in expected:
        assert any(name.startswith(beginning) for name in failed), (beginning, failed)
    # Into how many pieces the kernel cuts these decides whether they show the fault, too.
    unsure = ("messages that", "a message byte by byte", "a message of 256", "after a half-close")
    sure = [name for name in failed if not name.startswith(unsure)]
    assert all(name.startswith(tuple(expected)) for name in sure), failed
    assert expected or not failed
    assert not expected or any(words in failure for failure in failed.values()), failed


def test_a_silent_server_fails_by_the_deadline() -> None:
    [first, *_] = SERVICES["echo"]({})
    with serving(silent) as address:
        host, _, port = address.partition(":")
        found = outcome(replace(first, limit_s=0.2), host, int(port))
    assert found.failure == 'sent "hello", expected "hello", received nothing in time'


def test_a_server_that_is_not_there_is_asked_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"127.0.0.1:{listener.getsockname()[1]}"
    [only] = probe("http", address, {}, required_only=False)
    assert only.failure == "cannot connect: Connection refused"


def test_a_load_of_another_path_needs_that_one_alone() -> None:
    exchanges = SERVICES["http"]({"http-path": "/bytes/5", "depth": "4"})
    required = [one.name for one in exchanges if one.required]
    assert required[0] == "GET /bytes/5 gets status 200"
    assert "replies come in the order of requests at once" in required
    assert not [one.name for one in exchanges if one.required and "Hello" in one.name]


@pytest.mark.parametrize("service", SERVICES)
@pytest.mark.parametrize("engine", ["epoll-level", "threads"])
def test_every_exchange_holds_of_our_servers(tmp_path: Path, engine: str, service: str) -> None:
    with started(engine, service, tmp_path / "log") as server:
        address = server.await_event(Listening, 20).address
        outcomes = probe(service, address, {}, required_only=False)
    assert [one.failure for one in outcomes if one.failure] == []


@pytest.mark.skipif(shutil.which("redis-server") is None, reason="this machine has no redis-server")
def test_every_exchange_holds_of_redis(tmp_path: Path) -> None:
    command = "redis-server --port {port} --save '' --appendonly no"
    done = call("verify", command, "--service=kv-resp", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    count = len(SERVICES["kv-resp"]({}))
    assert done.stdout.endswith(f"{count} of {count} exchanges hold; it can be measured\n")


def test_another_server_is_said_line_by_line_and_nothing_is_left(tmp_path: Path) -> None:
    command = "python3 -m http.server {port} --bind 127.0.0.1"
    done = call("verify", command, "--service=http", "--json", cwd=tmp_path)
    assert done.returncode == 1
    assert '"name": "GET / gets Hello, World!, twice on a connection"' in done.stdout
    assert "<head>" in done.stdout  # of a listing
    running = [one for one in psutil.process_iter(["cwd"]) if one.info["cwd"] == str(tmp_path)]
    assert running == []


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--service=echo"], "give either a server to start, or --target=HOST:PORT"),
        (["./s {port}", "--service=ecco"], "there is no service 'ecco'; did you mean echo"),
        (["no-such", "--service=echo"], "'no-such' is no subject"),
        (["no-such {port}", "--service=echo"], "cannot start no-such: No such file or directory"),
        (["--target=127.0.0.1:1", "--service=echo"], "there is no server at 127.0.0.1:1"),
        (["--target=epoll-level", "--service=echo"], "'epoll-level' is not HOST:PORT"),
    ],
)
def test_what_cannot_be_asked_is_one_sentence(
    tmp_path: Path, arguments: list[str], sentence: str
) -> None:
    done = call("verify", *arguments, cwd=tmp_path)
    assert done.returncode in {1, 2}
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1
