"""No command shows a traceback, whatever its files hold; what it says is fit for a terminal."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from serverlab.load_result import Verdict
from serverlab.plain_text import HIDDEN
from serverlab.records import PlannedTrial, Trial
from serverlab.running import runner
from tests.lab import report_data
from tests.lab.any_input import experiments, run_folders
from tests.lab.conftest import Ended, Serverlab

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
