"""`serverlab stress` end to end: what gives is brought about, and has to be named."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from serverlab.stress.server_limits import PIDS, cgroup_folder
from tests.lab.command_line import call
from tests.lab.conftest import Serverlab


def stress(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return call("stress", *arguments, cwd=cwd)


def found(*arguments: str, cwd: Path) -> dict[str, Any]:
    """The result of a stress."""
    done = stress(*arguments, "--json", "--out=found", cwd=cwd)
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = msgspec.json.decode(done.stdout)
    return result


# A server of an echo whose listening socket has a short backlog: it accepts so many connections a
# second, and so many in all.
ECHO = """
import selectors, socket, sys, time
per_s, most = float(sys.argv[1]), float(sys.argv[2])
listener = socket.create_server(("127.0.0.1", 0), backlog=64)
print(listener.getsockname()[1], flush=True)
waiting, begin, accepted = selectors.DefaultSelector(), time.monotonic(), 0
while True:
    for key, _ in waiting.select(0.002):
        try:
            data = key.fileobj.recv(65536)
        except OSError:
            data = b""
        if data:
            key.fileobj.sendall(data)
        else:
            waiting.unregister(key.fileobj)
            key.fileobj.close()
    listener.setblocking(False)
    while accepted < min(most, per_s * (time.monotonic() - begin)):
        try:
            connection, _ = listener.accept()
        except BlockingIOError:
            begin = time.monotonic() - accepted / per_s
            break
        accepted += 1
        waiting.register(connection, selectors.EVENT_READ)
"""


@contextlib.contextmanager
def echo(per_s: float, most: float) -> Iterator[str]:
    """The address of that server."""
    command = [sys.executable, "-c", ECHO, str(per_s), str(most)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield f"127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.kill()


def steps_in(folder: Path) -> list[dict[str, Any]]:
    """The steps that are on disk."""
    lines = (folder / "trials.jsonl").read_bytes().splitlines()
    return [msgspec.json.decode(line) for line in lines]


def test_what_a_server_holds_is_told_from_what_it_accepts_in_a_second(tmp_path: Path) -> None:
    with echo(per_s=250, most=float("inf")) as address:
        done = stress(f"--target={address}", "--connections-max=1024", "--out=found", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Nothing gave, up to 1\u202f024 connections." in done.stdout
    assert "found its accept queue of 64 full" in " ".join(done.stdout.split())
    steps = steps_in(tmp_path / "found")
    assert any(step["overflows"] and step["opened"] < step["connections"] for step in steps)
    assert all(step["opened"] >= step["alive"] for step in steps)
    result = msgspec.json.decode((tmp_path / "found" / "result.json").read_bytes())
    assert result["held"] == 1024
    assert result["accepts"]["backlog"] == 64
    assert 0 < result["accepts"]["accepted_per_s"] < 300


def test_a_server_that_stops_accepting_is_named_and_not_asked_more_slowly(tmp_path: Path) -> None:
    with echo(per_s=10_000, most=40) as address:
        result = found(f"--target={address}", "--connections-max=64", cwd=tmp_path)
    assert [step["connections"] for step in steps_in(tmp_path / "found")] == [16, 64, 24]
    assert (result["limits"][0]["name"], result["limits"][0]["whose"]) == ("accept queue", "server")
    assert "the server does not accept them: 40 connections" in result["limits"][0]["sentence"]


def test_the_process_of_a_target_is_found_by_its_port(tmp_path: Path) -> None:
    with echo(per_s=10_000, most=float("inf")) as address:
        found(f"--target={address}", "--connections-max=16", cwd=tmp_path)
    [step] = steps_in(tmp_path / "found")
    assert step["server_pid"] is not None
    assert step["memory"]["before"]["servers"] > 0


def test_select_gives_at_its_1024th_descriptor(tmp_path: Path) -> None:
    result = found("--engine=select", "--connections-max=1100", cwd=tmp_path)
    assert (result["limits"][0]["name"], result["limits"][0]["whose"]) == ("descriptors", "engine")
    assert "descriptors below 1024" in result["limits"][0]["sentence"]
    assert 1000 < result["gave"]["alive"] < 1024
    assert result["held"] <= result["gave"]["alive"]


def test_few_descriptors_are_named(tmp_path: Path) -> None:
    result = found("--engine=epoll-level", "--server-limit=nofile=100", cwd=tmp_path)
    assert (result["limits"][0]["name"], result["limits"][0]["whose"]) == ("descriptors", "server")
    assert "100 of the server's 100 descriptors" in result["limits"][0]["sentence"]
    assert 64 <= result["held"] < 100


def test_memory_that_has_no_room_for_another_thread_is_named(tmp_path: Path) -> None:
    result = found("--engine=threads", "--server-limit=as=512MiB", cwd=tmp_path)
    assert result["limits"][0]["name"] == "memory"
    assert "RLIMIT_AS" in result["limits"][0]["sentence"]
    assert 16 <= result["held"] < 256


@pytest.mark.skipif(
    os.geteuid() != 0 or not os.access(cgroup_folder(os.getpid(), PIDS), os.W_OK),
    reason="this machine lets only root make a cgroup",
)
def test_threads_that_a_cgroup_refuses_are_named(tmp_path: Path) -> None:
    result = found("--engine=threads", "--server-limit=pids=50", cwd=tmp_path)
    assert (result["limits"][0]["name"], result["limits"][0]["whose"]) == ("threads", "server")
    assert "pids.max of its cgroup is 50" in result["limits"][0]["sentence"]
    assert result["gave"]["alive"] == 49  # and the thread that accepts
    leftover = cgroup_folder(os.getpid(), PIDS).glob("serverlab-*")
    assert not [folder for folder in leftover if not folder.joinpath("cgroup.procs").read_text()]


def test_a_stress_in_which_nothing_gives_says_so_and_goes_on_where_it_was(tmp_path: Path) -> None:
    done = stress("--engine=epoll-level", "--connections-max=40", "--out=found", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Nothing gave, up to 40 connections." in done.stdout
    trials = tmp_path / "found" / "trials.jsonl"
    first, last = trials.read_bytes().splitlines(keepends=True)
    trials.write_bytes(first + last[:100])  # as a stress that was killed leaves it
    assert stress("--resume=found", cwd=tmp_path).returncode == 0
    again = trials.read_bytes().splitlines(keepends=True)
    assert again[0] == first
    assert [msgspec.json.decode(line)["connections"] for line in again] == [16, 40]


@pytest.mark.parametrize(
    ("arguments", "status", "complaint"),
    [
        ([], 2, "either --engine"),
        (["--engine=poll", "--server-limit=files=3"], 2, "such as nofile=200"),
        (["--engine=poll", "--connections=3"], 2, "no setting --connections"),
        (["--engine=poll", "--connections-max=0"], 2, "is not 1 or more"),
        (["--target=127.0.0.1:1", "--server-limit=nofile=3"], 2, "started here"),
        (["--target=127.0.0.1:1"], 1, "Connection refused"),
        (["--engine=poll", "--server-limit=nofile=3"], 1, "serverlab-server"),
    ],
)
def test_what_cannot_be_stressed_is_one_sentence(
    arguments: list[str], status: int, complaint: str, serverlab: Serverlab
) -> None:
    done = serverlab("stress", *arguments)
    assert complaint in done.stderr
    assert done.returncode == status
    assert "Traceback" not in done.stderr
