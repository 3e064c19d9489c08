"""The native programs: where they are, and how they are called."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from serverlab.errors import LabError

ROOT = Path(__file__).resolve().parent.parent.parent


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
    done = subprocess.run(
        [program(name), *arguments], capture_output=True, text=True, check=False, timeout=30
    )
    if done.returncode != 0:
        raise LabError(done.stderr.strip() or f"{name} ended with status {done.returncode}")
    return done.stdout


def dies_with_parent(command: list[str]) -> list[str]:
    """The command, so that its process is told to stop when ours is killed."""
    return ["setpriv", "--pdeathsig", "TERM", *command]
