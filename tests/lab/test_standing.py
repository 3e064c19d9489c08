"""On a terminal, a run shows how its ratios stand after each block."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.lab.command_line import SERVERLAB

BLOCKS = """
question = "Which of two?"
[server]
engine = ["poll", "epoll-level"]
[load]
connections = 8
warmup = "50 ms"
duration = "300 ms"
[contrast]
by = "goodput"
[design]
blocks = 2
twin = false
"""


def shown_on_a_terminal(command: list[str], folder: Path) -> tuple[int, str]:
    """The exit status of a command, and all that its terminal was told."""
    ours, theirs = os.openpty()
    told = b""
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "120", "LINES": "40"}
    with subprocess.Popen(
        command, cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs, env=environment
    ) as process:
        os.close(theirs)
        try:
            while piece := os.read(ours, 1 << 16):
                told += piece
        except OSError:  # EIO: the other side is not open
            pass
        finally:
            os.close(ours)
    return process.returncode, told.decode()


def test_each_block_shows_the_ratios_so_far(tmp_path: Path) -> None:
    experiment = tmp_path / "two.toml"
    experiment.write_text(BLOCKS, encoding="utf-8")
    status, told = shown_on_a_terminal([*SERVERLAB, "run", str(experiment)], tmp_path)
    assert status == 0
    after_first = told.index("After block 1: Goodput over that of poll (more is better)")
    assert "epoll-level" in told[after_first:].splitlines()[2]
    assert told.rstrip().endswith("report.html")
