"""Which trials are run once more, because other work took their CPUs for a while."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from serverlab.analysis.noisy import EXTRA_MAX
from serverlab.design.catalog import Catalog
from serverlab.design.experiment import parse
from serverlab.design.plan import make_plan, with_another_block
from serverlab.load_result import Verdict
from serverlab.records import Plan, PlannedTrial, Trial
from serverlab.running.noise import judged, with_repeats
from tests.lab import report_data
from tests.lab.report.test_findings import found

TEXT = """question = "Which?"
design = "separate"
[server]
engine = ["poll", "threads"]
[load]
connections = [1, 64]
"""

TRIAL = PlannedTrial(
    trial="b2-001",
    block=2,
    order=1,
    cell={"engine": "poll"},
    engine="poll",
    service="echo",
    server_settings={},
    load_settings={},
)

cpus_busy = st.floats(min_value=0, max_value=8)


def plan(catalog: Catalog) -> Plan:
    return make_plan(parse(tomllib.loads(TEXT), name="x", text=TEXT, catalog=catalog), seed=1)


def record(
    busy: float | None, *, trial: PlannedTrial = TRIAL, verdict: str = "VALID", repeats: str = ""
) -> Trial:
    ended = trial.ended("", Verdict(verdict, ""), other_cpus_busy=busy)
    return msgspec.structs.replace(ended, repeats=repeats)


def test_a_trial_beside_much_more_other_work_than_is_usual_is_noisy() -> None:
    noisy = judged(record(0.72), [0.05, 0.3, 0.04])
    assert noisy.verdict == Verdict(
        "NOISY", "other work took 0.72 CPUs meanwhile, where 0.05 is usual"
    )
    assert judged(record(0.29), [0.05, 0.3, 0.04]).is_valid


@given(usual=st.lists(cpus_busy, min_size=3), extra=st.floats(min_value=0, max_value=EXTRA_MAX))
def test_a_machine_that_is_always_as_busy_makes_no_trial_noisy(
    usual: list[float], extra: float
) -> None:
    assert judged(record(sorted(usual)[(len(usual) - 1) // 2] + extra), usual).is_valid


@pytest.mark.parametrize(
    ("disturbed", "usual"),
    [
        pytest.param(record(2.0), [0.0, 0.0], id="too early to know what is usual"),
        pytest.param(record(None), 3 * [0.0], id="not known"),
        pytest.param(record(2.0, repeats="b1-001"), 3 * [0.0], id="already a repeat"),
        pytest.param(record(2.0, verdict="ERRORS"), 3 * [0.0], id="not valid anyway"),
    ],
)
def test_other_trials_keep_their_verdict(disturbed: Trial, usual: list[float]) -> None:
    assert judged(disturbed, usual) == disturbed


def test_a_noisy_trial_is_planned_once_more_right_behind_itself(small_catalog: Catalog) -> None:
    short = plan(small_catalog)
    second = record(1.0, trial=short.trials[1], verdict="NOISY")
    longer = with_repeats(short, [second])
    assert [trial.trial for trial in longer.trials[:4]] == [
        "b1-001",
        "b1-002",
        "b1-002-again",
        "b1-003",
    ]
    assert longer.trials[2].repeats == "b1-002"
    assert longer.trials[2].cell == short.trials[1].cell
    assert with_repeats(longer, [second]) == longer


def test_a_block_more_repeats_nothing(small_catalog: Catalog) -> None:
    short = plan(small_catalog)
    longer = with_repeats(short, [record(1.0, trial=short.trials[0], verdict="NOISY")])
    more = with_another_block(longer).trials[len(longer.trials) :]
    assert len(more) == len([one for one in short.trials if one.block == 1])
    assert not any(trial.repeats for trial in more)


def with_a_noisy_trial(folder: Path) -> Path:
    """A run, one trial of which was NOISY with very different figures, and was repeated."""
    document = json.loads((folder / "plan.json").read_text(encoding="utf-8"))
    lines = (folder / "trials.jsonl").read_text(encoding="utf-8").splitlines()
    done = [json.loads(line) for line in lines]
    place = next(place for place, one in enumerate(done) if one["trial"] == "b2-001")
    again = {"trial": "b2-001-again", "repeats": "b2-001"}
    document["trials"].insert(place + 1, document["trials"][place] | again)
    noisy = done[place] | {"verdict": {"name": "NOISY", "reason": "other work took 0.9 CPUs"}}
    noisy["load"] = noisy["load"] | {"rate": noisy["load"]["rate"] | {"goodput_per_s": 1.0}}
    done[place : place + 1] = [noisy, done[place] | again]
    report_data.write_json(folder / "plan.json", document)
    text = "".join(json.dumps(one) + "\n" for one in done)
    (folder / "trials.jsonl").write_text(text, encoding="utf-8")
    return folder


def test_a_noisy_trial_counts_for_nothing_and_the_report_says_that_it_was_repeated(
    tmp_path: Path,
) -> None:
    usual = found(report_data.write_run(tmp_path / "usual", factors={}))
    noisy = found(with_a_noisy_trial(report_data.write_run(tmp_path / "noisy", factors={})))
    assert noisy.headline == usual.headline
    assert set(noisy.caveats) - set(usual.caveats) == {
        "Because of other work one trial was run once more (b2-001: other work took 0.9 CPUs)."
    }
