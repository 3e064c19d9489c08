"""A run whose disk fails, or that is killed, at any of its writes: no trial is lost or doubled."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from serverlab.records import read_plan
from tests.faults.calls import ERROR, KILL, Calls, calls
from tests.lab.command_line import SERVERLAB, records
from tests.waiting import DEADLINE_S, until

FOLDER = "run-of-the-store-test"
WRITING = ("fsync", "ftruncate64", "mkdir", "open64", "openat64", "rename", "unlink", "write")
SHORT = """
question = "Is a trial lost?"
[server]
engine = ["poll", "epoll-level"]
[load]
connections = 2
warmup = "0 s"
duration = "50 ms"
[design]
kind = "separate"
blocks = 1
twin = false
"""

# A run is about a second beside others; the most frequent call has some fifty of them, and each is
# disturbed and resumed.
ANY_WRITE_LIMIT_S = 900

pytestmark = pytest.mark.unsanitized


class Folder:
    """An experiment and the folder of its run."""

    def __init__(self, path: Path) -> None:
        """Where both are to be."""
        self.path = path
        self.run = path / FOLDER
        self.experiment = path / "short.toml"
        self.experiment.write_text(SHORT, encoding="utf-8")

    def begin(self, plan: Calls) -> subprocess.CompletedProcess[str]:
        """Run it, with what the plan has for it."""
        return self._call(["run", str(self.experiment), "--out", str(self.run)], plan)

    def resume(self) -> None:
        """Let it go on undisturbed; if it has not begun, begin."""
        if (self.run / "plan.json").exists():
            ended = self._call(["run", "--resume", str(self.run)])
        else:
            ended = self._call(["run", str(self.experiment), "--out", str(self.run)])
        assert ended.returncode == 0, ended.stderr

    def _call(
        self, arguments: list[str], plan: Calls | None = None
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*SERVERLAB, *arguments],
            cwd=self.path,
            env=plan.environment if plan else None,
            capture_output=True,
            text=True,
            check=False,
            timeout=4 * DEADLINE_S,
        )

    def trials(self) -> list[bytes]:
        """The whole lines that are on disk."""
        path = self.run / "trials.jsonl"
        lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
        return [line for line in lines if line.endswith(b"\n")]

    def expect_whole(self, kept: list[bytes]) -> None:
        """Expect each planned trial once, those first that were there before, and no process."""
        planned = [trial.trial for trial in read_plan(self.run).trials]
        assert [trial["trial"] for trial in records(self.run)] == planned
        assert self.trials()[: len(kept)] == kept
        assert (self.run / "report.html").exists()
        assert [path.name for path in self.run.rglob("*.new")] == []
        until(lambda: programs_in(self.path) == [], "no program is left")


def programs_in(folder: Path) -> list[str]:
    """The programs that run with that folder as theirs."""
    running = psutil.process_iter(["name", "cwd"])
    return [one.info["name"] for one in running if one.info["cwd"] == str(folder)]


def count_of(folder: Path, call: str) -> int:
    """How often an undisturbed run makes a call that writes."""
    folder.mkdir()
    one = Folder(folder)
    with calls(sys.executable, FOLDER) as plan:
        assert one.begin(plan).returncode == 0
        counted = plan.counted()
    one.expect_whole([])
    return counted.get(call, 0)


def disturb(folder: Path, call: str, number: int, action: int) -> None:
    """Run it with that fault, and let it go on."""
    folder.mkdir()
    one = Folder(folder)
    with calls(sys.executable, FOLDER) as plan, plan.failing(call, number, action):
        ended = one.begin(plan)
        assert plan.failed() > 0, f"{call} {number}: it was not called"
    if action == KILL:
        assert ended.returncode == -signal.SIGKILL
    elif ended.returncode != 0:
        said = ended.stderr.replace("\n", " ")
        assert said.startswith("serverlab: "), said
        assert "Traceback" not in said, said
    kept = one.trials()
    for trial in records(one.run):
        assert trial["load"] or trial["verdict"]["name"] == "FAILED"
    one.resume()
    one.expect_whole(kept)


@pytest.mark.parametrize("action", [ERROR, KILL], ids=["fails", "kills"])
@pytest.mark.parametrize("call", ["fsync", "rename", "write"])
def test_a_run_goes_on_after_a_fault_in_a_write(call: str, action: int, tmp_path: Path) -> None:
    count = count_of(tmp_path / "undisturbed", call)
    disturb(tmp_path / "disturbed", call, (count + 1) // 2, action)


@pytest.mark.parametrize("action", [ERROR, KILL], ids=["fails", "kills"])
@pytest.mark.parametrize("call", WRITING)
@pytest.mark.timeout(ANY_WRITE_LIMIT_S)
def test_a_run_goes_on_after_a_fault_in_any_write(call: str, action: int, tmp_path: Path) -> None:
    for number in range(1, count_of(tmp_path / "undisturbed", call) + 1):
        disturb(tmp_path / f"{number}", call, number, action)


@pytest.mark.parametrize("step_s", [-86_400, 86_400])
def test_a_run_does_not_care_how_the_wall_clock_jumps(step_s: int, tmp_path: Path) -> None:
    one = Folder(tmp_path)
    with calls(sys.executable, FOLDER) as plan:
        plan.step_clock(step_s)
        assert one.begin(plan).returncode == 0
    one.expect_whole([])
