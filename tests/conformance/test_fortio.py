"""Another generator, Fortio, finds every reply right too."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conformance.server import Server
from tests.waiting import DEADLINE_S

FORTIO = shutil.which("fortio", path=f"{os.environ['PATH']}:{Path.home() / 'go' / 'bin'}")


@pytest.mark.skipif(FORTIO is None, reason="Fortio is neither on the PATH nor in ~/go/bin")
def test_fortio_finds_every_reply_right(echo_server: Server) -> None:
    settings = ["-qps", "0", "-t", "1s", "-c", "64", "-payload-size", "64"]
    done = subprocess.run(
        [str(FORTIO), "load", *settings, f"tcp://{echo_server.address}"],
        capture_output=True,
        check=False,
        text=True,
        timeout=DEADLINE_S,
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"^tcp OK : \d+ \(100\.0 %\)$", done.stderr, re.MULTILINE), done.stderr
