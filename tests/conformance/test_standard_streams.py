"""Standard streams that are closed, that are not read, or that cannot be written."""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import os
import signal
import socket
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from serverlab.machine import sampler
from tests.conformance.loads import RIGHT, load_address
from tests.conformance.peers import connected, is_echoed, receive_line
from tests.conformance.programs import (
    ENVIRONMENT,
    LOAD,
    SERVER,
    engine_row,
    engines,
    verdict_statuses,
)
from tests.conformance.server import Server, serving, skip_if_lacking
from tests.conformance.sockets import HOST
from tests.waiting import DEADLINE_S, until

FULL = "/dev/full"
PRINTS_WITHIN_S = 1.0  # a server that has a signal
NO_SPACE = "cannot write to stdout: No space left on device"
CLOSED = [  # every choice of the three that closes at least one
    streams for count in (1, 2, 3) for streams in itertools.combinations((0, 1, 2), count)
]
FILES = ["json", "hlog", "hgrm", "wrk2", "fortio", "benchstat", "connection-log"]
SHORT = ["--duration=50ms", "--warmup=0s"]
ANSWERED = ["--duration=1s", "--warmup=0s"]  # long enough for a reply under a sanitizer
PRINTING = [
    (program, flag)
    for program, flags in (
        (SERVER, ("--help", "--version", "--list", "--list-json")),
        (LOAD, ("--help", "--version", "--list-json")),
    )
    for flag in flags
]


def free_port() -> int:
    """A port that a server can listen on, which cannot say which one it has."""
    with socket.create_server((HOST, 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def without(streams: tuple[int, ...], *command: str) -> list[str]:
    """The command, started by a shell that closes these streams before."""
    closing = " ".join(f"{stream}>&-" for stream in streams)
    return ["sh", "-c", f'exec "$@" {closing}', "sh", *command]


def connections_to(port: int) -> list[socket.socket]:
    """A connection, or none if no program listens yet."""
    with contextlib.suppress(ConnectionRefusedError):
        return [socket.create_connection((HOST, port), timeout=DEADLINE_S)]
    return []


def is_served(peer: socket.socket) -> bool:
    """Whether an echo comes."""
    return is_echoed(peer, b"hello")


def has_work_for_half_a_minute(peer: socket.socket) -> bool:
    """Whether a session has replied, and is at work again."""
    peer.sendall(b"0,0\n30000,0\n")
    return receive_line(peer) == b"0\n"


def serve_and_stop(
    port: int,
    command: list[str],
    stdout: int,
    expected: Callable[[socket.socket], bool] = is_served,
) -> tuple[int, str]:
    """Serve one client by a server that cannot say where it listens, and stop it.

    Returns its exit status and what it said on stderr.
    """
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE, env=ENVIRONMENT
    ) as process:
        try:
            (peer,) = until(lambda: connections_to(port), "the server listens")
            with peer:
                assert expected(peer)
            process.terminate()
            said = process.communicate(timeout=DEADLINE_S)[1]
        finally:
            process.kill()
    return process.returncode, said.decode()


def server_command(engine: str, port: int) -> list[str]:
    """The command of an echo server."""
    skip_if_lacking(engine)
    threads = ["--threads=2"] if engine_row(engine).thread_per_connection else []
    return [str(SERVER), f"--engine={engine}", f"--listen={HOST}:{port}", *threads]


def has_another_worker(server: Server, victim: int) -> bool:
    """Whether a process has been replaced."""
    return len(set(sampler.processes(server.pid)[1:]) - {victim}) == server.connections_max


def test_a_server_goes_on_when_its_stdout_is_not_read(engine: str) -> None:
    with serving(engine, connections=3) as server, connected(server, 2) as peers:
        assert server.process.stdout is not None
        server.process.stdout.close()
        assert all(is_echoed(peer, b"hello") for peer in peers)
        if not engine_row(engine).one_process:  # one that dies is worth a notice
            victim = sampler.processes(server.pid)[-1]
            os.kill(victim, signal.SIGKILL)
            until(lambda: has_another_worker(server, victim), "the process is replaced")
        with server.connect() as another:
            assert is_echoed(another, b"are you still there?")
        server.ask_to_stop()
        server.expect_end(0)


def test_a_server_starts_and_serves_with_standard_streams_closed(engine: str) -> None:
    for streams in CLOSED:
        port = free_port()
        command = without(streams, *server_command(engine, port))
        assert serve_and_stop(port, command, subprocess.DEVNULL) == (0, ""), streams


def test_a_server_that_cannot_write_its_events_says_so_once_and_serves(engine: str) -> None:
    port = free_port()
    with Path(FULL).open("wb") as full:
        said = serve_and_stop(port, server_command(engine, port), full.fileno())
    assert said == (1, f"{SERVER.name}: {NO_SPACE}\n")


@pytest.mark.of_engine("epoll-level")
@pytest.mark.service("bucket")
def test_a_server_that_ends_at_its_drain_limit_and_cannot_write_its_summary_fails() -> None:
    port = free_port()
    settings = ["--service=bucket", "--bucket-delay-unit=1ms", "--drain-limit=0s"]
    with Path(FULL).open("wb") as full:
        at_work = [*server_command("epoll-level", port), *settings]
        said = serve_and_stop(port, at_work, full.fileno(), has_work_for_half_a_minute)
    assert said == (1, f"{SERVER.name}: {NO_SPACE}\n")


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A server that the loads of this file share."""
    with serving(engines()[0]) as running:
        yield running


def is_right(result: Path, status: int) -> bool:
    """Whether a load wrote its result, had no wrong reply, and ended with its verdict's status."""
    name = msgspec.json.decode(result.read_bytes())["verdict"]["name"]
    return name in RIGHT and verdict_statuses()[name] == status


@pytest.mark.parametrize("streams", CLOSED, ids=str)
def test_a_load_runs_with_standard_streams_closed(
    server: Server, streams: tuple[int, ...], tmp_path: Path
) -> None:
    result = tmp_path / "result.json"
    command = without(
        streams, str(LOAD), f"--target={server.address}", f"--json={result}", *ANSWERED
    )
    done = subprocess.run(
        command, check=False, timeout=DEADLINE_S, env=ENVIRONMENT, capture_output=True
    )
    assert is_right(result, done.returncode), done


def test_a_load_whose_stdout_is_not_read_writes_its_files(server: Server, tmp_path: Path) -> None:
    result = tmp_path / "result.json"
    command = [str(LOAD), f"--target={server.address}", f"--json={result}", *ANSWERED]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=ENVIRONMENT) as process:
        assert process.stdout is not None
        process.stdout.close()
        status = process.wait(DEADLINE_S)
    assert is_right(result, status), status


def run_to_full(program: Path, *arguments: str) -> tuple[int, str]:
    """The exit status of a program whose stdout is a full disk, and its sentence."""
    with Path(FULL).open("wb") as full:
        ended = subprocess.run(
            [program, *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            timeout=DEADLINE_S,
            env=ENVIRONMENT,
        )
    return ended.returncode, ended.stderr.decode()


def test_a_load_that_cannot_write_its_events_says_so_once_and_fails(server: Server) -> None:
    said = run_to_full(LOAD, f"--target={server.address}", *SHORT)
    assert said == (1, f"{LOAD.name}: {NO_SPACE}\n")


@pytest.mark.parametrize(
    ("program", "flag"), PRINTING, ids=lambda value: str(getattr(value, "name", value))
)
def test_what_is_only_printed_and_cannot_be_written_fails(program: Path, flag: str) -> None:
    assert run_to_full(program, flag) == (1, f"{program.name}: {NO_SPACE}\n")


@pytest.mark.parametrize("option", FILES)
def test_a_file_of_a_load_that_cannot_be_written_is_named_and_fails(
    server: Server, option: str
) -> None:
    with pytest.raises(AssertionError, match=f"cannot write {FULL}"):
        load_address(server.address, f"--{option}={FULL}", *ANSWERED)


@pytest.mark.parametrize("processes", [1, 2])
def test_files_of_a_load_beyond_the_limit_of_their_size_are_named_and_the_result_is_said(
    server: Server, processes: int, tmp_path: Path
) -> None:
    paths = {option: tmp_path / option for option in sorted(FILES)}
    options = [f"--{option}={path}" for option, path in paths.items()]
    load = [str(LOAD), f"--target={server.address}", "--connections=64", f"--processes={processes}"]
    ended = subprocess.run(
        ["prlimit", "--fsize=100", *load, *options, *ANSWERED],
        capture_output=True,
        check=False,
        timeout=DEADLINE_S,
        env=ENVIRONMENT,
    )
    assert ended.returncode == 1
    assert msgspec.json.decode(ended.stdout.splitlines()[-1])["event"] == "end"
    sentences = "; ".join(f"cannot write {path}: File too large" for path in paths.values())
    assert ended.stderr.decode() == f"{LOAD.name}: {sentences}\n"


def unread_bytes(server: Server) -> int:
    """How much of what the server has printed waits for a reader."""
    assert server.process.stdout is not None
    counted = fcntl.ioctl(server.process.stdout, termios.FIONREAD, bytes(4))
    (unread,) = struct.unpack("=i", counted)
    return int(unread)


def ask_for_usage_until_none_comes(server: Server) -> None:
    """Send SIGUSR1 as long as each one adds to what is unread."""
    grown = True
    while grown:
        before = unread_bytes(server)
        server.process.send_signal(signal.SIGUSR1)
        deadline_s = time.monotonic() + PRINTS_WITHIN_S
        while not (grown := unread_bytes(server) > before) and time.monotonic() < deadline_s:
            os.sched_yield()


def test_a_server_whose_output_is_not_read_prints_no_usage_and_serves_on(engine: str) -> None:
    with serving(engine) as server:
        ask_for_usage_until_none_comes(server)
        with server.connect() as peer:
            assert is_served(peer)
        server.ask_to_stop()
        assert server.process.wait(DEADLINE_S) == 0
        assert server.summary()["event"] == "summary"
