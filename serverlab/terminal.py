"""The one way to the terminal. What is printed here is text, never a command and never markup."""

from __future__ import annotations

import codecs
import contextlib
import errno
import io
import os
import sys
from typing import TYPE_CHECKING, TextIO, cast

from rich.console import Console
from rich.segment import Segment

from serverlab.errors import BROKEN_PIPE, OutputError, reason_of
from serverlab.plain_text import HIDDEN, plain, plain_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import ConsoleOptions, RenderableType

# How what we print is written where there is only ASCII; the rest is a question mark.
IN_ASCII = {
    "µ": "u", "×": "x", "±": "+-", "–": "-", "—": "-", "−": "-", "…": "...", "’": "'", "≤": "<=",
    "≥": ">=", "≈": "~", "→": "->", "✓": "+", "✗": "x", "\u00a0": " ", "\u202f": " ",
}  # fmt: skip
ASCII_ERRORS = "serverlab.ascii"
WIDTH_IN_FILES = 400  # of a table, where no terminal bounds it


class Output:
    """stdout or stderr, as it is at the moment: what it does not take is an OutputError."""

    def __init__(self, name: str) -> None:
        """Name the stream, as `sys` does."""
        self.name = name

    @property
    def stream(self) -> TextIO | None:
        """The stream itself, also while rich stands in for it; None if it is closed."""
        stream: TextIO | None = getattr(sys, self.name)
        return getattr(stream, "rich_proxied_file", stream)

    @property
    def encoding(self) -> str:
        """What its characters become."""
        return getattr(self.stream, "encoding", None) or "utf-8"

    def write(self, text: str) -> int:
        """Write a text."""
        with saying_why():
            return self.stream.write(text) if self.stream else 0

    def flush(self) -> None:
        """Write what was held back."""
        with saying_why():
            if self.stream:
                self.stream.flush()

    def isatty(self) -> bool:
        """Whether the stream is a terminal."""
        return self.stream is not None and self.stream.isatty()

    def fileno(self) -> int:
        """Its descriptor."""
        if self.stream is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        return self.stream.fileno()


@contextlib.contextmanager
def saying_why() -> Iterator[None]:
    """Make an OutputError of what the system says."""
    try:
        yield
    except BrokenPipeError as error:
        raise OutputError("the reader of the output has closed it", BROKEN_PIPE) from error
    except OSError as error:
        raise OutputError(f"cannot write the output: {reason_of(error)}") from error


class Terminal(Console):
    """A console that shows what others have named without doing what it says."""

    def __init__(self, name: str) -> None:
        """Of stdout or of stderr."""
        self.is_brief = False  # what leads to an answer is not printed
        file = cast("TextIO", Output(name))
        super().__init__(file=file, markup=False, emoji=False, highlight=False)

    @contextlib.contextmanager
    def as_wide_as_needed(self) -> Iterator[None]:
        """A file or a pipe does not bound what the block prints, unless COLUMNS does."""
        was = self._width
        if not self.is_terminal and "COLUMNS" not in os.environ:
            self._width = WIDTH_IN_FILES
        try:
            yield
        finally:
            self._width = was

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterator[Segment]:
        """Everything that is shown passes here, except for what moves the cursor."""
        for segment in super().render(renderable, options):
            if segment.control or not HIDDEN.search(segment.text):
                yield segment
            else:
                yield Segment(plain(segment.text), segment.style)


def write(text: str) -> None:
    """Print JSON for a program, without any style. Raises OutputError."""
    stdout = Output("stdout")
    stdout.write(plain_json(text, ascii_only=not is_unicode(stdout.encoding)))
    stdout.flush()


def write_text(text: str) -> None:
    """Print a text that is to be pasted elsewhere, without any style. Raises OutputError."""
    stdout = Output("stdout")
    stdout.write("\n".join(map(plain, text.split("\n"))))
    stdout.flush()


def is_unicode(encoding: str) -> bool:
    """Whether an encoding has all characters."""
    return encoding.lower().startswith("utf")


def prepare() -> None:
    """Before the first output: a stream that lacks a character gets the nearest that it has."""
    codecs.register_error(ASCII_ERRORS, in_ascii)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # and not closed, nor a test's own
            stream.reconfigure(errors=ASCII_ERRORS)


def in_ascii(error: UnicodeError) -> tuple[str, int]:
    """Stand in for characters that an encoding lacks."""
    assert isinstance(error, UnicodeEncodeError)
    lacking = error.object[error.start : error.end]
    return "".join(IN_ASCII.get(one, "?") for one in lacking), error.end


def abandon() -> None:
    """Nothing reaches stdout any more: what is held back is dropped, instead of failing at exit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), Output("stdout").fileno())
