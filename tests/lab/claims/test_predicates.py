"""Each predicate against runs of which the truth is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from serverlab.analysis.results import results
from serverlab.claims.evidence import Evidence, Side
from serverlab.claims.holds import Holds
from serverlab.claims.measures import LITTLE
from serverlab.claims.predicates import (
    alike,
    all_of,
    compare,
    differs,
    falls,
    grows,
    least,
    most,
    proportional,
    unmoved,
)
from serverlab.claims.ratios import Ratios
from serverlab.claims.region import above, below, within
from serverlab.claims.verdict import Verdict
from serverlab.measures import GOODPUT, MEAN, SERVER_CPU, answered_of
from serverlab.notation import NARROW_SPACE
from tests.lab import report_data
from tests.lab.report_data import Edit, Record, write_run

REPRODUCED, CONTRADICTED, UNDECIDED = (
    Verdict.REPRODUCED, Verdict.CONTRADICTED, Verdict.UNDECIDED
)  # fmt: skip
goodput, mean = Side(measure=GOODPUT), Side(measure=MEAN)
THREE = ("poll", "threads", "epoll-level")


def evidence(folder: Path, edit: Edit = lambda trial: trial, *, blocks: int = 3) -> Evidence:
    """A run in which `epoll-level` gives 1.25 and `threads` 0.5 times what `poll` does."""
    return Evidence(shown=results(write_run(folder / "run", edit=edit, blocks=blocks)))


def with_goodput(trial: Record, factor: float) -> Record:
    rate = {name: factor * value for name, value in trial["load"]["rate"].items()}
    return {**trial, "load": {**trial["load"], "rate": rate}}


def noisy(trial: Record) -> Record:
    """In one block an engine is best, in another it is worst."""
    if trial["cell"]["engine"] != "poll":
        return trial
    return with_goodput(trial, {1: 0.2, 2: 1.0, 3: 5.0}[trial["block"]])


@pytest.mark.parametrize(
    ("asked", "verdict"),
    [
        (most(goodput.at(connections=64), "epoll-level", THREE), REPRODUCED),
        (most(goodput.at(connections=64), "threads", THREE), CONTRADICTED),
        (most(goodput.at(connections=64), "poll", ("epoll-level",)), CONTRADICTED),
        (least(goodput.at(connections=64), "threads", THREE), REPRODUCED),
        (least(goodput.at(connections=64), "poll", THREE), CONTRADICTED),
        (least(mean.at(connections=64), "epoll-level", THREE), REPRODUCED),
        (alike(goodput.at(connections=64), "poll", ("epoll-level",), factor=1.4), REPRODUCED),
        (alike(goodput.at(connections=64), "poll", THREE, factor=1.4), CONTRADICTED),
        (
            differs(
                goodput.at(connections=64, engine="poll"),
                goodput.at(connections=64, engine="threads"),
            ),
            REPRODUCED,
        ),
        (
            differs(
                goodput.at(connections=64, engine="poll"),
                goodput.at(connections=64, engine="poll again"),
                band=1.1,
            ),
            CONTRADICTED,
        ),
        (grows(mean.at(engine="poll"), "connections", (1, 64, 1000)), REPRODUCED),
        (falls(mean.at(engine="poll"), "connections", (1, 64, 1000)), CONTRADICTED),
        (unmoved(goodput.at(engine="poll"), "connections", (1, 64), band=1.1), REPRODUCED),
        (unmoved(mean.at(engine="poll"), "connections", (1, 64), band=1.1), CONTRADICTED),
        (proportional(mean.at(engine="poll"), "connections", (1, 1000), band=1.1), REPRODUCED),
        (proportional(goodput.at(engine="poll"), "connections", (1, 1000), band=1.1), CONTRADICTED),
        (
            compare(
                Side(measure=LITTLE).at(engine="poll", connections=64), 1.0, within(1.05)
            ),
            REPRODUCED,
        ),
    ],
)  # fmt: skip
def test_a_known_truth_is_found(asked: Ratios, verdict: Verdict, tmp_path: Path) -> None:
    finding = asked.judge(evidence(tmp_path))
    assert finding.verdict is verdict, finding.sentence
    assert finding.sentence.endswith(".")
    assert len(finding.effects) == len(asked.comparisons)


@pytest.mark.parametrize(
    "asked",
    [
        most(goodput.at(connections=64), "poll", ("threads",)),
        least(goodput.at(connections=64), "poll", ("epoll-level",)),
        alike(goodput.at(connections=64), "poll", ("threads",), factor=1.05),
    ],
)
def test_what_blocks_contradict_each_other_about_is_undecided(
    asked: Ratios, tmp_path: Path
) -> None:
    assert asked.judge(evidence(tmp_path, noisy)).verdict is UNDECIDED


def test_one_contradiction_among_agreements_contradicts(tmp_path: Path) -> None:
    asked = all_of(
        most(goodput.at(connections=64), "epoll-level", THREE),
        grows(goodput.at(engine="poll"), "connections", (1, 64), by=1.5),
    )
    finding = asked.judge(evidence(tmp_path))
    assert finding.verdict is CONTRADICTED
    assert "1 of 3 comparisons contradicts what it says" in finding.sentence


def unsteady(trial: Record) -> Record:
    """From block to block `epoll-level` differs by some percent."""
    if trial["cell"]["engine"] != "epoll-level":
        return trial
    return with_goodput(trial, {1: 0.95, 2: 1.0, 3: 1.05}[trial["block"]])


def at_least(factor: float) -> Ratios:
    """It is 2.5, and 2.2 to 2.8 by its interval."""
    return most(goodput.at(connections=64), "epoll-level", ("threads",), by=factor)


def test_a_ratio_that_contradicts_by_itself_may_not_among_many(tmp_path: Path) -> None:
    run = evidence(tmp_path, unsteady)
    alone, among_many = at_least(3).judge(run), at_least(3).judge(run.among(20))
    assert alone.verdict is CONTRADICTED
    assert among_many.verdict is UNDECIDED
    assert alone.effects[0].ratio == among_many.effects[0].ratio


def test_a_ratio_that_agrees_does_so_among_many(tmp_path: Path) -> None:
    assert at_least(2).judge(evidence(tmp_path, unsteady).among(20)).verdict is REPRODUCED


def test_a_sentence_tells_ratio_interval_and_what_is_needed(tmp_path: Path) -> None:
    asked = compare(
        goodput.at(connections=64, engine="epoll-level"),
        goodput.at(connections=64, engine="threads"),
        above(2),
    )
    sentence = asked.judge(evidence(tmp_path)).sentence.replace(NARROW_SPACE, " ")
    assert sentence.startswith("`epoll-level` has 2.50 times the goodput of `threads` at 64")
    assert ": medians 68 900 requests/s and 27 500 requests/s; " in sentence
    assert sentence.endswith("; the claim needs at least 2.00.")


def test_trials_that_are_not_valid_give_no_ratio(tmp_path: Path) -> None:
    def spoiled(trial: Record) -> Record:
        is_hit = trial["cell"]["engine"] == "threads"
        return report_data.invalid(trial) if is_hit else trial

    finding = most(goodput.at(connections=64), "poll", ("threads",)).judge(
        evidence(tmp_path, spoiled)
    )
    assert finding.verdict is UNDECIDED
    assert "ERRORS, 12 wrong answers" in finding.sentence


def test_a_cell_that_was_not_run_gives_no_ratio(tmp_path: Path) -> None:
    def missing(trial: Record) -> Record | None:
        return None if trial["cell"]["engine"] == "threads" else trial

    finding = most(goodput.at(connections=64), "poll", ("threads",)).judge(
        evidence(tmp_path, missing)
    )
    assert finding.verdict is UNDECIDED
    assert "no trial has been run" in finding.sentence


def test_one_block_decides_nothing(tmp_path: Path) -> None:
    asked = most(goodput.at(connections=64), "epoll-level", ("threads",))
    assert asked.judge(evidence(tmp_path, blocks=1)).verdict is UNDECIDED


def test_slices_are_compared_where_servers_took_turns(tmp_path: Path) -> None:
    asked = most(goodput.at(connections=64), "epoll-level", ("threads",))
    finding = asked.judge(evidence(tmp_path, report_data.in_turns))
    assert finding.verdict is REPRODUCED
    [effect] = finding.effects
    assert effect.ratio is not None
    assert effect.ratio.pairs > 3


def test_an_interval_is_widened_by_what_the_twin_differs_by(tmp_path: Path) -> None:
    def apart(trial: Record) -> Record:
        return with_goodput(trial, 2) if trial["cell"]["engine"] == "poll again" else trial

    asked = most(goodput.at(connections=64), "epoll-level", ("poll",))
    assert asked.judge(evidence(tmp_path / "a")).verdict is REPRODUCED
    assert asked.judge(evidence(tmp_path / "b", apart)).verdict is UNDECIDED


def generator_bound(*engines: str) -> Edit:
    def bound(trial: Record) -> Record:
        is_bound = trial["cell"]["engine"] in engines
        return {**trial, "saturated": "generator"} if is_bound else trial

    return bound


def test_what_the_generator_hides_is_asked_of_the_cpu(tmp_path: Path) -> None:
    asked = least(goodput.at(connections=64), "epoll-level", ("threads",))
    finding = asked.judge(evidence(tmp_path, generator_bound("epoll-level", "threads")))
    assert finding.verdict is CONTRADICTED
    assert "server CPU per request" in finding.sentence


def test_a_goodput_that_is_hidden_still_counts_as_a_least(tmp_path: Path) -> None:
    asked = most(goodput.at(connections=64), "epoll-level", ("threads",))
    finding = asked.judge(evidence(tmp_path, generator_bound("epoll-level")))
    assert finding.verdict is REPRODUCED
    [effect] = finding.effects
    assert effect.ratio is not None
    assert effect.ratio.high == float("inf")
    assert "goodput" in finding.sentence


def test_requests_of_two_classes_are_compared_within_a_trial(tmp_path: Path) -> None:
    def classes(trial: Record) -> Record:
        both = {"post": report_data.times(1e6), "read": report_data.times(1e6)}
        both["read"] = {**both["read"], "count": both["read"]["count"] // 2}
        return {**trial, "load": {**trial["load"], "classes": both}}

    over, under = (
        Side(measure=answered_of(name)).at(engine="poll", connections=64)
        for name in ("read", "post")
    )
    run = evidence(tmp_path, classes)
    assert compare(over, under, below(0.6)).judge(run).verdict is REPRODUCED
    assert compare(over, under, above(0.9)).judge(run).verdict is CONTRADICTED


def held(engine: str, *, is_held: bool = True) -> Holds:
    return Holds(checked=(goodput.at(engine=engine, connections=1000),), is_held=is_held)


def test_connections_that_were_open_are_held(tmp_path: Path) -> None:
    run = evidence(tmp_path)
    assert held("poll").judge(run).verdict is REPRODUCED
    assert held("poll", is_held=False).judge(run).verdict is CONTRADICTED


def test_connections_that_were_not_open_are_not_held(tmp_path: Path) -> None:
    def short(trial: Record) -> Record:
        return report_data.invalid(trial, "SHORT", "990 of 1000 connections were open")

    run = evidence(tmp_path, short)
    assert held("poll").judge(run).verdict is CONTRADICTED
    finding = held("poll", is_held=False).judge(run)
    assert finding.verdict is REPRODUCED
    assert "990 of 1000" in finding.sentence


def test_what_could_not_be_offered_says_nothing_about_connections(tmp_path: Path) -> None:
    def refused(trial: Record) -> Record:
        return report_data.failed(trial, "NOT-OFFERED", "too few descriptors")

    assert held("poll").judge(evidence(tmp_path, refused)).verdict is UNDECIDED


def test_levels_that_name_several_cells_are_a_programmers_error(tmp_path: Path) -> None:
    asked = compare(
        Side(measure=SERVER_CPU).at(engine="poll"),
        Side(measure=SERVER_CPU).at(engine="threads"),
        above(1),
    )
    with pytest.raises(ValueError, match="name 3 cells"):
        asked.judge(evidence(tmp_path))
