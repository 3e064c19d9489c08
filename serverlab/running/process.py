"""A native program as a child process that speaks JSON lines, and never outlives us."""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import shlex
import signal
import subprocess
import threading
from typing import TYPE_CHECKING

import msgspec

from serverlab.errors import (
    UNAVAILABLE,
    USAGE,
    LabError,
    OwnError,
    RefusedError,
    UnsupportedError,
    reason_of,
)
from serverlab.machine import sampler
from serverlab.machine.native import dies_with_parent, program
from serverlab.program_log import last_line, open_log
from serverlab.running.events import Exhausted, read_event
from serverlab.running.program import Ending, Program

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from serverlab.machine.sampler import Sample
    from serverlab.records import Switches
    from serverlab.running.events import Event

logger = logging.getLogger(__name__)

FAILED_STATUS = 1  # of a native program that could not do, or write, something
PATIENCE_S = 10.0  # for a program that was asked to stop


class NativeProcess(Program):
    """A program that runs on this machine.

    Its events are read by a thread, so that a wait for one can have a limit.
    """

    pid: int

    def __init__(
        self,
        name: str,
        settings: dict[str, str],
        stderr: Path,
        *,
        under: Sequence[str] = (),
        is_told: bool = False,
    ) -> None:
        """Start the program with `settings` as --name=value, `under` a command that becomes it.

        One that `is_told` things reads them from its standard input.
        """
        self.name = name
        self.stderr = stderr
        is_told = is_told or settings.get("begin") == "told"
        arguments = [f"--{key}={value}" for key, value in settings.items()]
        logger.info("%s", shlex.join([*under, name, *arguments]))
        command = dies_with_parent([*under, str(program(name)), *arguments])
        try:
            with open_log(stderr) as errors:
                self.process = subprocess.Popen(
                    command,
                    stdin=subprocess.PIPE if is_told else subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    start_new_session=True,  # a Ctrl-C is for us: we stop it in good order
                )
        except OSError as error:
            raise OwnError(f"cannot start {name}: {reason_of(error)}: {error.filename}") from error
        self.pid = self.process.pid
        self._events: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
        self._resource = ""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

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

    def tell(self, line: str) -> None:
        """Write a line to its standard input. Raises LabError if it cannot be told."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(f"{line}\n".encode())
            self.process.stdin.flush()
        except OSError as error:
            raise LabError(f"{self.name} cannot be told: {reason_of(error)}") from error

    def is_alive(self) -> bool:
        """Whether it has not ended."""
        return self.process.poll() is None

    def ask_to_stop(self) -> None:
        """Let it drain and end; what it says then is still to be read."""
        self.process.terminate()

    def look(self) -> Sample:
        """What the kernel knows of it now. Raises LabError if it is gone."""
        try:
            return sampler.sample(self.pid)
        except OSError as error:
            raise LabError(f"{self.name} is gone") from error

    def count_switches(self) -> Switches | None:
        """Have it say its context switches so far; of those that it has forked, the count."""
        try:
            of_children = sampler.switches_of_children(self.pid)
            os.kill(self.pid, signal.SIGUSR1)
        except OSError:  # it has just died, which the next look says
            return None
        return of_children

    def ending(self) -> Ending:
        """How the program has ended, and why."""
        try:
            status = self.process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            return Ending(sentence=f"{self.name} has closed its output and does not end")
        self._reader.join(PATIENCE_S)
        how = f"by {signal.Signals(-status).name}" if status < 0 else f"with status {status}"
        return Ending(
            sentence=last_line(self.stderr) or f"{self.name} ended {how}",
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
        if self.process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self.process.stdin.close()
        if self.process.stdout is not None and not self._reader.is_alive():
            self.process.stdout.close()
