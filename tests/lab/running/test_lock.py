"""A folder that a command writes into is refused to every other command that would."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

import serverlab.claims.command
import serverlab.claims.run_campaign
import serverlab.run_command
import serverlab.search.command
import serverlab.stress.command
from serverlab.running.lock import locked
from tests.lab.command_line import call, records
from tests.lab.conftest import Serverlab
from tests.lab.test_run import TINY, running
from tests.waiting import until

COMMANDS = {
    "run": ["tiny.toml"],
    "search": ["--engine=poll", "--slo=p99 <= 5ms"],
    "stress": ["--engine=poll"],
    "claims": ["--only=T3", "--budget=5m"],
}


@pytest.fixture(autouse=True)
def begin_and_end_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Commands make their folders, and measure nothing."""
    (tmp_path / "tiny.toml").write_text(TINY, encoding="utf-8")
    monkeypatch.setattr(serverlab.run_command, "run_to_report", lambda *_, **__: 0)
    monkeypatch.setattr(serverlab.search.command, "search_to_page", lambda *_, quiet: quiet)
    monkeypatch.setattr(serverlab.stress.command, "stress_to_result", lambda _, __, quiet: quiet)
    monkeypatch.setattr(serverlab.claims.run_campaign, "campaign", lambda *_: 0)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_folder_in_use_is_refused_to_a_new_command_and_to_one_that_resumes(
    command: str, serverlab: Serverlab
) -> None:
    folder = Path("used")
    begin = [command, *COMMANDS[command], "--out=used"]
    resume = [command, "--resume=used"]
    folder.mkdir()
    with locked(folder, "serverlab run"):
        for ended in (serverlab(*begin), serverlab(*resume)):
            assert ended.returncode == 2
        assert [path.name for path in folder.iterdir()] == ["lock"]
    assert serverlab(*begin).returncode == 0
    with locked(folder, "serverlab run"):
        ended = serverlab(*resume)
    assert ended.returncode == 2
    said = " ".join(ended.stderr.split())
    assert f"used is in use by serverlab run (pid {os.getpid()}, since " in said
    assert "UTC): wait until it ends, or stop it" in said
    assert serverlab(*resume).returncode == 0


def test_a_run_can_be_reported_and_not_resumed_while_it_runs(
    tmp_path: Path,
) -> None:
    (tmp_path / "tiny.toml").write_text(TINY.replace("[1, 8]", "[1, 2, 3]"), "utf-8")
    run = tmp_path / "run"
    with running(tmp_path / "tiny.toml", run) as process:
        until(lambda: len(records(run)) > 0, "a trial is on disk")
        process.send_signal(signal.SIGSTOP)
        refused = call("run", "--resume", run, cwd=tmp_path)
        assert refused.returncode == 2
        assert f"in use by serverlab run (pid {process.pid}, since" in " ".join(
            refused.stderr.split()
        )
        reported = call("report", run, cwd=tmp_path)
        assert reported.returncode == 0, reported.stderr
        process.kill()
    resumed = call("run", "--resume", run, cwd=tmp_path)
    assert resumed.returncode == 0, resumed.stderr
    trials = [record["trial"] for record in records(run)]
    assert len(trials) == len(set(trials)) == 6
