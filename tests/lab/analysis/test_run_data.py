"""A run's folder is read as it is: cut off, incomplete, or of another version."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from serverlab.analysis.run_data import read_run
from serverlab.errors import UsageError
from tests.lab.report_data import QUESTION, write_json, write_run


def change(path: Path, **fields: object) -> None:
    """Set fields of a JSON file."""
    write_json(path, {**json.loads(path.read_text(encoding="utf-8")), **fields})


def test_plan_machine_and_trials_are_read(tmp_path: Path) -> None:
    run = read_run(write_run(tmp_path))
    assert run.plan.question == QUESTION
    assert run.plan.twin == "poll again"
    assert run.environment.cpu == "An Exact CPU"
    assert [trial.trial for trial in run.trials] == [trial.trial for trial in run.plan.trials]


def test_a_last_line_that_was_cut_off_is_no_trial(tmp_path: Path) -> None:
    path = write_run(tmp_path) / "trials.jsonl"
    path.write_bytes(path.read_bytes()[:-100])
    assert len(read_run(tmp_path).trials) == 35


def test_a_last_line_that_only_lacks_its_end_is_none_either(tmp_path: Path) -> None:
    path = write_run(tmp_path) / "trials.jsonl"
    path.write_bytes(path.read_bytes()[:-1])
    assert len(read_run(tmp_path).trials) == 35


def test_a_damaged_line_in_the_middle_is_named(tmp_path: Path) -> None:
    path = write_run(tmp_path) / "trials.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:3], b"{half\n", *lines[3:]]))
    with pytest.raises(UsageError, match=r"trials\.jsonl, line 4: "):
        read_run(tmp_path)


def test_a_plan_of_another_schema_is_refused(tmp_path: Path) -> None:
    change(write_run(tmp_path) / "plan.json", schema=2)
    with pytest.raises(UsageError, match=r"plan\.json is of schema 2, this program reads 1"):
        read_run(tmp_path)


def test_a_trial_of_another_schema_is_refused(tmp_path: Path) -> None:
    write_run(tmp_path, edit=lambda trial: {**trial, "schema": 3})
    with pytest.raises(UsageError, match=r"trials\.jsonl is of schema 3, this program reads 1"):
        read_run(tmp_path)


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"is not a run: it has no plan\.json"):
        read_run(tmp_path)


def test_a_plan_without_a_question_is_refused_by_name(tmp_path: Path) -> None:
    write_json(tmp_path / "plan.json", {"schema": 1, "name": "echo"})
    with pytest.raises(UsageError, match=r"plan\.json: .*`question`"):
        read_run(tmp_path)


def test_a_run_that_has_just_begun_has_no_trials(tmp_path: Path) -> None:
    (write_run(tmp_path) / "trials.jsonl").unlink()
    assert read_run(tmp_path).trials == []


def test_fields_of_a_newer_program_are_ignored(tmp_path: Path) -> None:
    write_run(tmp_path, edit=lambda trial: {**trial, "moon_phase": 0.25})
    assert len(read_run(tmp_path).trials) == 36
