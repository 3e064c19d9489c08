"""The native programs: where they are, and how they are called."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from serverlab.errors import LabError, reason_of

LIMIT_S = 30  # for what a program prints of itself
ROOT = Path(__file__).resolve().parents[2]


def program(name: str) -> Path:
    """The path of a native program: of the build that SERVERLAB_BUILD names, or on the PATH.

    The default build is `release`, the only one that is measured.
    """
    build = os.environ.get("SERVERLAB_BUILD", "release")
    built = ROOT / "build" / build / name
    if built.exists():
        return built
    if found := shutil.which(name):
        return Path(found)
    raise LabError(f"{name} is not built: `make build` builds it ({built} is not there)")


def output_of(name: str, *arguments: str) -> str:
    """What a native program prints; its one sentence, if it refuses."""
    try:
        done = subprocess.run(
            [program(name), *arguments],
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
            timeout=LIMIT_S,
        )
    except OSError as error:
        raise LabError(f"cannot run {program(name)}: {reason_of(error)}") from error
    except subprocess.TimeoutExpired:
        raise LabError(f"{name} has not ended within {LIMIT_S} s") from None
    if done.returncode != 0:
        raise LabError(done.stderr.strip() or f"{name} ended with status {done.returncode}")
    return done.stdout


def dies_with_parent(command: list[str]) -> list[str]:
    """The command, so that its process is told to stop when ours is killed.

    Raises LabError if the program that arranges it is not there.
    """
    if shutil.which("setpriv") is None:
        raise LabError("there is no `setpriv` on the PATH: it comes with util-linux")
    # No signal comes if the parent is dead already when setpriv asks for one.
    begin = '[ "$PPID" = "$0" ] && exec "$@"'
    return [
        "setpriv",
        "--pdeathsig",
        "TERM",
        "sh",
        "-c",
        begin,
        str(os.getpid()),
        *command,
    ]
