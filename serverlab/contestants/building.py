"""Builds a contestant once, until a file of its folder changes."""

from __future__ import annotations

import fcntl
import functools
import hashlib
import os
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from serverlab.contestant import command_of
from serverlab.errors import LabError, UnsupportedError, reason_of
from serverlab.machine.native import ROOT, dies_with_parent
from serverlab.program_log import BoundedLog, last_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from serverlab.contestant import Contestant

STAMP = "built-from"  # holds a digest of the sources, once all is built
CACHE = "__pycache__"  # which Python writes as it runs
BUILD_LIMIT_S = 1800
VERSION_LIMIT_S = 20
VERSION_CHARACTERS_MAX = 100


def build_folder(folder: Path, name: str) -> Path:
    """Where what is built goes: beside what the checkout builds, or into the user's cache."""
    if folder.is_relative_to(ROOT / "contestants") and (ROOT / "build").is_dir():
        return ROOT / "build" / "contestants" / name
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    digest = hashlib.sha256(os.fsencode(folder)).hexdigest()[:8]
    return cache / "serverlab" / "contestants" / f"{name}-{digest}"


def expect_needs(contestant: Contestant) -> None:
    """Raise UnsupportedError if it needs a program or a library that is not there."""
    lacking = [name for name in contestant.needs if shutil.which(name) is None]
    if not lacking:
        lacking = [name for name in contestant.libraries if not is_library(name)]
    if lacking:
        hint = f": {contestant.missing}" if contestant.missing else ""
        raise UnsupportedError(f"{contestant.name} needs {', '.join(lacking)}{hint}")


def is_library(name: str) -> bool:
    """Whether pkg-config knows a library of that name."""
    try:
        done = subprocess.run(["pkg-config", "--exists", "--", name], check=False)
    except OSError:
        return False
    return done.returncode == 0


def build(contestant: Contestant, say: Callable[[str], None]) -> None:
    """Build what is not built yet; `say` is told before, as that may take minutes.

    Raises UnsupportedError if it needs what is not there, and LabError if a command fails.
    """
    expect_needs(contestant)
    if not contestant.build:
        return
    built = Path(contestant.built)
    log = built.with_suffix(".log")
    try:
        built.mkdir(parents=True, exist_ok=True)
        with log.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            stamp = built / STAMP
            if stamp.exists() and stamp.read_text(encoding="ascii") == digest_of(contestant):
                return
            stamp.unlink(missing_ok=True)
            say(f"{contestant.name} is being built; {log} has what its tools say")
            with BoundedLog(log) as output:
                for command in contestant.build:
                    run(contestant, command, output.file.fileno(), log)
            # Tools may have added files of their own, such as Cargo.lock.
            stamp.write_text(digest_of(contestant), encoding="ascii")
    except OSError as error:
        raise LabError(
            f"{contestant.name} cannot be built in {built}: {reason_of(error)}"
        ) from error


def run(contestant: Contestant, text: str, output: int, log: Path) -> None:
    """Run a command of a build. Raises LabError if it fails."""
    command = dies_with_parent(command_of(text, {"build": contestant.built}))
    try:
        done = subprocess.run(
            command,
            cwd=contestant.folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            check=False,
            timeout=BUILD_LIMIT_S,
        )
    except subprocess.TimeoutExpired:
        raise LabError(
            f"{contestant.name} is not built within {BUILD_LIMIT_S} s by `{text}`; see {log}"
        ) from None
    if done.returncode:
        said = last_line(log)
        last = f": {said}" if said else ""
        raise LabError(f"{contestant.name} does not build: `{text}` fails{last}; see {log}")


def digest_of(contestant: Contestant) -> str:
    """What changes if a file of the contestant does, or how it is built."""
    digest = hashlib.sha256(repr(contestant.build).encode())
    folder = Path(contestant.folder)
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        if CACHE in path.parts:
            continue
        digest.update(os.fsencode(path.relative_to(folder)) + b"\0" + path.read_bytes())
    return digest.hexdigest()


def version_of(contestant: Contestant) -> str:
    """The first line of what its version command prints; empty if there is none, or it fails."""
    return said_first(contestant.version, contestant.built, contestant.folder)


@functools.cache
def said_first(text: str, built: str, folder: str) -> str:
    """The first line that a command prints."""
    if not shlex.split(text):
        return ""
    try:
        done = subprocess.run(
            command_of(text, {"build": built}),
            cwd=folder or None,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            encoding="utf-8",
            errors="replace",
            timeout=VERSION_LIMIT_S,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    lines = done.stdout.strip().splitlines()
    return lines[0][:VERSION_CHARACTERS_MAX] if lines and done.returncode == 0 else ""
