"""From answers to verdicts: two a claim, and a third by arithmetic."""

from __future__ import annotations

from pathlib import Path

import pytest

from serverlab.analysis.results import results
from serverlab.claims import claim as declared
from serverlab.claims.answer import Answer
from serverlab.claims.claim import Arm, Cause, Claim
from serverlab.claims.evidence import Evidence, Side
from serverlab.claims.excerpt import Excerpt
from serverlab.claims.law import Law
from serverlab.claims.needs import FOUR_CPUS, ONE_CPU, Needs, Place
from serverlab.claims.outcome import Circumstances, Outcome, outcomes
from serverlab.claims.predicates import compare
from serverlab.claims.ratios import Ratios
from serverlab.claims.region import above, below, within
from serverlab.claims.straight import Straight
from serverlab.claims.verdict import Arithmetic, CauseVerdict, Observation
from serverlab.measures import GOODPUT, MEAN
from tests.lab.report_data import Record, write_run

RUN = Excerpt(name="run", file="run.toml", window_s=1, shortest_s=1, blocks=3)
goodput = Side(measure=GOODPUT).at(connections=64)
QUICKER = compare(goodput.at(engine="epoll-level"), goodput.at(engine="threads"), above(2))
SLOWER = compare(goodput.at(engine="epoll-level"), goodput.at(engine="threads"), below(0.5))


def arm(*asked: tuple[Ratios, Needs]) -> Arm:
    tests = (
        declared.Test(asks="Is it so?", predicate=one, excerpt=RUN, needs=needs)
        for one, needs in asked
    )
    return Arm(conditions="As they were.", tests=tuple(tests))


def judged(folder: Path, claim: Claim, *, server_cpus: int = 1) -> Outcome:
    """By a run in which `epoll-level` has 2.5 times the goodput of `threads`."""
    given = Circumstances(
        runs={"run": Evidence(shown=results(write_run(folder / "run")))},
        left_out=frozenset(),
        place=Place(server_cpus=server_cpus),
    )
    [outcome] = outcomes([claim], given)
    return outcome


def claim(
    observation: Arm | None = None, cause: Arm | None = None, arithmetic: Law | None = None
) -> Claim:
    return Claim(
        id="X1",
        section="1",
        says="It is so.",
        observation=observation,
        cause=Cause(named="The model.", suspect="A timer.", arm=cause) if cause else None,
        arithmetic=arithmetic,
        explanation="It was.",
    )


def test_an_observation_and_its_cause_are_judged_apart(tmp_path: Path) -> None:
    outcome = judged(tmp_path, claim(arm((QUICKER, ONE_CPU)), arm((SLOWER, ONE_CPU))))
    assert outcome.observation is Observation.REPRODUCED
    assert outcome.cause is CauseVerdict.REFUTED
    assert outcome.arithmetic is Arithmetic.NOT_ASKED
    assert "2.50 times" in outcome.sentence


def test_what_is_not_asked_has_no_verdict(tmp_path: Path) -> None:
    outcome = judged(tmp_path, claim(cause=arm((QUICKER, ONE_CPU))))
    assert outcome.observation is Observation.NOT_ASKED
    assert outcome.cause is CauseVerdict.BORNE_OUT


def test_a_yes_beside_what_cannot_be_tested_is_no_verdict(tmp_path: Path) -> None:
    mixed = claim(arm((QUICKER, ONE_CPU), (QUICKER, FOUR_CPUS)))
    assert judged(tmp_path / "1", mixed).observation is Observation.NOT_TESTABLE
    assert judged(tmp_path / "4", mixed, server_cpus=4).observation is Observation.REPRODUCED


def test_a_no_beside_what_cannot_be_tested_stays_a_no(tmp_path: Path) -> None:
    mixed = claim(arm((SLOWER, ONE_CPU), (QUICKER, FOUR_CPUS)))
    assert judged(tmp_path, mixed).observation is Observation.NOT_REPRODUCED


def test_what_decides_is_said_of_the_arm_that_could_be_tested(tmp_path: Path) -> None:
    waiting = Arm(conditions="As published.", cannot="It needs a stamp.")
    outcome = judged(tmp_path, claim(waiting, arm((SLOWER, ONE_CPU))))
    assert outcome.observation is Observation.NOT_TESTABLE
    assert "2.50 times" in outcome.sentence
    assert judged(tmp_path / "b", claim(waiting)).sentence == "It needs a stamp."


@pytest.mark.parametrize(
    ("value", "verdict"), [(2.0, Arithmetic.CONTRADICTED), (0.5, Arithmetic.CONSISTENT)]
)
def test_arithmetic_contradicts_what_cannot_be_true(
    value: float, verdict: Arithmetic, tmp_path: Path
) -> None:
    law = Law(
        asks="Can it be?",
        what="the figure",
        value=value,
        reference="what the law allows",
        limit=1,
        region=below(1),
    )
    outcome = judged(tmp_path, claim(arithmetic=law))
    assert outcome.arithmetic is verdict
    assert outcome.observation is Observation.NOT_ASKED


def straight(side: Side) -> Straight:
    return Straight(
        side=side.at(engine="poll"),
        factor="connections",
        levels=(1, 64, 1000),
        region=within(1.5),
    )


def bent(trial: Record) -> Record:
    """The longest mean latency is twice what a straight line would have."""
    if trial["cell"]["connections"] != 1000:
        return trial
    times = trial["load"]["latency_ns"]
    return {**trial, "load": {**trial["load"], "latency_ns": {**times, "mean": 2 * times["mean"]}}}


def test_a_line_is_straight_if_it_rises_as_much_in_its_second_half(tmp_path: Path) -> None:
    run = Evidence(shown=results(write_run(tmp_path / "run")))
    finding = straight(Side(measure=MEAN)).judge(run)
    assert finding.answer is Answer.YES
    assert "is 1.000 (0.993 to 1.007); a yes needs 0.667 to 1.50." in finding.sentence


def test_a_bent_line_is_not_straight(tmp_path: Path) -> None:
    run = Evidence(shown=results(write_run(tmp_path / "run", edit=bent)))
    assert straight(Side(measure=MEAN)).judge(run).answer is Answer.NO


def test_what_does_not_grow_has_no_slope_to_compare(tmp_path: Path) -> None:
    run = Evidence(shown=results(write_run(tmp_path / "run")))
    finding = straight(Side(measure=GOODPUT)).judge(run)
    assert finding.answer is Answer.UNDECIDED
    assert "it does not grow from level to level in block 2" in finding.sentence
