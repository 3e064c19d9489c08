"""Reads a contestant's file, and finds the contestants that serverlab ships."""

from __future__ import annotations

import difflib
import re
import shlex
import signal
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from serverlab.contestant import About, Contestant
from serverlab.contestants.building import build_folder
from serverlab.errors import UsageError, reason_of
from serverlab.machine.native import INSTALLED, ROOT
from serverlab.plain_text import HIDDEN
from serverlab.quantities import duration_s, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from serverlab.quantities import TomlTable

FILE = "contestant.toml"
BYTES_MAX = 2**16
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,63}")
ADDRESS = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+):([0-9]{1,5})")
STARTING = {"host", "port", "cpus", "threads", "service", "build"}
BUILDING = {"build"}


def shipped() -> dict[str, Path]:
    """The file of each contestant that serverlab ships, by its name."""
    checkout = ROOT / "contestants"
    folder = checkout if checkout.is_dir() else INSTALLED / "contestants" / "shipped"
    return {path.parent.name: path for path in sorted(folder.glob(f"*/{FILE}"))}


def named(text: str, services: Iterable[str], beside: Path = Path()) -> Contestant:
    """The contestant that serverlab ships by this name, or whose file or folder this is.

    A path is taken from the folder `beside`. Raises UsageError that names the file.
    """
    known = shipped()
    if text in known:
        return read(known[text], services)
    if "/" in text or text.endswith(".toml"):
        path = beside / text
        return read(path / FILE if path.is_dir() else path, services)
    near = difflib.get_close_matches(text, known, n=3, cutoff=0.4)
    hint = (
        f"did you mean {' or '.join(near)}?"
        if near
        else f"a path of yours has a slash: ./{text}/{FILE}"
    )
    raise UsageError(f"there is no contestant {quoted(text)}; {hint}")


def read(path: Path, services: Iterable[str]) -> Contestant:
    """Read a contestant's file; its folder names it. Raises UsageError that names the file."""
    try:
        with path.open("rb") as file:
            content = file.read(BYTES_MAX + 1)
        if len(content) > BYTES_MAX:
            raise UsageError(f"{path}: a contestant's file has at most {BYTES_MAX} bytes")
        table = tomllib.loads(content.decode())
    except OSError as error:
        raise UsageError(f"cannot read {path}: {reason_of(error)}") from error
    except RecursionError:
        raise UsageError(f"{path}: it is nested too deeply") from None
    except ValueError as error:  # TOMLDecodeError, UnicodeDecodeError
        raise UsageError(f"{path}: {error}") from error
    folder = path.resolve().parent
    try:
        return contestant_of(folder.name, table, services, folder)
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None


def contestant_of(name: str, table: TomlTable, services: Iterable[str], folder: Path) -> Contestant:
    """A contestant as a file or a table says it, checked. Raises UsageError that names the key."""
    if not NAME.fullmatch(name):
        raise UsageError(
            f"{quoted(name)} is no name of a contestant: letters, digits, dots and hyphens are"
        )
    for key in table:
        if key not in About.__struct_fields__:
            near = difflib.get_close_matches(key, About.__struct_fields__, n=2, cutoff=0.5)
            hint = f"did you mean {' or '.join(near)}?" if near else known_keys()
            raise UsageError(f"there is no key {quoted(key)}; {hint}")
    try:
        about = msgspec.convert(table, About)
    except msgspec.ValidationError as error:
        raise UsageError(str(error)) from None
    built = str(build_folder(folder, name)) if about.build or "{build}" in about.start else ""
    contestant = Contestant(
        **msgspec.structs.asdict(about), name=name, folder=str(folder), built=built
    )
    check(contestant, list(services))
    return contestant


def known_keys() -> str:
    """All keys, for a message."""
    return f"known: {', '.join(sorted(About.__struct_fields__))}"


def check(contestant: Contestant, services: list[str]) -> None:
    """Refuse what could not be run. Raises UsageError that names the key."""
    if not contestant.services:
        raise UsageError(f'services is missing: services = ["{services[0]}"]')
    for service in contestant.services:
        if service not in services:
            raise UsageError(
                f"services: there is no service {quoted(service)}; there are {', '.join(services)}"
            )
    check_place(contestant)
    check_command("start", contestant.start, STARTING)
    check_command("version", contestant.version, BUILDING)
    for command in contestant.build:
        check_command("build", command, BUILDING)
    for name, value in contestant.environment.items():
        check_placeholders(f"environment.{name}", value, STARTING)
    try:
        duration_s(contestant.ready_limit)
    except UsageError as error:
        raise UsageError(f"ready_limit: {error}") from None
    if contestant.stop not in signal.Signals.__members__:
        raise UsageError(f"stop: {quoted(contestant.stop)} is not a signal such as SIGTERM")
    for key in ("model", "language", "runtime", "framework", "source", "missing"):
        if HIDDEN.search(getattr(contestant, key)):
            raise UsageError(f"{key} holds a character that cannot be seen")


def check_place(contestant: Contestant) -> None:
    """Refuse a contestant that is neither started nor there, or would not know its port."""
    if bool(contestant.start) == bool(contestant.address):
        raise UsageError(
            "give either start, a command with {port}, or address, of a server that is running"
        )
    if contestant.address and not ADDRESS.fullmatch(contestant.address):
        raise UsageError(f"address: {quoted(contestant.address)} is not HOST:PORT")
    if contestant.start and "{port}" not in contestant.start + "".join(
        contestant.environment.values()
    ):
        raise UsageError("start: {port} is missing, in place of the port to listen on")


def check_command(key: str, text: str, placeholders: set[str]) -> None:
    """Refuse a command whose words cannot be told apart, or with a placeholder of no meaning."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(f"{key}: {quoted(text)}: {str(error).lower()}") from None
    for word in words:
        check_placeholders(key, word, placeholders)


def check_placeholders(key: str, text: str, placeholders: set[str]) -> None:
    """Refuse a placeholder that stands for nothing here; braces around other text are text."""
    for name in re.findall(r"\{([a-z_]+)\}", text):
        if name not in placeholders:
            near = difflib.get_close_matches(name, placeholders, n=1, cutoff=0.5)
            hint = (
                f"did you mean {{{near[0]}}}?"
                if near
                else "known: " + ", ".join(f"{{{one}}}" for one in sorted(placeholders))
            )
            raise UsageError(f"{key}: there is no placeholder {{{name}}}; {hint}")
