"""No process of a contestant outlives the laboratory, however either of them ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from serverlab.contestants import guard
from tests.waiting import until

# Forks a child that leaves its session and ignores SIGTERM, and one that leaves its parent, too.
FORKING = """
import os, signal, sys
if os.fork() == 0:
    os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if os.fork() != 0:
        os._exit(0)
    while True:
        signal.pause()
if len(sys.argv) > 2:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
open(sys.argv[1], "w").write("ready")
while True:
    signal.pause()
"""

# A laboratory that starts a guard, and waits.
LABORATORY = """
import os, signal, subprocess, sys
reading, writing = os.pipe()
subprocess.Popen([sys.executable, sys.argv[1], str(writing), *sys.argv[2:5], str(os.getpid()),
                  *sys.argv[5:]], pass_fds=[writing])
print(os.read(reading, 100).decode(), flush=True)
signal.pause()
"""


def with_mark(mark: str) -> list[psutil.Process]:
    """The processes that have a text in their command line, but for those of the test."""
    found = []
    for process in psutil.process_iter(["cmdline"]):
        words = process.info["cmdline"] or []
        if any(mark in word for word in words) and process.pid != os.getpid():
            found.append(process)
    return found


@pytest.fixture
def laboratory(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[subprocess.Popen[str]]:
    """A laboratory whose contestant has forked; `tmp_path` is in all command lines."""
    server = tmp_path / "server.py"
    server.write_text(FORKING, encoding="utf-8")
    ready = tmp_path / "ready"
    told = [str(signal.SIGTERM.value), "0.3", "0"]
    stubborn = getattr(request, "param", [])
    command = [sys.executable, str(server), str(ready), *stubborn]
    with subprocess.Popen(
        [sys.executable, "-c", LABORATORY, guard.__file__, *told, *command],
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        until(ready.exists, "the server is ready")
        until(lambda: len(with_mark(str(server))) >= 3, "it has forked")
        yield process
        process.kill()


@pytest.mark.parametrize("laboratory", [[], ["stubborn"]], indirect=True, ids=["", "stubborn"])
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_is_left_when_the_laboratory_is_killed(
    laboratory: subprocess.Popen[str], tmp_path: Path, how: signal.Signals
) -> None:
    laboratory.send_signal(how)
    laboratory.wait()
    until(lambda: not with_mark(str(tmp_path)), "every process has ended")


def test_nothing_is_left_when_the_server_is_killed(
    laboratory: subprocess.Popen[str], tmp_path: Path
) -> None:
    assert laboratory.stdout is not None
    os.kill(int(laboratory.stdout.readline()), signal.SIGKILL)
    own = {laboratory.pid}
    until(lambda: {one.pid for one in with_mark(str(tmp_path))} <= own, "its processes have ended")


def test_a_server_runs_on_the_cpus_that_it_is_given(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    cpu = str(min(os.sched_getaffinity(0)))
    told = [str(writing), str(signal.SIGTERM.value), "1", cpu, str(os.getpid())]
    out = tmp_path / "cpus"
    code = f"import os; open({str(out)!r}, 'w').write(str(os.sched_getaffinity(0)))"
    done = subprocess.run(
        [sys.executable, guard.__file__, *told, sys.executable, "-c", code],
        pass_fds=[writing],
        check=False,
    )
    os.close(writing)
    os.close(reading)
    assert done.returncode == 0
    assert out.read_text(encoding="utf-8") == f"{{{cpu}}}"
