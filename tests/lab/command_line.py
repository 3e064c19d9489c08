"""The command line as a process of its own, and what its folders hold."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec

SERVERLAB = [sys.executable, "-c", "from serverlab.cli import main; main()"]


def call(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Call it, and wait for its end."""
    return subprocess.run(
        [*SERVERLAB, *map(str, arguments)],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )


def records(folder: Path) -> list[dict[str, Any]]:
    """The trials that are on disk; of the last line a part may be, while others go on."""
    path = folder / "trials.jsonl"
    lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
    return [msgspec.json.decode(line) for line in lines if line.endswith(b"\n")]
