"""A server that serves so many requests a second is found to serve as many."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from tests.instrument.conftest import running

REQUESTS_PER_S = 5000
SERVERLAB = [sys.executable, "-c", "from serverlab.cli import main; main()"]


def test_a_search_finds_the_capacity_of_a_server_within_3_percent(tmp_path: Path) -> None:
    # The bound is wide enough for whatever else runs here: what decides is whether the rate is
    # sustained, which is about capacity alone.
    with running("known_rate_server", str(REQUESTS_PER_S)) as server:
        done = subprocess.run(
            [
                *SERVERLAB,
                "search",
                f"--target={server.address}",
                "--slo=p99 <= 200ms",
                "--precision=0.02",
                "--duration=2s",
                "--warmup=200ms",
                "--repeats=2",
                "--no-curve",
                "--json",
                f"--out={tmp_path / 'search'}",
            ],
            cwd=tmp_path,
            capture_output=True,
            check=False,
            timeout=100,
        )
    assert done.returncode == 0, done.stderr.decode()
    [goal] = msgspec.json.decode(done.stdout)["goals"]
    assert goal["ending"] == "found", goal["sentence"]
    assert goal["highest_per_s"] == pytest.approx(REQUESTS_PER_S, rel=0.03)
    assert goal["not_kept"]["rate_per_s"] <= 1.021 * goal["highest_per_s"]
