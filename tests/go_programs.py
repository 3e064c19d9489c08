"""Programs of others, written in Go, that the tests ask for."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

INSTALLED_BY = "`make setup-go` builds it where there is Go"

FOLDERS = [Path("build/go"), Path.home() / "go" / "bin"]


def go_program(name: str) -> str | None:
    """The path of a program; None if this machine does not have it."""
    return shutil.which(name, path=os.pathsep.join([*map(str, FOLDERS), os.environ["PATH"]]))
