"""Where programs of a trial run: the server's host, and those of the generators.

A trial does not know what kind of hosts it has. Another kind is a class with what `Host` has, and
a `Program` for what it starts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ParamSpec, Protocol, TypeVar

from serverlab.running.process import NativeProcess

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from serverlab.running.program import Program

Given = ParamSpec("Given")
Answer = TypeVar("Answer")


class Host(Protocol):
    """A machine, or a part of one with a network address of its own."""

    name: str
    address: str  # at which the other hosts reach what listens there

    def start(
        self, program: str, settings: Mapping[str, str], log: Path, under: Sequence[str] = ()
    ) -> Program:
        """Start a native program there, `under` a command that becomes it.

        Its stderr goes to the log, or stays on the host. Raises LabError if it cannot be started.
        """

    def ask(
        self, question: Callable[Given, Answer], *given: Given.args, **named: Given.kwargs
    ) -> Answer:
        """What a function of a module returns there.

        Raises what it raises, and LabError if the host is lost.
        """


class ThisMachine:
    """The host on which the laboratory runs."""

    name = "this machine"
    address = "127.0.0.1"

    def start(
        self, program: str, settings: Mapping[str, str], log: Path, under: Sequence[str] = ()
    ) -> Program:
        """Start a native program."""
        return NativeProcess(program, dict(settings), log, under=under)

    def ask(
        self, question: Callable[Given, Answer], *given: Given.args, **named: Given.kwargs
    ) -> Answer:
        """What a function returns."""
        return question(*given, **named)


@dataclass(frozen=True, slots=True)
class Hosts:
    """Those of a trial."""

    server: Host
    generators: Sequence[Host]
    share_a_machine: bool = False  # they are parts of one, and share its CPUs
    wire_bytes_per_s: float | None = None  # what the network between them carries, if measured
    kept_apart: int | None = None  # the CPU of the server's host that has its cluster's processes

    @property
    def are_one(self) -> bool:
        """Whether a single generator runs beside the server."""
        return list(self.generators) == [self.server]


_this_machine = ThisMachine()
HERE = Hosts(_this_machine, [_this_machine])
