"""A native program as a child process that speaks JSON lines, and never outlives us."""

from __future__ import annotations

import contextlib
import logging
import queue
import shlex
import signal
import subprocess
import threading
import time
from typing import TYPE_CHECKING, Self, TypeVar

import msgspec

from serverlab.errors import (
    UNAVAILABLE,
    USAGE,
    LabError,
    RefusedError,
    UnsupportedError,
    reason_of,
)
from serverlab.machine.native import dies_with_parent, program
from serverlab.running.events import KINDS, Exhausted, read_event

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from serverlab.running.events import Event

logger = logging.getLogger(__name__)

FAILED_STATUS = 1  # of a native program that could not do, or write, something
PATIENCE_S = 10.0  # for a program that was asked to stop

Kind = TypeVar("Kind", bound="Event")


class Ending(msgspec.Struct, frozen=True, kw_only=True):
    """How a program has ended."""

    sentence: str
    resource: str = ""  # what it ran out of, as its event `error` names it
    signal: int | None = None  # that ended it


class NativeProcess:
    """A running program.

    Its events are read by a thread, so that a wait for one can have a limit.
    """

    def __init__(
        self, name: str, settings: dict[str, str], stderr: Path, *, under: Sequence[str] = ()
    ) -> None:
        """Start the program with `settings` as --name=value, `under` a command that becomes it."""
        self.name = name
        self.stderr = stderr
        arguments = [f"--{key}={value}" for key, value in settings.items()]
        logger.info("%s", shlex.join([*under, name, *arguments]))
        command = dies_with_parent([*under, str(program(name)), *arguments])
        try:
            with stderr.open("wb") as errors:
                self.process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    start_new_session=True,  # a Ctrl-C is for us: we stop it in good order
                )
        except OSError as error:
            raise LabError(f"cannot start {name}: {reason_of(error)}: {error.filename}") from error
        self._events: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
        self._resource = ""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        """The program's process."""
        return self.process.pid

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with contextlib.suppress(msgspec.DecodeError):
                event = read_event(line)
                if isinstance(event, Exhausted):
                    self._resource = event.resource
                elif event is not None:
                    self._events.put(event)
        self._events.put(None)

    def next_event(self, limit_s: float) -> Event | None:
        """The next event; None if the limit has passed.

        Raises LabError if there will be none, RefusedError if the program would not begin.
        """
        try:
            event = self._events.get(timeout=max(0.0, limit_s))
        except queue.Empty:
            return None
        if event is None:
            self._events.put(None)
            ending = self.ending().sentence
            if self.process.returncode == UNAVAILABLE:
                raise UnsupportedError(ending)
            refused = self.process.returncode == USAGE
            raise RefusedError(ending) if refused else LabError(ending)
        return event

    def await_event(self, kind: type[Kind], limit_s: float) -> Kind:
        """The next event of that kind.

        Raises LabError if it does not come within the limit.
        """
        return self.events_until(kind, limit_s)[1]

    def events_until(self, kind: type[Kind], limit_s: float) -> tuple[list[Event], Kind]:
        """The next events until one of that kind, and that one.

        Raises LabError if it does not come within the limit.
        """
        events: list[Event] = []
        deadline = time.monotonic() + limit_s
        while (left_s := deadline - time.monotonic()) > 0:
            if (event := self.next_event(left_s)) is None:
                continue
            if isinstance(event, kind):
                return events, event
            events.append(event)
        name = next(name for name, one in KINDS.items() if one is kind)
        raise LabError(f"{self.name} has not printed '{name}' within {limit_s:g} s")

    def ending(self) -> Ending:
        """How the program has ended, and why."""
        status = self.process.wait(PATIENCE_S)
        self._reader.join(PATIENCE_S)
        how = f"by {signal.Signals(-status).name}" if status < 0 else f"with status {status}"
        said = self.stderr.read_text(encoding="utf-8", errors="replace").strip()
        return Ending(
            sentence=said.splitlines()[-1] if said else f"{self.name} ended {how}",
            resource=self._resource,
            signal=-status if status < 0 else None,
        )

    def expect_no_failure(self) -> None:
        """Wait for the end of a program that has said everything.

        Raises LabError if it failed all the same, as when a file could not be written whole.
        """
        try:
            status = self.process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            raise LabError(f"{self.name} does not end") from None
        if status == FAILED_STATUS or status < 0:
            raise LabError(self.ending().sentence)

    def stop(self) -> None:
        """Ask the program to stop; if it does not, end it."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self._reader.join(PATIENCE_S)
        if self.process.stdout is not None and not self._reader.is_alive():
            self.process.stdout.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
