"""A campaign on disk: planned, killed, resumed, judged."""

from __future__ import annotations

import contextlib
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from serverlab.claims.answer import Answer
from serverlab.claims.campaign import (
    SCHEMA,
    Campaign,
    Part,
    create,
    plan_campaign,
    read,
    resumable,
)
from serverlab.claims.judge_campaign import evidence_of, judged
from serverlab.claims.outcome import Outcome
from serverlab.claims.reports.catalog import chosen_claims
from serverlab.claims.second_look import TIMES_MAX, shared_out
from serverlab.claims.site import here
from serverlab.claims.verdict import CauseVerdict, Observation
from serverlab.errors import UsageError
from serverlab.machine import machine
from serverlab.machine.native import ROOT
from tests.lab.command_line import SERVERLAB, records
from tests.lab.report_data import write_run

PART = "forum-mixes-of-three"


def command(*arguments: str | Path, cwd: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*SERVERLAB, "claims", *map(str, arguments)],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@contextlib.contextmanager
def running(*arguments: str | Path, cwd: Path) -> Iterator[subprocess.Popen[str]]:
    """A campaign that is killed at the end, whatever happens."""
    with command(*arguments, cwd=cwd) as process:
        try:
            yield process
        finally:
            process.kill()


def done(*arguments: str | Path, cwd: Path) -> tuple[int, str, str]:
    with command(*arguments, cwd=cwd) as process:
        said, complained = process.communicate(timeout=100)
        return process.returncode, said, complained


def outcomes_of(folder: Path, planned: Campaign) -> list[Outcome]:
    return judged(planned, evidence_of(folder, planned))


def small_campaign(claims: list[str], **changes: Any) -> Campaign:  # noqa: ANN401 - its fields
    """Two blocks of 200 ms of two cells, for the claims' one run."""
    made = Campaign(
        schema=SCHEMA,
        claims=claims,
        budget_s=None,
        seed=1,
        cpu=machine.cpu_model(),
        server_cpus=here().server_cpus,
        parts=[Part(name=PART, blocks=2, window_s=0.3, seconds=5)],
        left_out=[],
        given={},
    )
    return msgspec.structs.replace(made, **changes)


def test_a_killed_campaign_goes_on_and_repeats_no_trial(tmp_path: Path) -> None:
    folder = tmp_path / "campaign"
    create(folder, small_campaign(["F4", "T12"]))
    with running("--resume", folder, cwd=tmp_path) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if "b1-001" in line:
                break
    kept = records(folder / PART)
    assert 1 <= len(kept) < 4
    status, said, complained = done("--resume", folder, cwd=tmp_path)
    assert status == 0, complained
    assert f"page: {folder}/claims.html" in said
    names = [trial["trial"] for trial in records(folder / PART)]
    assert records(folder / PART)[: len(kept)] == kept
    assert len(names) == len(set(names)) == 4
    data = msgspec.json.decode((folder / "claims.json").read_bytes())
    arithmetic = {claim["id"]: claim["arithmetic"]["verdict"] for claim in data["claims"]}
    assert arithmetic == {"T12": "consistent", "F4": "not asked"}
    status, said, _ = done("--resume", folder, cwd=tmp_path)
    assert status == 0
    assert len(records(folder / PART)) == 4


def test_what_is_undecided_gets_the_rest_of_the_budget_once(tmp_path: Path) -> None:
    folder = tmp_path / "campaign"
    create(folder, small_campaign(["F4"], budget_s=60.0))
    status, said, complained = done("--resume", folder, cwd=tmp_path)
    assert status == 0, complained
    [part] = read(folder).parts
    blocks = {trial["block"] for trial in records(folder / PART)}
    assert len(blocks) == part.blocks + part.more
    assert ("the rest of the budget buys blocks" in " ".join(said.split())) == (part.more > 0)
    status, said, _ = done("--resume", folder, cwd=tmp_path)
    assert status == 0
    assert "the rest" not in said
    assert {trial["block"] for trial in records(folder / PART)} == blocks


@given(
    costs=st.lists(st.tuples(st.integers(1, 9), st.floats(0.5, 500)), max_size=6),
    left_s=st.floats(-100, 5000),
)
def test_more_blocks_cost_no_more_than_there_is_and_are_shared_evenly(
    costs: list[tuple[int, float]], left_s: float
) -> None:
    parts = [
        Part(name=str(number), blocks=blocks, window_s=1, seconds=blocks * block_s)
        for number, (blocks, block_s) in enumerate(costs)
    ]
    more = shared_out(parts, left_s)
    spent_s = sum(more[one.name] * one.seconds / one.blocks for one in parts)
    assert spent_s <= max(0, left_s) * (1 + 1e-9)
    for one in parts:
        assert more[one.name] <= (TIMES_MAX - 1) * one.blocks
        # It has no more of its blocks again than another one, but for the last that it got.
        for other in parts:
            affordable = other.seconds / other.blocks <= left_s - spent_s
            if affordable and more[other.name] < (TIMES_MAX - 1) * other.blocks:
                assert more[one.name] - 1 <= more[other.name] / other.blocks * one.blocks + 1


def test_arithmetic_alone_needs_no_run(tmp_path: Path) -> None:
    status, said, complained = done("--only", "T12,B8", "--out", tmp_path / "c", cwd=tmp_path)
    assert status == 0, complained
    assert "2 claims, 0 runs" in said
    assert "contradicted by arithmetic: B8" in said
    page = (tmp_path / "c" / "claims.html").read_text(encoding="utf-8")
    assert 'id="T12"' in page
    assert 'id="T11"' not in page


def test_a_budget_says_before_it_begins_what_it_cannot_afford(tmp_path: Path) -> None:
    status, said, complained = done(
        "--only", "B4", "--budget", "10s", "--out", tmp_path / "c", cwd=tmp_path
    )
    assert status == 0, complained
    assert "the budget is too small for bucket-delays: B4" in said
    data = msgspec.json.decode((tmp_path / "c" / "claims.json").read_bytes())
    [claim] = data["claims"]
    assert claim["observation"]["verdict"] == "undecided here"
    assert "Budget too small" in claim["observation"]["tests"][0]["sentence"]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--only", "X1"], "there is no claim X1"),
        (["--resume", "nowhere"], "nowhere is not a campaign"),
        (["--resume", "nowhere", "--budget", "1m"], "--resume continues"),
        (["--budget", "soon"], "'soon' is not a duration"),
        (["nowhere"], "nowhere is not a run: give the folder of a run"),
        ([__file__], "is not a run: give the folder of a run"),
    ],
)
def test_bad_usage_is_one_sentence_and_status_2(
    arguments: list[str], complaint: str, tmp_path: Path
) -> None:
    status, _, complained = done(*arguments, cwd=tmp_path)
    assert status == 2
    assert complaint in complained
    assert "Traceback" not in complained


def test_a_campaign_of_another_machine_does_not_go_on(tmp_path: Path) -> None:
    create(tmp_path / "c", small_campaign(["F4"], cpu="Another CPU"))
    with pytest.raises(UsageError, match="begun on another machine"):
        resumable(tmp_path / "c")


def test_a_campaign_of_another_schema_is_refused(tmp_path: Path) -> None:
    create(tmp_path / "c", small_campaign(["F4"], schema=1))
    with pytest.raises(UsageError, match="of schema 1, this program reads 2"):
        read(tmp_path / "c")


def test_no_campaign_is_begun_over_another(tmp_path: Path) -> None:
    create(tmp_path / "c", small_campaign(["F4"]))
    with pytest.raises(UsageError, match="--resume"):
        create(tmp_path / "c", small_campaign(["F4"]))


MIXES = "experiments/forum/mixes-of-three.toml"


def run_of(experiment: str, folder: Path, **factors: list[int]) -> Path:
    """A run with an experiment's text and these levels."""
    named = {name.replace("_", "-"): levels for name, levels in factors.items()}
    path = write_run(folder, speeds={"threads": 1.0}, factors=named, baseline="threads", twin=None)
    environment = msgspec.json.encode({"schema": 1, "cpu": machine.cpu_model()})
    (path / "environment.json").write_bytes(environment)
    (path / "experiment.toml").write_text(
        (ROOT / experiment).read_text(encoding="utf-8"), encoding="utf-8"
    )
    return path


def test_a_run_that_is_there_is_not_run_again(tmp_path: Path) -> None:
    path = run_of(MIXES, tmp_path / "run", forum_posters=[1, 2])
    planned = plan_campaign(chosen_claims(["F4"]), budget_s=None, seed=1, given=[path])
    assert planned.given == {PART: str(path)}
    assert [part.name for part in planned.parts] == ["forum-mixes-of-four"]
    create(tmp_path / "c", planned)
    [outcome] = outcomes_of(tmp_path / "c", planned)
    assert outcome.observed is not None
    three, four = outcome.observed.tests
    assert three.finding.answer is Answer.YES
    assert "Not run yet" in four.finding.sentence
    assert outcome.observation is Observation.UNDECIDED


def test_a_run_of_another_machine_is_refused(tmp_path: Path) -> None:
    path = write_run(tmp_path / "run")
    with pytest.raises(UsageError, match=r"of another machine \(An Exact CPU\)"):
        plan_campaign(chosen_claims(["F4"]), budget_s=None, seed=1, given=[path])


@pytest.mark.parametrize("posters", [[1], [1, 3]])
def test_a_run_without_the_levels_that_claims_read_is_refused(
    posters: list[int], tmp_path: Path
) -> None:
    path = run_of(MIXES, tmp_path / "run", forum_posters=posters)
    with pytest.raises(UsageError, match="has no results that these claims read"):
        plan_campaign(chosen_claims(["F4"]), budget_s=None, seed=1, given=[path])


def test_what_the_machine_is_too_small_for_cannot_be_tested(tmp_path: Path) -> None:
    planned = small_campaign(["B1"], server_cpus=1, parts=[])
    create(tmp_path / "c", planned)
    [outcome] = outcomes_of(tmp_path / "c", planned)
    assert outcome.observation is Observation.NOT_TESTABLE
    assert outcome.sentence == ("It needs four CPUs for the server alone; here the server has one.")


@pytest.mark.parametrize("server_cpus", [1, 2, 3])
def test_below_four_cpus_nothing_of_several_threads_gets_a_verdict(
    server_cpus: int, tmp_path: Path
) -> None:
    parallel = ["T3", "T5", "T6", "T7", "T8", "T10", "T16", "T18", "F3", "F7", "F8", "C7", "K5"]
    planned = small_campaign([*parallel, "B1"], server_cpus=server_cpus, parts=[])
    create(tmp_path / "c", planned)
    for outcome in outcomes_of(tmp_path / "c", planned):
        assert outcome.observation in {Observation.NOT_TESTABLE, Observation.NOT_ASKED}
        assert outcome.cause in {CauseVerdict.NOT_TESTABLE, CauseVerdict.NOT_ASKED}


@pytest.mark.parametrize("page", ["README.md", "docs/claims.md"])
def test_a_documented_budget_leaves_no_claim_out(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    commands = re.findall(r"serverlab claims --only=(\S+) --budget=(\d+)m", text)
    assert commands
    for only, minutes in commands:
        planned = plan_campaign(
            chosen_claims(only.split(",")), budget_s=60 * int(minutes), seed=1, given=[]
        )
        assert planned.left_out == []
