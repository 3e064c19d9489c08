"""What a program prints, on disk: where it is looked for if the program fails."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

from serverlab.files import writing

if TYPE_CHECKING:
    from pathlib import Path


def open_log(path: Path) -> IO[bytes]:
    """An empty log, which programs add to. Raises OwnError if it cannot be made."""
    with writing(path):
        path.open("wb").close()
        return path.open("ab")
