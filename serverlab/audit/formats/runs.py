"""A text of a tool, run by run, each with the command line that a shell has left above it.

Some tools do not print all that they were asked for; a command line that stands there says it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from serverlab.audit.formats.units import NUMBER, scaled

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class Run:
    """What a tool has printed of a run, and its command line; empty if there is none."""

    text: str
    tool: str = ""  # as the command line names it
    command: str = ""

    def option(self, *names: str) -> float | None:
        """The number that an option has on the command line: `-R2000`, `-R 2k`, `--rate=2000`."""
        for name in names:
            between = r"[ =]*" if len(name) == 2 else r"[ =]+"
            match = re.search(rf"(?:^| ){name}{between}({NUMBER}[kMG]?)(?= |$)", self.command)
            if match is not None:
                return scaled(match[1])
        return None


def runs_of(text: str, mark: re.Pattern[str], *tools: str) -> list[Run]:
    """The runs that a text holds; none if the mark of their beginning is nowhere."""
    begins = [match.start() for match in mark.finditer(text)]
    found = []
    before = 0
    for begin, end in pairwise([*begins, len(text)]):
        found.append(Run(text[begin:end], *last(commands(text[before:begin], tools))))
        before = begin
    return found


def commands(text: str, tools: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """The lines of a text that start one of the tools: which one, and its options."""
    for line in text.splitlines():
        words = line.split()
        places = (place for place, word in enumerate(words) if word.rpartition("/")[2] in tools)
        place = next(places, None)
        if place is not None and len(words) > place + 1:
            yield words[place].rpartition("/")[2], " ".join(words[place + 1 :])


def last(lines: Iterator[tuple[str, str]]) -> tuple[str, str]:
    """The last of some lines; empty if there is none."""
    found = ("", "")
    for found in lines:  # noqa: B007 - the last is kept
        pass
    return found
