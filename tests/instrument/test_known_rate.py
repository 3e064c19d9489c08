"""A server that serves so many requests a second is found to serve as many."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.instrument.conftest import running
from tests.lab.command_line import call

REQUESTS_PER_S = 5000


def searched(folder: Path) -> dict[str, Any]:
    """What a search finds of the server's capacity.

    The bound is wide enough for whatever else runs here: what decides is whether the rate is
    sustained, which is about capacity alone.
    """
    with running("known_rate_server", str(REQUESTS_PER_S)) as server:
        done = call(
            "search",
            f"--target={server.address}",
            "--slo=p99 <= 200ms",
            "--precision=0.02",
            "--duration=2s",
            "--warmup=200ms",
            "--repeats=2",
            "--no-curve",
            "--json",
            f"--out={folder}",
            cwd=folder.parent,
        )
    assert done.returncode == 0, done.stderr
    [goal] = msgspec.json.decode(done.stdout)["goals"]
    found: dict[str, Any] = goal
    return found


@pytest.mark.timeout(240)
def test_a_search_finds_the_capacity_of_a_server_within_3_percent(tmp_path: Path) -> None:
    goal = searched(tmp_path / "search")
    within = pytest.approx(REQUESTS_PER_S, rel=0.03)
    if goal["highest_per_s"] != within:  # others had the CPUs for a while
        goal = searched(tmp_path / "again")
    assert goal["highest_per_s"] == within, goal["sentence"]
    assert goal["ending"] == "found", goal["sentence"]
    assert goal["not_kept"]["rate_per_s"] <= 1.021 * goal["highest_per_s"]
