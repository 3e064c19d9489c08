"""A load, run to its end, and its result."""

from __future__ import annotations

import contextlib
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from tests.conformance.programs import ENVIRONMENT, LOAD, verdict_statuses
from tests.conformance.server import Server
from tests.waiting import DEADLINE_S

Event = dict[str, Any]

# Verdicts of a load of which every reply was right: the last two are of a machine that was busy.
RIGHT = {"VALID", "STARVED", "CLIENT-STALLED"}


@dataclass(frozen=True, slots=True)
class Loaded:
    """A load that has ended."""

    status: int
    events: list[Event]

    @property
    def result(self) -> dict[str, Any]:
        """What the last event carries."""
        assert self.events[-1]["event"] == "end"
        result: dict[str, Any] = self.events[-1]["result"]
        return result


class Load:
    """A load that is running."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.events: list[Event] = []

    def await_event(self, name: str) -> None:
        """Read events up to the first of that name."""
        while self.events[-1:] == [] or self.events[-1]["event"] != name:
            self.await_next()

    def await_established(self, connections: int, after_s: float) -> None:
        """Read events up to an interval that ends later in the window, with so many connections."""
        last: Event = {"event": "none"}
        while last["event"] != "interval" or not (
            last["t_s"] > after_s and last["established"] == connections
        ):
            self.await_next()
            last = self.events[-1]

    def await_next(self) -> None:
        """Read an event."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "it ended without the event that was awaited"
        self.events.append(msgspec.json.decode(line))

    def interrupt(self) -> None:
        """What Ctrl-C does."""
        self.process.send_signal(signal.SIGINT)

    def end(self) -> Loaded:
        """Wait for the end; expect that nothing was complained about."""
        stdout, stderr = self.process.communicate(timeout=DEADLINE_S)
        complaint = stderr.decode()
        assert complaint == "", complaint
        self.events += [msgspec.json.decode(line) for line in stdout.splitlines()]
        return Loaded(self.process.returncode, self.events)


@contextlib.contextmanager
def loading(address: str, *settings: str) -> Iterator[Load]:
    """Run a load, at most until the block ends: a short one unless `settings` say otherwise."""
    command = [str(LOAD), f"--target={address}", *settings]
    given = {setting.partition("=")[0] for setting in settings}
    short = {"--duration": "500ms", "--warmup": "50ms"}
    command += [f"{name}={value}" for name, value in short.items() if name not in given]
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    ) as process:
        try:
            yield Load(process)
        finally:
            process.kill()


def load_address(address: str, *settings: str) -> Loaded:
    """Load whatever listens there, to the end."""
    with loading(address, *settings) as running:
        return running.end()


def load(server: Server, *settings: str) -> Loaded:
    """Load a server to the end; expect that the load could be carried out."""
    loaded = load_address(server.address, *settings)
    assert loaded.status in verdict_statuses().values()
    return loaded
