"""What runs on a node of a cluster: the programs of a trial, for a laboratory elsewhere.

Each method is called from afar, and what it takes and returns can be pickled. Nothing here knows
by which means.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from serverlab.errors import LabError
from serverlab.machine import native
from serverlab.running.process import NativeProcess

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from serverlab.machine.sampler import Sample
    from serverlab.records import Switches
    from serverlab.running.events import Event
    from serverlab.running.program import Ending

PROGRAMS = ("serverlab-server", "serverlab-load")


class Node:
    """The programs that run here, by number."""

    def __init__(self) -> None:
        """Have a folder for what they write."""
        self._folder = Path(tempfile.mkdtemp(prefix="serverlab-"))
        self._programs: list[NativeProcess] = []

    def programs(self) -> dict[str, str]:
        """The SHA-256 of each program; empty where it is not there."""
        return {name: hash_of(name) for name in PROGRAMS}

    def take(self, name: str, content: bytes) -> None:
        """Have a program that this node lacks, or has in another version."""
        path = self._folder / name
        path.write_bytes(content)
        path.chmod(0o755)
        native.prefer(self._folder)

    def ask(self, question: Callable[[], object]) -> object:
        """As Host.ask."""
        return question()

    def start(self, name: str, settings: dict[str, str], under: Sequence[str]) -> tuple[int, int]:
        """Start a program. Returns its number and its process. Raises LabError."""
        log = self._folder / f"{len(self._programs)}-{name}.log"
        self._programs.append(NativeProcess(name, settings, log, under=under))
        return len(self._programs) - 1, self._programs[-1].pid

    def next_event(self, number: int, limit_s: float) -> Event | None:
        """As Program.next_event."""
        return self._programs[number].next_event(limit_s)

    def tell(self, number: int, line: str) -> None:
        """As Program.tell."""
        self._programs[number].tell(line)

    def is_alive(self, number: int) -> bool:
        """As Program.is_alive."""
        return self._programs[number].is_alive()

    def ask_to_stop(self, number: int) -> None:
        """As Program.ask_to_stop."""
        self._programs[number].ask_to_stop()

    def stop(self, number: int) -> None:
        """As Program.stop."""
        self._programs[number].stop()

    def ending(self, number: int) -> Ending:
        """As Program.ending."""
        return self._programs[number].ending()

    def expect_no_failure(self, number: int) -> None:
        """As Program.expect_no_failure."""
        self._programs[number].expect_no_failure()

    def look(self, number: int) -> Sample:
        """As Program.look."""
        return self._programs[number].look()

    def count_switches(self, number: int) -> Switches | None:
        """As Program.count_switches."""
        return self._programs[number].count_switches()

    def leave(self) -> None:
        """End all programs, and remove what was written."""
        for one in self._programs:
            one.stop()
        shutil.rmtree(self._folder, ignore_errors=True)


def hash_of(name: str) -> str:
    """A program's SHA-256; empty if it is not there."""
    try:
        return hashlib.sha256(native.program(name).read_bytes()).hexdigest()
    except (LabError, OSError):
        return ""
