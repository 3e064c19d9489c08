"""A native program that runs on a host, and speaks JSON lines: what the laboratory asks of it."""

from __future__ import annotations

import abc
import time
from typing import TYPE_CHECKING, Self, TypeVar

import msgspec

from serverlab.errors import LabError
from serverlab.records import Summary
from serverlab.running.events import KINDS

START_LIMIT_S = 15.0  # until a server listens, and until it has said its last

if TYPE_CHECKING:
    from serverlab.machine.sampler import Sample
    from serverlab.records import Switches
    from serverlab.running.events import Event

    Kind = TypeVar("Kind", bound=Event)


class Ending(msgspec.Struct, frozen=True, kw_only=True):
    """How a program has ended."""

    sentence: str
    resource: str = ""  # what it ran out of, as its event `error` names it
    signal: int | None = None  # that ended it


class Program(abc.ABC):
    """A running program. It is stopped when its context ends."""

    name: str
    is_seen = True  # whether the kernel says what it uses
    pid: int | None = None  # on its host; None if it cannot be seen, or runs on several

    @abc.abstractmethod
    def next_event(self, limit_s: float) -> Event | None:
        """The next event; None if the limit has passed.

        Raises LabError if there will be none, RefusedError if the program would not begin.
        """

    @abc.abstractmethod
    def tell(self, line: str) -> None:
        """Write a line to its standard input. Raises LabError if it cannot be told."""

    @abc.abstractmethod
    def is_alive(self) -> bool:
        """Whether it has not ended."""

    @abc.abstractmethod
    def ask_to_stop(self) -> None:
        """Let it drain and end; what it says then is still to be read."""

    @abc.abstractmethod
    def stop(self) -> None:
        """Ask the program to stop; if it does not, end it."""

    @abc.abstractmethod
    def ending(self) -> Ending:
        """How the program has ended, and why."""

    @abc.abstractmethod
    def expect_no_failure(self) -> None:
        """Wait for the end of a program that has said everything.

        Raises LabError if it failed all the same, as when a file could not be written whole.
        """

    @abc.abstractmethod
    def look(self) -> Sample:
        """What the kernel knows of it now. Raises LabError if it is gone."""

    @abc.abstractmethod
    def count_switches(self) -> Switches | None:
        """Have it say its context switches so far, as the event `usage`.

        Returns those of the processes that it has forked, which that does not count; None if it
        has just died.
        """

    def last_words(self, limit_s: float) -> tuple[list[Event], Summary | None]:
        """What a server that was asked to stop still says: events, and a summary if it has one.

        Raises LabError if it does not say all within the limit.
        """
        return self.events_until(Summary, limit_s)

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

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
