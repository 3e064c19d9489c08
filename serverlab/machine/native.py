"""The native programs: where they are, and how they are called."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from serverlab.errors import LabError, OwnError, reason_of

LIMIT_S = 30  # for what a program prints of itself
PROBE = "serverlab-probe"
ROOT = Path(__file__).resolve().parents[2]  # of the checkout, or where the package is installed
INSTALLED = Path(__file__).resolve().parents[1]  # where a wheel has programs and experiments


_preferred: list[Path] = []


def prefer(folder: Path) -> None:
    """Take programs of this folder before all others."""
    _preferred.insert(0, folder)


def program(name: str) -> Path:
    """The path of a native program: of the build that SERVERLAB_BUILD names, or on the PATH.

    The default build is `release`, the only one that is measured.
    """
    build = os.environ.get("SERVERLAB_BUILD", "release")
    built = ROOT / "build" / build / name
    for path in (*(folder / name for folder in _preferred), built, INSTALLED / "bin" / name):
        if path.exists():
            return path
    if found := shutil.which(name):
        return Path(found)
    needs = "install clang, as `make setup` does; then " if name == PROBE else ""
    raise OwnError(f"{name} is not built: {needs}`make build` builds it ({built} is not there)")


def experiments() -> Path:
    """The folder of the experiments that serverlab ships."""
    checkout = ROOT / "experiments"
    return checkout if checkout.is_dir() else INSTALLED / "experiments"


def given_or_shipped(path: Path) -> Path:
    """An experiment's file: the one that is there, or else the shipped one of this name."""
    shipped = experiments().parent / path
    # Of a name that no file can have, os.path says that it is not there; pathlib raises.
    is_given = os.path.exists(path) or not os.path.isfile(shipped)  # noqa: PTH110, PTH113
    return path if is_given else shipped


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
