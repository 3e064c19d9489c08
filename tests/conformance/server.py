"""A server under test: started on a free port, seen from outside, always stopped and judged."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from typing import IO, Any

import msgspec
import pytest

from serverlab.machine import sampler
from tests.conformance.programs import ENVIRONMENT, SERVER, engine_row, refusal
from tests.conformance.sockets import HOST
from tests.waiting import DEADLINE_S, until

Event = dict[str, Any]

CONNECTIONS = 256  # at a time, in a test that does not say how many


class Server:
    """A serverlab-server that is accepting connections."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        stderr: IO[bytes],
        connections_max: int | None = None,
    ) -> None:
        """Reads the events of `process` up to the one that says that it is listening.

        `connections_max` is how many connections it serves at a time; None if any number.
        """
        self.process = process
        self.connections_max = connections_max
        self.events: list[Event] = []
        self._stderr = stderr
        self._unread = b""
        self._is_asked_to_stop = False
        self._is_judged = False
        while self.events[-1:] == [] or self.events[-1]["event"] != "listening":
            self.events.append(self._next_event("that it is listening"))

    @property
    def pid(self) -> int:
        """The server's process."""
        return self.process.pid

    @property
    def address(self) -> str:
        """Where it listens, as it says itself."""
        address: str = self.events[-1]["address"]
        return address

    @property
    def engine(self) -> str:
        """Which engine serves, as it says itself."""
        engine: str = self.events[-1]["engine"]
        return engine

    def connect(self, *, buffer_bytes: int | None = None) -> socket.socket:
        """A connection of a client that gives up at the deadline.

        `buffer_bytes` is the size of its socket's buffers; None leaves them to the kernel.
        """
        host, _, port = self.address.rpartition(":")
        is_ipv6 = host.startswith("[")
        peer = socket.socket(socket.AF_INET6 if is_ipv6 else socket.AF_INET)
        peer.settimeout(DEADLINE_S)
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if buffer_bytes is not None:
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, buffer_bytes)
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer_bytes)
        try:
            peer.connect((host.strip("[]"), int(port)))
        except OSError:
            peer.close()
            raise
        return peer

    def cpu_s(self) -> float:
        """The CPU time that all its processes have used, to the nanosecond."""
        return sampler.of_all(self.pid, sampler.cpu_s)

    def cpu_used_within_s(self, duration_s: float) -> float:
        """The CPU time that it uses while it is left to itself for so long."""
        before_s = self.cpu_s()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(duration_s)
        return self.cpu_s() - before_s

    def rss_bytes(self) -> int:
        """The memory that it holds."""
        return sampler.rss_bytes(self.pid)

    def descriptors(self) -> int:
        """How many files its processes have open."""
        return int(sampler.of_all(self.pid, sampler.descriptors))

    def freeze(self) -> None:
        """Let none of its threads run; when this returns, none does."""
        os.killpg(self.pid, signal.SIGSTOP)
        until(self._is_frozen, "all threads of the server stand still")

    def thaw(self) -> None:
        """Let it go on."""
        os.killpg(self.pid, signal.SIGCONT)

    def usage(self) -> Event:
        """Ask for the event `usage`, and return it."""
        self.process.send_signal(signal.SIGUSR1)
        while (event := self._next_event("what it has used"))["event"] != "usage":
            pass
        return event

    def ask_to_stop(self, number: signal.Signals = signal.SIGTERM) -> None:
        """Send a signal, and do not wait for what it does."""
        self._is_asked_to_stop = True
        self.process.send_signal(number)

    def summary(self) -> Event:
        """Wait for the end, expect that it was a good one, and return what it said last."""
        if self._is_judged:
            return self.events[-1]
        self._is_judged = True
        rest = self._rest()
        self.events += [msgspec.json.decode(line) for line in (self._unread + rest).splitlines()]
        complaint = self._complaint()
        assert complaint == "", complaint
        assert self.process.returncode == 0
        assert self.events[-1]["event"] == "summary"
        until(self._is_gone, "no process of the server is left")
        return self.events[-1]

    def expect_killed_by(self, number: signal.Signals) -> None:
        """Wait for the end, and expect that the signal brought it about."""
        self.expect_end(-number)

    def expect_end(self, status: int) -> str:
        """Wait for the end, and expect that status; returns what was said on stderr."""
        self._is_judged = True
        self._rest()
        assert self.process.returncode == status
        until(self._is_gone, "no process of the server is left")
        return self._complaint()

    def stop(self) -> None:
        """Bring it to its end and judge it, unless a test has done so."""
        if not self._is_asked_to_stop and self.process.poll() is None:
            self.ask_to_stop()
        self.summary()

    def _rest(self) -> bytes:
        try:
            return self.process.communicate(timeout=DEADLINE_S)[0]
        except subprocess.TimeoutExpired:
            raise AssertionError(f"it does not stop within {DEADLINE_S:.0f} s") from None

    def sleeps(self) -> bool:
        """Whether all its threads wait for something, and none for a CPU."""
        return self._states() <= {"S"}

    def _is_frozen(self) -> bool:
        return self._states() <= {"T"}

    def _states(self) -> set[str]:
        processes = sampler.processes(self.pid)
        return {sampler.state(task) for one in processes for task in sampler.tasks(one)}

    def _is_gone(self) -> bool:
        try:
            os.killpg(self.pid, 0)
        except ProcessLookupError:
            return True
        return False

    def _next_event(self, awaited: str) -> Event:
        assert self.process.stdout is not None
        deadline_s = time.monotonic() + DEADLINE_S
        while b"\n" not in self._unread:
            left_s = max(0.0, deadline_s - time.monotonic())
            readable, _, _ = select.select([self.process.stdout], [], [], left_s)
            assert readable, f"it does not say {awaited}"
            piece = os.read(self.process.stdout.fileno(), 1 << 16)
            assert piece, f"it has ended and not said {awaited}: {self._complaint()}"
            self._unread += piece
        line, self._unread = self._unread.split(b"\n", 1)
        event: Event = msgspec.json.decode(line)
        return event

    def _complaint(self) -> str:
        self._stderr.seek(0)
        return self._stderr.read().decode()


def skip_if_lacking(engine: str) -> None:
    """Skip the test of an engine that this machine cannot run."""
    if lacking := engine_row(engine).missing_requirement:
        pytest.skip(f"this machine cannot run {engine}: {lacking}")


@contextlib.contextmanager
def serving(
    engine: str, *settings: str, prefix: Sequence[str] = (), connections: int = CONNECTIONS
) -> Iterator[Server]:
    """Serve until the block ends, then stop by SIGTERM and expect a good end.

    `prefix` is a command that starts the server's command: `prlimit …`. A test of an engine that
    this machine cannot run is skipped, with the reason. Unless the settings say otherwise, it
    listens on a free port of our own host, drains as long as it takes, so that no answer depends on
    this machine's speed and a connection that only the drain limit would end is noticed, and an
    engine whose threads serve one connection each has threads for so many `connections`.
    """
    chosen = [one.removeprefix("--service=") for one in settings if one.startswith("--service=")]
    if reason := refusal(engine, (chosen or ["echo"])[-1]):
        pytest.fail(f"{reason}: the test's marks do not say what it serves (applying.py)")
    skip_if_lacking(engine)
    connections_max = None
    if engine_row(engine).thread_per_connection:
        given = (one for one in settings if one.startswith("--threads="))
        threads = next(given, f"--threads={connections}")
        settings = (*(one for one in settings if one != threads), threads)
        connections_max = int(threads.removeprefix("--threads="))
    for unless_given in (f"--listen={HOST}:0", "--drain-limit=1h"):
        if not any(one.startswith(unless_given.partition("=")[0]) for one in settings):
            settings = (*settings, unless_given)
    command = [*prefix, str(SERVER), f"--engine={engine}", *settings]
    with (
        tempfile.TemporaryFile() as stderr,
        subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env=ENVIRONMENT,
            start_new_session=True,
        ) as process,
    ):
        try:
            server = Server(process, stderr, connections_max)
            yield server
            server.stop()
        except BaseException:  # not after a good end: its number may be another's by now
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            raise
