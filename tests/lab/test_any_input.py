"""No command shows a traceback, whatever its files hold; what it says is fit for a terminal."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from serverlab.analysis.run_data import read_run
from serverlab.environment import Environment
from serverlab.errors import UsageError
from serverlab.load_result import Verdict
from serverlab.plain_text import HIDDEN
from serverlab.records import PlannedTrial, Trial
from serverlab.running import runner
from tests.lab import report_data
from tests.lab.any_input import RIGHT, as_json, experiments, run_folders, toml
from tests.lab.conftest import Ended, Serverlab
from tests.lab.each_field import mutants

DOCUMENTED = {0, 1, 2}
few = settings(
    derandomize=True,
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    """A folder for one example."""
    with tempfile.TemporaryDirectory() as path:
        yield Path(path)


@pytest.fixture
def unmeasured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in for the programs: every trial fails at once."""

    def failed(trials: list[PlannedTrial], *_: object) -> list[Trial]:
        return [trial.ended("", Verdict("FAILED", "nothing is measured here")) for trial in trials]

    monkeypatch.setattr(runner, "run_trials", failed)


def expect_a_sentence(ended: Ended) -> None:
    """Documented statuses, nothing that a terminal would obey; a failure says why."""
    assert ended.returncode in DOCUMENTED, ended.stderr
    assert "Traceback" not in ended.stderr
    assert not HIDDEN.search(ended.stdout + ended.stderr)
    if ended.returncode == 2:
        assert ended.stderr.startswith("serverlab: ")


@few
@given(content=experiments)
def test_any_experiment_is_planned_or_refused(serverlab: Serverlab, content: bytes) -> None:
    with folder() as path:
        (path / "any.toml").write_bytes(content)
        expect_a_sentence(serverlab("plan", str(path / "any.toml")))


@settings(few, max_examples=15)
@given(content=experiments)
@pytest.mark.usefixtures("unmeasured")
def test_any_experiment_is_run_or_refused(serverlab: Serverlab, content: bytes) -> None:
    with folder() as path:
        (path / "any.toml").write_bytes(content)
        expect_a_sentence(serverlab("run", str(path / "any.toml"), f"--out={path / 'run'}"))


@few
@given(data=st.data())
def test_any_run_is_compared_or_refused(serverlab: Serverlab, data: st.DataObject) -> None:
    with folder() as path:
        data.draw(run_folders(path / "any"))
        report_data.write_run(path / "right")
        expect_a_sentence(serverlab("compare", str(path / "any"), str(path / "right")))


@settings(few, max_examples=15)
@given(data=st.data())
def test_any_run_has_a_report_or_is_refused(serverlab: Serverlab, data: st.DataObject) -> None:
    with folder() as path:
        data.draw(run_folders(path))
        expect_a_sentence(serverlab("report", str(path)))


@settings(few, max_examples=15)
@given(data=st.data())
@pytest.mark.usefixtures("unmeasured")
def test_any_run_goes_on_or_is_refused(serverlab: Serverlab, data: st.DataObject) -> None:
    with folder() as path:
        data.draw(run_folders(path))
        expect_a_sentence(serverlab("run", f"--resume={path}"))


EDITS = {"alone": lambda trial: trial, "in turns": report_data.in_turns}
TOGETHER = 40  # changed trials in one run: a report takes long


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_each_field_of_a_trial_may_have_any_value(
    serverlab: Serverlab, tmp_path: Path, edit: report_data.Edit
) -> None:
    run = two_engines(tmp_path / "run", TOGETHER // 2, edit)
    path = run / "trials.jsonl"
    lines = path.read_text("utf-8").splitlines()
    with_second = [with_a_second(json.loads(line)) for line in lines]
    taken = []
    for change, mutant in mutants(with_second[0]):
        path.write_text(as_json(mutant) + "\n", encoding="utf-8")
        if is_read(run, change):
            taken.append(mutant)
    assert len(taken) > 100
    for begin in range(0, len(taken), TOGETHER):
        # Each has a place of its own, so that no two of them are of one trial.
        batch = [
            {**mutant, **{name: usual[name] for name in ("trial", "block", "order", "cell")}}
            for mutant, usual in zip(taken[begin : begin + TOGETHER], with_second, strict=False)
        ]
        path.write_text("".join(as_json(one) + "\n" for one in batch), encoding="utf-8")
        ended = serverlab("report", str(run), "--json")
        expect_a_sentence(ended)
        if ended.returncode == 0:
            continue
        for one in batch:  # one that is refused may hide others
            path.write_text(as_json(one) + "\n", encoding="utf-8")
            expect_a_sentence(serverlab("compare", str(run), str(run)))


def with_a_second(trial: report_data.Record) -> report_data.Record:
    """The same trial with an entry in each list that has none."""
    load, server = trial["load"], trial["server"]
    second = {"t_s": 1.0, "duration_s": 1.0, "completed": 9, "errors": 0, "mean_ns": 5.0,
              "p50_ns": 5, "p99_ns": 9, "established": 8}  # fmt: skip
    sample = {"t_s": 0.1, "cpu_s": 0.1, "rss_bytes": 2**20, "threads": 1, "descriptors": 9}
    return {
        **trial,
        "load": {**load, "series": load["series"] or [second]},
        "server": {**server, "samples": [sample]},
    }


def two_engines(folder: Path, blocks: int, edit: report_data.Edit = lambda trial: trial) -> Path:
    """The folder of a run."""
    return report_data.write_run(
        folder,
        speeds={"poll": 1.0, "threads": 0.5},
        twin=None,
        blocks=blocks,
        factors={"connections": [64]},
        edit=edit,
    )


def is_read(run: Path, change: str) -> bool:
    """Whether a run can be read; if not, a sentence says why."""
    try:
        read_run(run)
    except UsageError as error:
        expect_a_sentence(Ended(returncode=error.status, stdout="", stderr=f"serverlab: {error}"))
        return False
    except Exception as error:  # noqa: BLE001 - the change is named
        pytest.fail(f"{change}: {error!r}")
    return True


@pytest.mark.parametrize("part", ["trials.0.", "contrast", "factors", ""])
@pytest.mark.usefixtures("unmeasured")
def test_each_field_of_a_plan_may_have_any_value(
    serverlab: Serverlab, tmp_path: Path, part: str
) -> None:
    run = two_engines(tmp_path / "run", 2)
    path, trials = run / "plan.json", run / "trials.jsonl"
    right = json.loads(path.read_text("utf-8"))
    right |= {"precision": {"p99": 0.03}, "blocks_max": 3, "time_max_s": 60.0, "design": "separate",
              "contrast": {"by": ["p99"], "between": ["engine"], "baseline": "poll"},
              "family": {"threads": {"neighbour": "poll", "difference": "threads"}},
              "generators": 0, "server_node": {"CPU": 1.0}}  # fmt: skip
    before = trials.read_bytes()
    parts = [name for name in ("trials.0.", "contrast", "factors") if name != part]
    for change, mutant in mutants(right):
        if not change.startswith(part) or (not part and change.startswith(tuple(parts))):
            continue
        path.write_text(as_json(mutant), encoding="utf-8")
        trials.write_bytes(before)
        if is_read(run, change):
            expect_a_sentence(serverlab("compare", str(run), str(run)))
            expect_a_sentence(serverlab("run", f"--resume={run}"))


def test_each_field_of_a_machine_may_have_any_value(serverlab: Serverlab, tmp_path: Path) -> None:
    run, other = two_engines(tmp_path / "run", 2), two_engines(tmp_path / "other", 2)
    path = run / "environment.json"
    right = msgspec.to_builtins(Environment(schema=1, sysctls={"net.core.somaxconn": "4096"}))
    for change, mutant in mutants({**right, "warnings": ["none"]}):
        path.write_text(as_json(mutant), encoding="utf-8")
        if is_read(run, change):
            expect_a_sentence(serverlab("compare", str(run), str(other)))


def test_each_field_of_an_experiment_may_have_any_value(
    serverlab: Serverlab, tmp_path: Path
) -> None:
    path = tmp_path / "any.toml"
    for _, mutant in mutants(RIGHT):
        path.write_text(toml(mutant), encoding="utf-8")
        expect_a_sentence(serverlab("plan", str(path)))
