"""What is written stays inside the folder that it belongs to, and is there whole or not at all."""

from __future__ import annotations

import contextlib
import os
import re
from typing import TYPE_CHECKING

from serverlab.errors import OwnError, UsageError, reason_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

UNFINISHED = "*.*.new"  # files that write_whole has not renamed yet
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")  # of one file, in no other folder


def check_name(what: str, name: str) -> None:
    """Refuse a name that is to become a file's, and could lead out of its folder."""
    if not NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} cannot be the name of a {what}: it becomes a file's, so it has letters, "
            "digits, '.', '_' and '-', and begins with a letter or a digit"
        )


def as_name(text: str) -> str:
    """A text as part of a file's name."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text)


def refuse_links_out(folder: Path) -> None:
    """Raise UsageError for a link in a folder that leads out of it: it would be written through."""
    inside = folder.resolve()
    for parent, folders, files in os.walk(folder):
        for path in (folder.joinpath(parent, name) for name in (*folders, *files)):
            if path.is_symlink() and not path.resolve().is_relative_to(inside):
                raise UsageError(
                    f"{path} is a link to {path.resolve()}, outside of {folder}: remove it, "
                    "as nothing is written through it"
                )


def write_whole(path: Path, content: bytes) -> None:
    """Write a file in place of an old one, if there is one: whole or not at all.

    Raises OwnError that says why it cannot be written.
    """
    new = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        new.unlink(missing_ok=True)
        with new.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            new.unlink(missing_ok=True)
        raise OwnError(f"cannot write {path}: {reason_of(error)}") from error


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Make an OwnError of what the system says while `path` is written."""
    try:
        yield
    except OSError as error:
        raise OwnError(f"cannot write {path}: {reason_of(error)}") from error
