"""Reads the JSON that this or another version of serverlab wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import msgspec

from serverlab.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

Decoded = TypeVar("Decoded")


def decode(path: Path, kind: type[Decoded], whose: str) -> Decoded:
    """The document of a file.

    Raises UsageError that says that its folder is not `whose`, or what is wrong with the file.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except FileNotFoundError:
        raise UsageError(f"{path.parent} is no {whose}: there is no {path.name} in it") from None
    except msgspec.DecodeError as error:
        raise UsageError(f"{path}: {error}") from error


def check_schema(path: Path, schema: int, known: int) -> None:
    """Refuse what another version of the programs wrote with other meanings."""
    if schema != known:
        raise UsageError(f"{path} is of schema {schema}, this program reads {known}")
