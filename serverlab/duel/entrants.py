"""What a duel is between: an engine, a contestant, a command line, or a server that is there."""

from __future__ import annotations

import difflib
import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from serverlab.contestants.reading import ADDRESS, FILE, shipped
from serverlab.errors import UsageError
from serverlab.quantities import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from serverlab.quantities import TomlTable

# A command that begins so is named after what it runs.
RUNNERS = re.compile(r"(python|node|java|ruby|perl|php|deno|bun|env|taskset)[0-9.]*")
NAME_MAX = 40  # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrant:
    """A subject of a duel, as an experiment file has it."""

    name: str  # of its own within the duel
    engine: str = ""  # empty: it is a contestant
    table: TomlTable = field(default_factory=dict)  # [engine.NAME] or [contestant.NAME]


def entrants_of(texts: Sequence[str], engines: Iterable[str], service: str) -> list[Entrant]:
    """The subjects that the words of a command line name. Raises UsageError."""
    found: list[Entrant] = []
    for text in texts:
        taken = {one.name for one in found}
        found.append(entrant_of(text, list(engines), service, taken))
    return found


def entrant_of(text: str, engines: Sequence[str], service: str, taken: set[str]) -> Entrant:
    """The subject that a text names, under a name that is not taken yet."""
    engine, *own = text.split() or [""]
    if engine in engines:
        return Entrant(name=free(engine, taken), engine=engine, table=settings_of(text, own))
    if text in shipped():
        return Entrant(name=free(text, taken), table={"file": text})
    if ADDRESS.fullmatch(text):
        return Entrant(
            name=free(re.sub(r"^[^A-Za-z0-9]+|]", "", text), taken),
            table={"address": text, "services": [service]},
        )
    if "{port}" in text:
        return Entrant(
            name=free(name_of(text), {*taken, *engines}),
            table={"start": text, "services": [service]},
        )
    path = Path(text)
    if path.is_dir() or path.suffix == ".toml":
        folder = path.resolve() if path.is_dir() else path.resolve().parent
        file = str(path / FILE if path.is_dir() else path)
        return Entrant(
            name=free(folder.name, {*taken, *engines}),
            table={"file": f"./{file}" if "/" not in file else file},
        )
    near = difflib.get_close_matches(text, [*engines, *shipped()], n=3, cutoff=0.5)
    hint = (
        f"did you mean {' or '.join(near)}?"
        if near
        else (
            "a subject is an engine, also as 'ENGINE --setting=value', a contestant or its file, "
            "HOST:PORT, or a command with {port}"
        )
    )
    raise UsageError(f"{quoted(text)} is no subject; {hint}")


def settings_of(text: str, words: Iterable[str]) -> TomlTable:
    """Settings of one engine alone, as words: --threads=4."""
    table: TomlTable = {}
    for word in words:
        name, equals, value = word.removeprefix("--").partition("=")
        if not (word.startswith("--") and equals and value):
            raise UsageError(f"{quoted(text)}: behind an engine stand settings such as --threads=4")
        table[name] = value
    return table


def name_of(command: str) -> str:
    """The name of the program that a command runs."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"{quoted(command)}: {str(error).lower()}") from None
    names = [Path(word).stem for word in words if not word.startswith("-")]
    plain = [name for name in names if not RUNNERS.fullmatch(name)] or names
    return re.sub(r"[^A-Za-z0-9._-]+", "-", plain[0]).strip("-.")[:NAME_MAX] or "command"


def free(name: str, taken: set[str]) -> str:
    """The name, with a number if another subject has it."""
    if name not in taken:
        return name
    number = 2
    while f"{name}-{number}" in taken:
        number += 1
    return f"{name}-{number}"
