"""Until it is sure: at which levels blocks are added where a precision is wanted."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from serverlab.analysis.run_data import read_run
from serverlab.design.plan import trial_s
from serverlab.records import read_plan
from serverlab.report.shortfall import imprecise
from serverlab.running.more_blocks import places_to_repeat, slowness
from tests.lab.report_data import Edit, Record, failed, restless, wanting, write_run

if TYPE_CHECKING:
    from pathlib import Path

EVERYWHERE = [(("connections", 1),), (("connections", 64),), (("connections", 1000),)]
AT_64 = [(("connections", 64),)]
TRIAL_S = 1  # from one to the next, in the runs of these tests


def test_what_is_narrow_enough_needs_no_more_blocks(tmp_path: Path) -> None:
    run = wanting(write_run(tmp_path, blocks=5))
    assert places_to_repeat(run) == []
    assert imprecise(run) == []


def test_a_level_with_a_wide_interval_gets_another_block_alone(tmp_path: Path) -> None:
    run = wanting(write_run(tmp_path, blocks=5, edit=restless(64)))
    assert places_to_repeat(run) == AT_64


@pytest.mark.parametrize(
    ("options", "blocks_max", "places"),
    [
        ({"blocks": 5, "edit": restless(64)}, 5, []),
        ({"blocks": 4}, 30, EVERYWHERE),
        ({"blocks": 4, "edit": failed}, 30, []),
        ({"blocks": 5, "edit": lambda _: None}, 30, []),
    ],
    ids=["no more are allowed", "too early to look", "nothing works", "nothing was run"],
)
def test_blocks_are_added_only_where_they_help(
    tmp_path: Path, options: dict[str, Any], blocks_max: int, places: list[Any]
) -> None:
    run = wanting(write_run(tmp_path, **options), blocks_max=blocks_max)
    assert places_to_repeat(run) == places


def of_engine(engine: str) -> Edit:
    return lambda trial: failed(trial) if trial["cell"]["engine"] == engine else trial


@pytest.mark.parametrize("engine", ["poll", "threads"])
def test_an_engine_that_always_fails_keeps_no_other_waiting(tmp_path: Path, engine: str) -> None:
    run = wanting(write_run(tmp_path, blocks=5, edit=of_engine(engine)))
    assert places_to_repeat(run) == []


def test_the_widest_level_has_what_is_left_of_the_time(tmp_path: Path) -> None:
    def at_two_levels(trial: Record) -> Record:
        share = {64: 0.2, 1000: 0.3}.get(trial["cell"]["connections"], 0)
        return restless(trial["cell"]["connections"], share)(trial)

    run = write_run(tmp_path, blocks=5, edit=at_two_levels)
    assert places_to_repeat(wanting(run)) == [EVERYWHERE[2], EVERYWHERE[1]]
    took_s, of_a_level_s = len(read_plan(run).trials) * TRIAL_S, 4 * TRIAL_S
    for levels, places in [(0.9, []), (1.1, EVERYWHERE[2:]), (2.1, EVERYWHERE[:0:-1])]:
        limited = wanting(run, time_max_s=took_s + levels * of_a_level_s)
        assert places_to_repeat(limited) == places


def test_how_long_trials_take_is_learnt_from_those_that_were_run(tmp_path: Path) -> None:
    run = read_run(write_run(tmp_path, blocks=5))
    planned_s = trial_s(run.plan.trials[0])
    found = slowness(run)  # between blocks 48 s went by, in which it was not at work
    assert list(found.values()) == pytest.approx([TRIAL_S / planned_s] * 3)
    assert slowness(replace(run, trials=[])) == {}


def test_the_measures_that_a_precision_names_are_looked_at(tmp_path: Path) -> None:
    run = write_run(tmp_path, blocks=5, edit=restless(64))
    assert places_to_repeat(wanting(run, precision={"server-cpu-per-request": 0.03})) == []
    both = {"server-cpu-per-request": 0.03, "goodput": 0.03}
    assert places_to_repeat(wanting(run, precision=both)) == AT_64
    assert [one.partition(" ±")[0] for one in imprecise(run)] == [
        "`threads` at 64 connections, goodput"
    ]


def test_a_run_without_a_wish_gets_no_blocks(tmp_path: Path) -> None:
    assert places_to_repeat(write_run(tmp_path, edit=restless(64))) == []
