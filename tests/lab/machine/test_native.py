"""A program that the laboratory starts does not outlive it; one that is not built has a cure."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from serverlab.errors import LabError
from serverlab.machine import native
from tests.waiting import until

# Prints its process, and ours is killed before the real one is called.
LATE_SETPRIV = """#!/bin/sh
echo $$
read killed
exec {setpriv} "$@"
"""
STARTS_A_PROGRAM = """
import subprocess
from serverlab.machine.native import dies_with_parent
subprocess.run(dies_with_parent(["sleep", "600"]))
"""


def has_ended(process: int) -> bool:
    try:
        return psutil.Process(process).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def test_a_program_ends_whose_parent_was_killed_before_it_began(tmp_path: Path) -> None:
    late = tmp_path / "setpriv"
    late.write_text(LATE_SETPRIV.format(setpriv=shutil.which("setpriv")), encoding="utf-8")
    late.chmod(0o755)
    with subprocess.Popen(
        [sys.executable, "-c", STARTS_A_PROGRAM],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"},
    ) as parent:
        assert parent.stdin is not None
        assert parent.stdout is not None
        started = int(parent.stdout.readline())
        parent.kill()
        os.waitid(os.P_PID, parent.pid, os.WEXITED | os.WNOWAIT)
        parent.stdin.write(b"\n")
        parent.stdin.flush()
        try:
            until(lambda: has_ended(started), "the program has ended")
        finally:
            if not has_ended(started):
                os.kill(started, signal.SIGKILL)


def test_a_program_that_is_not_built_names_what_builds_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(native, "ROOT", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(LabError, match="serverlab-load is not built: `make build` builds it"):
        native.program("serverlab-load")
    with pytest.raises(LabError, match="install clang, as `make setup` does; then `make build`"):
        native.program(native.PROBE)
