"""A server that cannot create its threads says so and ends, before it says that it is listening."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest

from tests.conformance.commands import run
from tests.conformance.programs import ENVIRONMENT, SERVER, engine_row, engines, is_sanitized
from tests.waiting import DEADLINE_S

THREADS = 300
# Room for the program and some stacks of 256 KiB, but not for 300 of 8 MiB; and for the stacks of
# `thread-pool`, which are smaller, not for 4096.
ADDRESSES = ["--as=500000000", "--stack=8388608"]
SMALL_STACKS = {"thread-pool": 4096}
# A process has addresses of its own: its parent runs out of descriptors to watch processes by.
DESCRIPTORS = ["--nofile=64:64"]

# A sanitizer reserves more addresses than any limit of them allows.
pytestmark = pytest.mark.engines(that=lambda row: not (is_sanitized() and row.one_process))

AT_START = [
    name
    for name in engines()
    if "threads" not in engine_row(name).unsupported_settings and name != "epoll-spawn"
]


def limited(engine: str) -> list[str]:
    """The arguments of prlimit that start a server which can never have its threads."""
    forks = not engine_row(engine).one_process
    return [
        *(DESCRIPTORS if forks else ADDRESSES),
        str(SERVER),
        f"--engine={engine}",
        f"--threads={SMALL_STACKS.get(engine, THREADS)}",
    ]


@pytest.mark.parametrize("engine", AT_START)
def test_a_server_that_cannot_create_its_threads_says_so_before_it_listens(
    engine: str,
) -> None:
    ended = run(Path("/usr/bin/prlimit"), *limited(engine))
    assert ended.status == 1
    short = {"threads", "memory"} if engine_row(engine).one_process else {"descriptors"}
    assert ended.short_of() in short
    assert ended.sentence("serverlab-server").startswith(
        ("cannot create thread ", "cannot create process ")
    )
    assert f" of {SMALL_STACKS.get(engine, THREADS)}: " in ended.stderr
    assert "--threads" in ended.stderr


@pytest.mark.parametrize("engine", AT_START)
def test_a_stop_while_threads_cannot_be_created_ends_the_server(engine: str) -> None:
    command = ["/usr/bin/prlimit", *limited(engine)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT
    ) as process:
        process.terminate()
        said, _ = process.communicate(timeout=DEADLINE_S)
    assert b"listening" not in said
    assert process.returncode in {1, -signal.SIGTERM}
