"""A native program as a child process that speaks JSON lines, and never outlives us."""

from __future__ import annotations

import contextlib
import queue
import signal
import subprocess
import threading
import time
from typing import TYPE_CHECKING, Any, Self

import msgspec

from serverlab.errors import LabError, RefusedError
from serverlab.machine.native import dies_with_parent, program

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

Event = dict[str, Any]

REFUSED_STATUS = 2  # of a native program that says why in a sentence
PATIENCE_S = 10.0  # for a program that was asked to stop


class NativeProcess:
    """A running program.

    Its events are read by a thread, so that whoever waits for one can do so with a limit.
    """

    def __init__(
        self, name: str, settings: dict[str, str], stderr: Path, *, under: Sequence[str] = ()
    ) -> None:
        """Start the program with `settings` as --name=value, `under` a command that becomes it."""
        self.name = name
        self.stderr = stderr
        arguments = [f"--{key}={value}" for key, value in settings.items()]
        with stderr.open("wb") as errors:
            self.process = subprocess.Popen(
                dies_with_parent([*under, str(program(name)), *arguments]),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,  # a Ctrl-C is for us: we stop the program in good order
            )
        self._events: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
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
                self._events.put(msgspec.json.decode(line))
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
            ending = self.ending()
            refused = self.process.returncode == REFUSED_STATUS
            raise RefusedError(ending) if refused else LabError(ending)
        return event

    def await_event(self, name: str, limit_s: float) -> Event:
        """The next event of that name.

        Raises LabError if it does not come within the limit.
        """
        deadline = time.monotonic() + limit_s
        while (left_s := deadline - time.monotonic()) > 0:
            event = self.next_event(left_s)
            if event is not None and event.get("event") == name:
                return event
        raise LabError(f"{self.name} has not said '{name}' within {limit_s:g} s")

    def ending(self) -> str:
        """Why the program has ended, in a sentence."""
        status = self.process.wait(PATIENCE_S)
        if said := self.stderr.read_text(encoding="utf-8", errors="replace").strip():
            return said.splitlines()[-1]
        how = f"by {signal.Signals(-status).name}" if status < 0 else f"with status {status}"
        return f"{self.name} ended {how}"

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
