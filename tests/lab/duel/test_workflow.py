"""The workflow that deploy/ ships fails if the duel in it does."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from serverlab.machine.native import ROOT

NAME = "- name: Duel\n"


def step() -> str:
    """The lines that the runner gives to its shell."""
    text = (ROOT / "deploy" / "duel.yml").read_text(encoding="utf-8")
    lines = text.split(NAME, 1)[1].split("run: |\n", 1)[1].splitlines()
    indent = " " * (len(lines[0]) - len(lines[0].lstrip()))
    own = []
    for line in lines:
        if not line.startswith(indent):
            break
        own.append(line.removeprefix(indent))
    return "\n".join(own) + "\n"


@pytest.mark.parametrize("status", [0, 1])
def test_the_step_ends_as_the_duel_does_and_shows_what_it_says(status: int, tmp_path: Path) -> None:
    program = tmp_path / "serverlab" / ".venv" / "bin" / "serverlab"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho the outcome\nexit {status}\n", encoding="utf-8")
    program.chmod(0o755)
    script = tmp_path / "step.sh"
    script.write_text(step(), encoding="utf-8")
    summary = tmp_path / "summary.md"
    # As GitHub's runner starts it, where a step names no shell.
    done = subprocess.run(
        ["bash", "-e", script],
        cwd=tmp_path,
        env={**os.environ, "GITHUB_STEP_SUMMARY": str(summary)},
        capture_output=True,
        check=False,
    )
    assert done.returncode == status
    assert summary.read_text(encoding="utf-8") == "the outcome\n"
