"""Another generator, Fortio, finds every reply right too."""

from __future__ import annotations

import re
import subprocess

import pytest

from tests.conformance.server import Server
from tests.go_programs import INSTALLED_BY, go_program
from tests.waiting import DEADLINE_S

FORTIO = go_program("fortio")


@pytest.mark.skipif(FORTIO is None, reason=f"this machine has no fortio: {INSTALLED_BY}")
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
