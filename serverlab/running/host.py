"""Where programs of a trial run: the server's host, and those of the generators.

A trial does not know what kind of hosts it has. Another kind is a class with the three things of
`Host`, and a `Program` for what it starts.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from serverlab.machine import doctor
from serverlab.running.process import NativeProcess

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from serverlab.environment import Environment
    from serverlab.running.program import Program


class Host(Protocol):
    """A machine, or a part of one with a network address of its own."""

    name: str
    address: str  # at which the other hosts reach what listens there

    def start(self, program: str, settings: Mapping[str, str], log: Path) -> Program:
        """Start a native program there; its stderr goes to the log, or stays on the host.

        Raises LabError if it cannot be started.
        """

    def clock_ns(self) -> int:
        """Its CLOCK_MONOTONIC now. Raises LabError if the host is lost."""

    def environment(self) -> Environment:
        """What its machine is. Raises LabError if the host is lost."""


class ThisMachine:
    """The host on which the laboratory runs."""

    name = "this machine"
    address = "127.0.0.1"

    def start(self, program: str, settings: Mapping[str, str], log: Path) -> Program:
        """Start a native program."""
        return NativeProcess(program, dict(settings), log)

    def clock_ns(self) -> int:
        """CLOCK_MONOTONIC now."""
        return time.monotonic_ns()

    def environment(self) -> Environment:
        """What this machine is."""
        return doctor.environment()


@dataclass(frozen=True, slots=True)
class Hosts:
    """Those of a trial."""

    server: Host
    generators: Sequence[Host]
    share_a_machine: bool = False  # they are parts of one, and share its CPUs
    wire_bytes_per_s: float | None = None  # what the network between them carries, if measured

    @property
    def are_one(self) -> bool:
        """Whether a single generator runs beside the server."""
        return list(self.generators) == [self.server]


_this_machine = ThisMachine()
HERE = Hosts(_this_machine, [_this_machine])
