"""Programs that are run to their end, ours and others', and what they said."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conformance.programs import ENVIRONMENT
from tests.waiting import DEADLINE_S


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended."""

    status: int
    stdout: str
    stderr: str

    def sentence(self, program: str) -> str:
        """The one sentence of a program that could not do as it was told, without its name."""
        lines = self.stderr.splitlines()
        assert len(lines) == 1, self.stderr
        assert lines[0].startswith(f"{program}: ")
        return lines[0].removeprefix(f"{program}: ")

    def short_of(self) -> str:
        """The resource that the program's only event names; empty if there is no event."""
        if not self.stdout:
            return ""
        event = json.loads(self.stdout)
        assert event["event"] == "error"
        assert event["text"] in self.stderr
        return str(event["resource"])


def run(program: Path, *arguments: str) -> Ended:
    """Run a program to its end, or fail at the deadline."""
    done = subprocess.run(
        [program, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        text=True,
        timeout=DEADLINE_S,
        env=ENVIRONMENT,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


def output_of(program: str, *arguments: str, stdin: bytes = b"") -> bytes:
    """What a client prints when all went well; skips on a machine without it."""
    if shutil.which(program) is None:
        pytest.skip(f"this machine has no {program}, which `make setup` installs on Debian")
    done = subprocess.run(
        [program, *arguments],
        input=stdin,
        capture_output=True,
        check=False,
        timeout=DEADLINE_S,
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout
