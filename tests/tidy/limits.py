"""The limits of limits.toml, with their types: a misspelt key is an error, not a limit unset."""

from __future__ import annotations

from pathlib import Path

import msgspec


class TreeLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which files are no text of ours."""

    data: list[str]


class SizeLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How long things may be."""

    file_lines_max: int
    function_lines_max: int
    line_characters_max: int
    files_exempt: list[str]


class DuplicateLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How much two files may say in the same words."""

    files: list[str]
    lines_min: int


class LayeringLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a folder may include: of the other folders, and of headers that are not ours."""

    sees: dict[str, list[str]]
    headers: dict[str, list[str]]


class NameLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words that name no file."""

    banned: list[str]


class Banned(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"excepted": "except"}
):
    """What no line of some files may say, and what to say instead."""

    pattern: str
    instead: str
    files: list[str]
    bad: str
    excepted: list[str] = []


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole of limits.toml."""

    tree: TreeLimits
    size: SizeLimits
    duplicates: DuplicateLimits
    layering: LayeringLimits
    names: NameLimits
    banned: list[Banned]


LIMITS = msgspec.toml.decode(
    (Path(__file__).parent / "limits.toml").read_text(encoding="utf-8"), type=Limits
)
