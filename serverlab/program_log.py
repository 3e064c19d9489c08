"""What a program prints, on disk: where it is looked for if the program fails."""

from __future__ import annotations

import contextlib
import os
import threading
from typing import IO, TYPE_CHECKING, Self

from serverlab.files import writing

if TYPE_CHECKING:
    from pathlib import Path

LOG_BYTES_MAX = 8 << 20  # from which on the beginning goes; a program adds to it between two looks
KEPT_BYTES = 1 << 20
LINE_BYTES_MAX = 1 << 16  # of a last line that is shown
LOOK_S = 0.1
CUT = b"[serverlab has removed what was printed before]\n"


def open_log(path: Path) -> IO[bytes]:
    """An empty log, which programs add to. Raises OwnError if it cannot be made."""
    with writing(path):
        path.open("wb").close()
        return path.open("a+b", buffering=0)


def last_line(path: Path) -> str:
    """The last line of a log; empty if there is none."""
    with path.open("rb") as log:
        log.seek(max(0, log.seek(0, os.SEEK_END) - LINE_BYTES_MAX))
        lines = log.read().decode("utf-8", errors="replace").strip().splitlines()
    return lines[-1] if lines else ""


class BoundedLog:
    """The log of a program that may print without pause: its end is kept.

    The program writes to the file itself, so that one which prints little is not disturbed. What it
    prints in the instant in which the beginning goes may be lost.
    """

    def __init__(self, path: Path) -> None:
        """Make the log. Raises OwnError if it cannot be made."""
        self.path = path
        self.file = open_log(path)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _watch(self) -> None:
        while not self._ended.wait(LOOK_S):
            with contextlib.suppress(OSError):  # it is looked at again
                self._cut()

    def _cut(self) -> None:
        size = os.fstat(self.file.fileno()).st_size
        if size <= LOG_BYTES_MAX:
            return
        with self.path.open("r+b", buffering=0) as log:  # not to add, as the program does
            kept = CUT + os.pread(log.fileno(), KEPT_BYTES, size - KEPT_BYTES)
            log.write(kept)
            log.truncate(len(kept))

    def close(self) -> None:
        """The program has ended."""
        if not self._ended.is_set():
            self._ended.set()
            self._thread.join()
            self._cut()
            self.file.close()
