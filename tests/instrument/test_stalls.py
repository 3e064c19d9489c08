"""A closed loop whose server or generator is stopped for two seconds: the verdict names which.

Each is stopped once the window has begun, and goes on after two seconds.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from serverlab.records import PlannedTrial
from serverlab.running.events import Event, WindowBegan
from serverlab.running.trial import run_trials
from tests.instrument.conftest import BUILD, Running, running

if TYPE_CHECKING:
    from collections.abc import Callable

STOP_S = 2.0
LIMIT_S = 90


def stop_for_a_while(pid: int) -> None:
    """Stop a process, and let it go on after two seconds."""
    os.kill(pid, signal.SIGSTOP)
    threading.Timer(STOP_S, os.kill, (pid, signal.SIGCONT)).start()


def loaded(server: Running, stop: Callable[[int], None]) -> tuple[int, dict[str, Any]]:
    """The status and result of a load; `stop` is given its process when the window has begun."""
    command = [
        str(BUILD / "serverlab-load"), f"--target={server.address}", "--connections=16",
        "--duration=5s", "--warmup=200ms", "--timeout=30s",
    ]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        for line in process.stdout:
            event = msgspec.json.decode(line)
            if event["event"] == "window":
                stop(process.pid)
            if event["event"] == "end":
                return process.wait(LIMIT_S), event["result"]
    raise AssertionError("the load ended without a result")


def test_a_generator_that_was_stopped_says_so(echo_server: Running) -> None:
    status, result = loaded(echo_server, stop_for_a_while)
    assert result["verdict"]["name"] == "CLIENT-STALLED"
    assert status not in {0, 1, 2}
    assert result["pauses"]["stalled_s"] > 1.5
    assert result["pauses"]["stall_longest_s"] <= result["pauses"]["stalled_s"]


def test_of_a_server_that_was_stopped_the_generator_reports_the_silence() -> None:
    with running("serverlab-server", "--engine=epoll-level") as server:
        _, result = loaded(server, lambda _: stop_for_a_while(server.pid))
    assert result["pauses"]["silence_longest_s"] > 1.5


def test_the_laboratory_names_a_server_that_was_stopped(tmp_path: Path) -> None:
    """Its process is found as the one whose parent is this one and that serves."""
    trial = PlannedTrial(
        trial="b1-001",
        block=1,
        order=1,
        cell={"engine": "epoll-level"},
        engine="epoll-level",
        service="echo",
        server_settings={"cpus": "0"},
        load_settings={
            "cpus": "0", "connections": "16", "warmup": "200ms", "duration": "5s",
            "timeout": "30s",
        },
    )  # fmt: skip

    def on_event(event: Event) -> None:
        if isinstance(event, WindowBegan):
            stop_for_a_while(child_that_serves())

    [record] = run_trials([trial], tmp_path, None, on_event)
    assert record.verdict.name == "SERVER-STALLED"
    assert "the server was stopped" in record.verdict.reason
    assert record.server is not None
    assert record.server.samples_stopped > 0


def child_that_serves() -> int:
    """The server that the laboratory has started as a child of this process."""
    tasks = Path("/proc/self/task").glob("*/children")
    children = [int(pid) for task in tasks for pid in task.read_text(encoding="ascii").split()]
    for pid in children:
        if "serverlab-server" in Path("/proc", str(pid), "cmdline").read_text(encoding="ascii"):
            return pid
    raise AssertionError("no child serves")
