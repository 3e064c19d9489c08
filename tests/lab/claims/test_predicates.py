"""Each predicate against runs of which the truth is known."""

from __future__ import annotations

from pathlib import Path

import polars
import pytest

from serverlab.analysis.results import results
from serverlab.claims.answer import Answer
from serverlab.claims.early import Early
from serverlab.claims.evidence import Evidence, Side
from serverlab.claims.holds import Holds
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
from serverlab.measures import GOODPUT, MEAN, SERVER_CPU, answered_of
from serverlab.notation import NARROW_SPACE
from tests.lab import report_data
from tests.lab.report_data import Edit, Record, write_run

YES, NO, UNDECIDED = (
    Answer.YES, Answer.NO, Answer.UNDECIDED
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
    ("asked", "answer"),
    [
        (most(goodput.at(connections=64), "epoll-level", THREE), YES),
        (most(goodput.at(connections=64), "threads", THREE), NO),
        (most(goodput.at(connections=64), "poll", ("epoll-level",)), NO),
        (least(goodput.at(connections=64), "threads", THREE), YES),
        (least(goodput.at(connections=64), "poll", THREE), NO),
        (least(mean.at(connections=64), "epoll-level", THREE), YES),
        (alike(goodput.at(connections=64), "poll", ("epoll-level",), factor=1.4), YES),
        (alike(goodput.at(connections=64), "poll", THREE, factor=1.4), NO),
        (
            differs(
                goodput.at(connections=64, engine="poll"),
                goodput.at(connections=64, engine="threads"),
            ),
            YES,
        ),
        (
            differs(
                goodput.at(connections=64, engine="poll"),
                goodput.at(connections=64, engine="poll again"),
                band=1.1,
            ),
            NO,
        ),
        (grows(mean.at(engine="poll"), "connections", (1, 64, 1000)), YES),
        (falls(mean.at(engine="poll"), "connections", (1, 64, 1000)), NO),
        (unmoved(goodput.at(engine="poll"), "connections", (1, 64), band=1.1), YES),
        (unmoved(mean.at(engine="poll"), "connections", (1, 64), band=1.1), NO),
        (proportional(mean.at(engine="poll"), "connections", (1, 1000), band=1.1), YES),
        (proportional(goodput.at(engine="poll"), "connections", (1, 1000), band=1.1), NO),
        (
            compare(
                goodput.at(engine="poll", connections=64), 55_000, within(1.25)
            ),
            YES,
        ),
    ],
)  # fmt: skip
def test_a_known_truth_is_found(asked: Ratios, answer: Answer, tmp_path: Path) -> None:
    finding = asked.judge(evidence(tmp_path))
    assert finding.answer is answer, finding.sentence
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
    assert asked.judge(evidence(tmp_path, noisy)).answer is UNDECIDED


def test_one_no_among_yeses_is_a_no(tmp_path: Path) -> None:
    asked = all_of(
        most(goodput.at(connections=64), "epoll-level", THREE),
        grows(goodput.at(engine="poll"), "connections", (1, 64), by=1.5),
    )
    finding = asked.judge(evidence(tmp_path))
    assert finding.answer is NO
    assert "1 of 3 comparisons says no" in finding.sentence


def unsteady(trial: Record) -> Record:
    """From block to block `epoll-level` differs by some percent."""
    if trial["cell"]["engine"] != "epoll-level":
        return trial
    return with_goodput(trial, {1: 0.95, 2: 1.0, 3: 1.05}[trial["block"]])


def at_least(factor: float) -> Ratios:
    """It is 2.5, and 2.2 to 2.8 by its interval."""
    return most(goodput.at(connections=64), "epoll-level", ("threads",), by=factor)


def test_a_ratio_that_says_no_by_itself_may_not_among_many(tmp_path: Path) -> None:
    run = evidence(tmp_path, unsteady)
    alone, among_many = at_least(3).judge(run), at_least(3).judge(run.among(20))
    assert alone.answer is NO
    assert among_many.answer is UNDECIDED
    assert alone.effects[0].ratio == among_many.effects[0].ratio


def test_a_ratio_that_agrees_does_so_among_many(tmp_path: Path) -> None:
    assert at_least(2).judge(evidence(tmp_path, unsteady).among(20)).answer is YES


def test_a_sentence_tells_ratio_interval_and_what_is_needed(tmp_path: Path) -> None:
    asked = compare(
        goodput.at(connections=64, engine="epoll-level"),
        goodput.at(connections=64, engine="threads"),
        above(2),
    )
    sentence = asked.judge(evidence(tmp_path)).sentence.replace(NARROW_SPACE, " ")
    assert sentence.startswith("`epoll-level` has 2.50 times the goodput of `threads` at 64")
    assert ": medians 68 900 requests/s and 27 500 requests/s; " in sentence
    assert sentence.endswith("; a yes needs at least 2.00.")


def test_trials_that_are_not_valid_give_no_ratio(tmp_path: Path) -> None:
    def spoiled(trial: Record) -> Record:
        is_hit = trial["cell"]["engine"] == "threads"
        return report_data.invalid(trial) if is_hit else trial

    finding = most(goodput.at(connections=64), "poll", ("threads",)).judge(
        evidence(tmp_path, spoiled)
    )
    assert finding.answer is UNDECIDED
    assert "ERRORS, 12 wrong answers" in finding.sentence


def test_a_cell_that_was_not_run_gives_no_ratio(tmp_path: Path) -> None:
    def missing(trial: Record) -> Record | None:
        return None if trial["cell"]["engine"] == "threads" else trial

    finding = most(goodput.at(connections=64), "poll", ("threads",)).judge(
        evidence(tmp_path, missing)
    )
    assert finding.answer is UNDECIDED
    assert "no trial has been run" in finding.sentence


def test_one_block_decides_nothing(tmp_path: Path) -> None:
    asked = most(goodput.at(connections=64), "epoll-level", ("threads",))
    assert asked.judge(evidence(tmp_path, blocks=1)).answer is UNDECIDED


def test_slices_are_compared_where_servers_took_turns(tmp_path: Path) -> None:
    asked = most(goodput.at(connections=64), "epoll-level", ("threads",))
    finding = asked.judge(evidence(tmp_path, report_data.in_turns))
    assert finding.answer is YES
    [effect] = finding.effects
    assert effect.ratio is not None
    assert effect.ratio.pairs > 3


def test_an_interval_is_widened_by_what_the_twin_differs_by(tmp_path: Path) -> None:
    def apart(trial: Record) -> Record:
        return with_goodput(trial, 2) if trial["cell"]["engine"] == "poll again" else trial

    asked = most(goodput.at(connections=64), "epoll-level", ("poll",))
    assert asked.judge(evidence(tmp_path / "a")).answer is YES
    assert asked.judge(evidence(tmp_path / "b", apart)).answer is UNDECIDED


def generator_bound(*engines: str) -> Edit:
    def bound(trial: Record) -> Record:
        is_bound = trial["cell"]["engine"] in engines
        return {**trial, "saturated": "generator"} if is_bound else trial

    return bound


def test_what_the_generator_hides_is_asked_of_the_cpu(tmp_path: Path) -> None:
    asked = least(goodput.at(connections=64), "epoll-level", ("threads",))
    finding = asked.judge(evidence(tmp_path, generator_bound("epoll-level", "threads")))
    assert finding.answer is NO
    assert "server CPU per request" in finding.sentence


def test_a_goodput_that_is_hidden_still_counts_as_a_least(tmp_path: Path) -> None:
    asked = most(goodput.at(connections=64), "epoll-level", ("threads",))
    finding = asked.judge(evidence(tmp_path, generator_bound("epoll-level")))
    assert finding.answer is YES
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
    assert compare(over, under, below(0.6)).judge(run).answer is YES
    assert compare(over, under, above(0.9)).judge(run).answer is NO


def held(engine: str, *, is_held: bool = True) -> Holds:
    return Holds(checked=(goodput.at(engine=engine, connections=1000),), is_held=is_held)


def test_connections_that_were_open_are_held(tmp_path: Path) -> None:
    run = evidence(tmp_path)
    assert held("poll").judge(run).answer is YES
    assert held("poll", is_held=False).judge(run).answer is NO


def test_connections_that_were_not_open_are_not_held(tmp_path: Path) -> None:
    def short(trial: Record) -> Record:
        return report_data.invalid(trial, "SHORT", "990 of 1000 connections were open")

    run = evidence(tmp_path, short)
    assert held("poll").judge(run).answer is NO
    finding = held("poll", is_held=False).judge(run)
    assert finding.answer is YES
    assert "990 of 1000" in finding.sentence


def test_connections_that_wait_are_held(tmp_path: Path) -> None:
    def starved(trial: Record) -> Record:
        return report_data.invalid(trial, "STARVED", "12 of 1000 connections had no reply")

    finding = held("poll").judge(evidence(tmp_path, starved))
    assert finding.answer is YES
    assert "all were open, 12 of 1000 connections had no reply" in finding.sentence


def test_what_could_not_be_offered_says_nothing_about_connections(tmp_path: Path) -> None:
    def refused(trial: Record) -> Record:
        return report_data.failed(trial, "NOT-OFFERED", "too few descriptors")

    assert held("poll").judge(evidence(tmp_path, refused)).answer is UNDECIDED


def test_levels_that_name_several_cells_are_a_programmers_error(tmp_path: Path) -> None:
    asked = compare(
        Side(measure=SERVER_CPU).at(engine="poll"),
        Side(measure=SERVER_CPU).at(engine="threads"),
        above(1),
    )
    with pytest.raises(ValueError, match="name 3 cells"):
        asked.judge(evidence(tmp_path))


def test_who_was_connected_first_is_found_by_the_log(tmp_path: Path) -> None:
    run = evidence(tmp_path)
    folder = run.shown.run.folder / "connections"
    folder.mkdir()
    first, others = 300, 80  # of ten connections, the last row is that connected first
    for trial in run.cell(goodput.at(engine="poll", connections=64)).trials:
        polars.DataFrame(
            {
                "connected_at_s": [float(-number) for number in range(10)],
                "requests": [others] * 9 + [first],
            }
        ).write_parquet(folder / f"{trial.trial}.parquet")
    for border, answer in ((2, YES), (4, NO)):
        asked = Early(checked=(goodput.at(engine="poll", connections=64),), region=above(border))
        finding = asked.judge(run)
        assert finding.answer is answer, finding.sentence
        assert (
            "first hundredth of the connections over those of the one in the middle with `poll`"
            in finding.sentence
        )
    without = Early(checked=(goodput.at(engine="threads", connections=64),), region=above(2))
    assert without.judge(run).answer is UNDECIDED
    assert "no trial has a log" in without.judge(run).sentence
