"""Reads the JSON that this or another version of serverlab wrote."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, TypeVar

import msgspec

from serverlab.errors import UsageError, reason_of

if TYPE_CHECKING:
    from collections.abc import Container, Iterable
    from pathlib import Path

Decoded = TypeVar("Decoded")


def decode(path: Path, kind: type[Decoded], whose: str) -> Decoded:
    """The document of a file.

    Raises UsageError that says that its folder is not `whose`, or what is wrong with the file.
    """
    try:
        return parse(content_of(path), kind, str(path))
    except FileNotFoundError:
        raise UsageError(f"{path.parent} is not a {whose}: it has no {path.name}") from None
    except NotADirectoryError:
        raise UsageError(f"{path.parent} is not a {whose}: it is a file, not a folder") from None


def decode_lines(path: Path, kind: type[Decoded]) -> list[Decoded]:
    """The documents of a file that has one in each line; none if there is no file.

    A last line without its end was cut off, and is none. Raises UsageError that names the line.
    """
    try:
        content = content_of(path)
    except FileNotFoundError:
        return []
    return [
        parse(line, kind, f"{path}, line {number}")
        for number, line in enumerate(io.BytesIO(content), start=1)
        if line.endswith(b"\n") and line.strip()
    ]


def content_of(path: Path) -> bytes:
    """All of a file. Raises UsageError if it is there and cannot be read."""
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise
    except OSError as error:
        raise UsageError(f"cannot read {path}: {reason_of(error)}") from error


def parse(content: bytes, kind: type[Decoded], where: str) -> Decoded:
    """A document in JSON. Raises UsageError with the place that it is from."""
    try:
        return msgspec.json.decode(content, type=kind)
    except msgspec.DecodeError as error:
        raise UsageError(f"{where}: {error}") from error
    except RecursionError:
        raise UsageError(f"{where}: it is nested too deeply") from None


def check_schema(path: Path, schema: int, known: int) -> None:
    """Refuse what another version of the programs wrote with other meanings."""
    if schema != known:
        raise UsageError(f"{path} is of schema {schema}, this program reads {known}")


def check_trials(path: Path, names: Iterable[str], planned: Container[str] | None = None) -> None:
    """Refuse a trial that is recorded twice, or was not planned: it would be counted."""
    numbers: dict[str, int] = {}
    for number, name in enumerate(names, start=1):
        if name in numbers:
            raise UsageError(
                f"{path}: records {numbers[name]} and {number} are both of trial {name!r}, as if "
                "two programs had measured at once; remove one of them, or measure again"
            )
        if planned is not None and name not in planned:
            raise UsageError(f"{path}: record {number} is of trial {name!r}, not in plan.json")
        numbers[name] = number
