"""Each system call of a program fails once, in turn: it serves on, ends with a sentence or refuses.

Never does it crash, hang, or end in silence.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conformance.peers import receive_exactly, some_bytes
from tests.conformance.programs import LOAD, SERVER, engine_row, verdict_statuses
from tests.conformance.server import serving, skip_if_lacking
from tests.conformance.sockets import HOST
from tests.conformance.test_standard_streams import free_port
from tests.faults.calls import Calls, calls, cases
from tests.waiting import DEADLINE_S

pytestmark = pytest.mark.unsanitized  # the library has to come before a sanitizer's
FAILED = 1  # the exit status of a program that could not go on
ENDED = (FAILED, 69)  # or cannot run here
CLIENTS = 3
SAYS_NOTHING_S = 2.0  # since it cannot: then it may serve all the same
CLIENT_WAITS_S = 5.0  # for a reply, though something has failed


class SilenceError(Exception):
    """A program has ended, or says nothing in time."""


class Watched:
    """A server that may fail at any time."""

    def __init__(self, engine: str, plan: Calls) -> None:
        """Starts it; its calls fail as the plan says."""
        skip_if_lacking(engine)
        self._port = free_port()
        settings = [f"--engine={engine}", f"--listen={HOST}:{self._port}", "--drain-limit=1s"]
        if "threads" not in engine_row(engine).unsupported_settings:
            settings.append("--threads=3")
        self.process = subprocess.Popen(
            [SERVER, *settings],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=plan.environment,
            start_new_session=True,
        )

    def address(self) -> tuple[str, int]:
        """Where it listens, when it has said so, or cannot. Raises SilenceError at its end."""
        assert self.process.stdout is not None
        said = b""
        while b'"listening"' not in said:
            readable, _, _ = select.select([self.process.stdout], [], [], SAYS_NOTHING_S)
            if not readable:
                break
            said += (piece := os.read(self.process.stdout.fileno(), 1 << 16))
            if not piece:
                raise SilenceError
        return HOST, self._port

    def end(self) -> tuple[int, str, str]:
        """Ask for a stop; the status, and what was said on stdout and stderr."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            out, err = self.process.communicate(timeout=DEADLINE_S)
        except subprocess.TimeoutExpired:
            raise AssertionError("it does not end") from None
        return self.process.returncode, out.decode(), err.decode()

    def kill(self) -> None:
        """End all of its processes."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.communicate()


@contextlib.contextmanager
def watched(engine: str, plan: Calls) -> Iterator[Watched]:
    """A server that is gone after the block, whatever happens in it."""
    server = Watched(engine, plan)
    try:
        yield server
    finally:
        server.kill()


def served(address: tuple[str, int]) -> int:
    """How many of a few clients, one after the other, have had all their echoes."""
    number = 0
    for size in (10, 5_000, 60_000):  # more than one receive takes, less than buffers hold
        request = some_bytes(size)
        with (
            contextlib.suppress(OSError),
            socket.create_connection(address, CLIENT_WAITS_S) as peer,
        ):
            peer.sendall(request)
            number += receive_exactly(peer, size) == request
    return number


def fault_of(engine: str, plan: Calls, call: str, number: int) -> str:
    """What is wrong with a server of which that call has failed; empty if nothing is."""
    with watched(engine, plan) as server, plan.failing(call, number):
        try:
            address = server.address()
            right = served(address)
            plan.disarm()
            serves_on = server.process.poll() is None and served(address) == CLIENTS
        except SilenceError:
            right, serves_on = 0, False
        status, out, err = server.end()
    what = f"{call} {number}: status {status}, {right} of {CLIENTS} clients served, stderr {err!r}"
    if status == 0 and serves_on and right >= CLIENTS - 1 and '"summary"' in out:
        return ""
    is_sentence = err.startswith(f"{SERVER.name}: ") and err.count("\n") == 1
    return "" if status in ENDED and is_sentence else what


def test_a_server_of_which_a_system_call_fails_serves_on_or_ends_with_a_sentence(
    engine: str,
) -> None:
    with calls(SERVER) as plan:
        with watched(engine, plan) as server:
            assert served(server.address()) == CLIENTS
            assert server.end()[0] == 0
        counted = plan.counted()
        assert counted["socket"] > 0
        faults = [fault_of(engine, plan, call, number) for call, number in cases(counted)]
    assert [fault for fault in faults if fault] == []


def is_right_end(ended: subprocess.CompletedProcess[str], result: Path) -> bool:
    """Whether a load has left a whole result, or has said in a sentence why there is none."""
    if ended.returncode in ENDED:
        return ended.stderr.startswith(f"{LOAD.name}: ") and ended.stderr.count("\n") == 1
    if ended.returncode not in verdict_statuses().values():
        return False
    return "verdict" in json.loads(result.read_bytes())


@pytest.mark.parametrize("transport", ["epoll", "uring"])
@pytest.mark.parametrize(("processes", "threads"), [(1, 1), (2, 1), (1, 3), (2, 2)])
def test_a_load_of_which_a_system_call_fails_gives_a_verdict_or_ends_with_a_sentence(
    transport: str, processes: int, threads: int, tmp_path: Path
) -> None:
    result = tmp_path / "result.json"
    faults = []
    with serving("epoll-level") as target, calls(LOAD) as plan:
        command = [
            str(LOAD),
            f"--target={target.address}",
            f"--transport={transport}",
            f"--processes={processes}",
            f"--threads={threads}",
            "--connections=4",
            "--duration=100ms",
            "--warmup=0s",
            f"--json={result}",
            f"--connection-log={tmp_path / 'log.csv'}",
        ]

        def run() -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                command,
                env=plan.environment,
                capture_output=True,
                text=True,
                check=False,
                timeout=DEADLINE_S,
            )

        assert run().returncode == 0
        for call, number in cases(plan.counted()):
            result.unlink(missing_ok=True)
            with plan.failing(call, number):
                ended = run()
            if not is_right_end(ended, result):
                what = f"status {ended.returncode}, stderr {ended.stderr!r}"
                faults.append(f"{call} {number}: {what}")
    assert faults == []
