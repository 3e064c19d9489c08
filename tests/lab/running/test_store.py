"""A run's folder: nothing that was measured is lost, and nothing that was not is made up."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

import msgspec
import pytest

from serverlab.environment import Environment
from serverlab.errors import LabError, OwnError, UsageError
from serverlab.load_result import Verdict
from serverlab.records import Plan, PlannedTrial, Trial
from serverlab.running.store import RunFolder
from serverlab.running.trial import run_trials

if TYPE_CHECKING:
    from pathlib import Path

TRIAL = PlannedTrial(
    trial="b1-001", block=1, order=1, cell={"engine": "poll"}, engine="poll", service="echo",
    server_settings={}, load_settings={"warmup": "1s", "duration": "1s"},
)  # fmt: skip
PLAN = Plan(
    schema=1, name="test", question="?", seed=1, baseline="poll", twin=None,
    factors={"engine": ["poll"]}, trials=[TRIAL],
)  # fmt: skip


def ended(name: str) -> Trial:
    """A trial of that name, with no more than its verdict."""
    return msgspec.structs.replace(TRIAL, trial=name).ended("", Verdict("VALID"))


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return RunFolder.create(
        tmp_path / "run", experiment="text", plan=PLAN, environment=Environment()
    )


def test_a_plan_comes_back_as_it_was(folder: RunFolder) -> None:
    assert folder.plan() == PLAN


def test_records_come_back_in_order(folder: RunFolder) -> None:
    folder.append(ended("b1-001"))
    folder.append(ended("b1-002"))
    assert [record.trial for record in folder.records()] == ["b1-001", "b1-002"]


def test_a_last_line_that_was_cut_off_is_ignored_and_mended(folder: RunFolder) -> None:
    folder.append(ended("b1-001"))
    with folder.trials.open("ab") as file:
        file.write(b'{"trial": "b1-0')
    assert [record.trial for record in folder.records()] == ["b1-001"]
    folder.mend()
    folder.append(ended("b1-002"))
    assert [record.trial for record in folder.records()] == ["b1-001", "b1-002"]


def test_a_full_disk_is_said_and_leaves_whole_lines(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.append(ended("b1-001"))

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(LabError, match="No space left on device"):
        folder.append(ended("b1-002"))
    assert [record.trial for record in folder.records()] == ["b1-001"]
    assert folder.trials.read_bytes().endswith(b"\n")


def test_a_full_device_is_said(folder: RunFolder) -> None:
    folder.trials.symlink_to("/dev/full")
    with pytest.raises(LabError, match="No space left on device"):
        folder.append(ended("b1-001"))


def test_a_folder_that_holds_a_run_is_not_overwritten(folder: RunFolder) -> None:
    with pytest.raises(UsageError, match="already holds a run"):
        RunFolder.create(folder.path, experiment="", plan=PLAN, environment=Environment())


def test_a_folder_without_a_plan_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not a run"):
        RunFolder(tmp_path).plan()


def test_a_plan_of_another_schema_is_refused(folder: RunFolder) -> None:
    path = folder.path / "plan.json"
    path.write_text(
        path.read_text(encoding="utf-8").replace('"schema": 1', '"schema": 9'), encoding="utf-8"
    )
    with pytest.raises(UsageError, match="schema 9"):
        folder.plan()


def test_a_plan_whose_trials_lack_a_setting_is_refused(folder: RunFolder) -> None:
    lacking = msgspec.structs.replace(TRIAL, load_settings={"duration": "1s"})
    folder.write("plan.json", msgspec.structs.replace(PLAN, trials=[lacking]))
    with pytest.raises(UsageError, match=r"plan\.json: b1-001: load_settings lack warmup"):
        folder.plan()


@pytest.mark.parametrize("line", [b"garbage\n", b"{}\n", b"[]\n", b'{"trial": 1}\n'])
def test_a_line_that_is_no_trial_is_named(folder: RunFolder, line: bytes) -> None:
    folder.append(ended("b1-001"))
    with folder.trials.open("ab") as file:
        file.write(line)
    with pytest.raises(UsageError, match=r"trials\.jsonl.* 2"):
        folder.records()


def test_a_folder_that_lost_its_empty_folders_has_them_again(folder: RunFolder) -> None:
    folder.logs.rmdir()
    folder.mend()
    assert folder.logs.is_dir()


def test_logs_that_cannot_be_written_are_the_verdict_of_no_trial(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.write_text("no folder", encoding="utf-8")
    with pytest.raises(OwnError, match=r"cannot write .*b1-001-server\.log: Not a directory"):
        run_trials([TRIAL], logs, None, lambda _: None)
