"""What a run writes lies in its folder, is there whole or not at all, and is counted once."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import msgspec
import pytest

from serverlab.environment import Environment
from serverlab.errors import LabError, UsageError
from serverlab.files import write_whole
from serverlab.running.lock import locked
from serverlab.running.store import RunFolder
from tests.lab.running.test_store import PLAN, TRIAL, ended


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return RunFolder.create(
        tmp_path / "run", experiment="text", plan=PLAN, environment=Environment()
    )


def test_a_limit_of_file_sizes_is_no_full_disk(folder: RunFolder) -> None:
    folder.append(ended("b1-001"))
    whole = folder.trials.read_bytes()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (folder.trials.stat().st_size + 5, before[1]))
    try:
        with pytest.raises(LabError, match="File too large"):
            folder.append(ended("b1-002"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert folder.trials.read_bytes() == whole


def test_a_trial_that_is_there_twice_is_refused(folder: RunFolder) -> None:
    for trial in ("b1-001", "b1-002", "b1-001"):
        folder.append(ended(trial))
    with pytest.raises(
        UsageError, match=r"trials.jsonl: records 1 and 3 are both of trial 'b1-001'"
    ):
        folder.records()


@pytest.mark.parametrize("name", ["../../x", "/etc/x", "..", ".", "", "a/b", "a\0b", "\x1b[31m"])
def test_a_trial_whose_name_leads_out_of_the_folder_is_refused(
    name: str, folder: RunFolder
) -> None:
    trial = msgspec.structs.replace(TRIAL, trial=name)
    folder.write("plan.json", msgspec.structs.replace(PLAN, trials=[trial]))
    with pytest.raises(UsageError, match="cannot be the name of a trial") as refused:
        folder.plan()
    assert "\x1b" not in str(refused.value)


def test_a_plan_with_two_trials_of_one_name_is_refused(folder: RunFolder) -> None:
    folder.write("plan.json", msgspec.structs.replace(PLAN, trials=[TRIAL, TRIAL]))
    with pytest.raises(UsageError, match=r"plan\.json: two of its trials have the same name"):
        folder.plan()


@pytest.mark.parametrize(
    "file", ["trials.jsonl", "plan.json", "report.html", "logs", "connections"]
)
def test_nothing_is_written_through_a_link_that_leads_out(
    file: str, folder: RunFolder, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.write_text("mine", encoding="utf-8")
    path = folder.path / file
    if path.is_dir():
        path.rmdir()
    path.unlink(missing_ok=True)
    path.symlink_to(outside)
    with (
        pytest.raises(UsageError, match=f"{file} is a link to .*outside, outside of"),
        locked(folder.path, "test"),
    ):
        pass
    assert outside.read_text(encoding="utf-8") == "mine"


def test_a_folder_that_is_used_says_by_whom_and_is_free_after(folder: RunFolder) -> None:
    with (
        locked(folder.path, "serverlab run"),
        pytest.raises(UsageError, match=rf"in use by serverlab run \(pid {os.getpid()}, since "),
        locked(folder.path, "serverlab run"),
    ):
        pass
    with locked(folder.path, "serverlab run"):
        pass


def test_a_whole_file_replaces_an_old_one_or_leaves_it(tmp_path: Path) -> None:
    path = tmp_path / "page"
    write_whole(path, b"old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        with pytest.raises(LabError, match="page: File too large"):
            write_whole(path, bytes(5000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert [one.read_bytes() for one in tmp_path.iterdir()] == [b"old"]
