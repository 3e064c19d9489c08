"""How much is printed on the way to an answer: usually a line a trial, less, or more."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lab.command_line import call
from tests.lab.test_run import TINY

SEARCH = ("search", "--engine=poll", "--slo=p50 <= 1s", "--rate-max=500", "--connections=4")
SHORT = ("--duration=300ms", "--warmup=50ms", "--repeats=1", "--no-curve")


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.toml"
    path.write_text(TINY, encoding="utf-8")
    return path


@pytest.mark.parametrize("arguments", [("-q", "run"), ("run", "--quiet")])
def test_a_quiet_run_prints_its_answer_alone(
    arguments: tuple[str, ...], tiny: Path, tmp_path: Path
) -> None:
    done = call(*arguments, tiny, "--out=found", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "report: found/report.html" in done.stdout
    assert "trials to run" not in done.stdout
    assert "b1-001" not in done.stdout


def test_a_verbose_run_prints_the_programs_that_it_starts(tiny: Path, tmp_path: Path) -> None:
    done = call("run", "-v", tiny, "--out=found", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    started = [line.split()[:2] for line in done.stderr.splitlines()]
    assert started.count(["serverlab-server", "--engine=poll"]) == 2
    assert sum(program == "serverlab-load" for program, _ in started) == 2
    assert "b1-001" in done.stdout


def test_a_quiet_search_prints_its_answer_alone(tmp_path: Path) -> None:
    done = call(*SEARCH, *SHORT, "-q", "--out=found", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().startswith("p50 <= 1s: ")
    assert "trial" not in done.stdout.splitlines()[0]
    assert "closed loop" not in done.stdout
