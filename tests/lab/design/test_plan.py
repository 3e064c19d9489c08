"""Plans: each cell once per block, in an order that the seed decides."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from serverlab.design.catalog import catalog
from serverlab.design.experiment import parse
from serverlab.design.plan import (
    BORDER_S,
    make_plan,
    place_of,
    plan_max_s,
    plan_s,
    with_another_block,
)
from serverlab.design.turns import groups_of
from serverlab.quantities import duration_s
from serverlab.records import Plan

if TYPE_CHECKING:
    from serverlab.design.catalog import Catalog


def plan_of(catalog: Catalog, *, seed: int, blocks: int = 3, extra: str = "") -> Plan:
    text = f"""
    question = "Which one?"
    [server]
    engine = ["threads", "poll"]
    threads = [1, 2]
    [load]
    connections = [1, 64]
    duration = "2 s"
    warmup = "1 s"
    [design]
    blocks = {blocks}
    {extra}
    """
    experiment = parse(tomllib.loads(text), name="test", text=text, catalog=catalog)
    return make_plan(experiment, seed=seed)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(seed=st.integers(0, 2**32), blocks=st.integers(1, 6))
def test_every_cell_appears_once_in_each_block(
    small_catalog: Catalog, seed: int, blocks: int
) -> None:
    plan = plan_of(small_catalog, seed=seed, blocks=blocks)
    for block in range(1, blocks + 1):
        cells = [tuple(trial.cell.values()) for trial in plan.trials if trial.block == block]
        assert len(cells) == len(set(cells)) == 3 * 2 * 2  # two engines and the twin


def test_what_is_excluded_is_left_out_for_every_engine_in_every_block(
    small_catalog: Catalog,
) -> None:
    plan = plan_of(small_catalog, seed=1, extra="exclude = [{threads = 2, connections = 64}]")
    for one in (plan, with_another_block(plan)):
        left = {(trial.cell["threads"], trial.cell["connections"]) for trial in one.trials}
        assert left == {(1, 1), (1, 64), (2, 1)}
        assert len(one.trials) == one.blocks * 3 * len(left)


def test_a_factor_of_both_programs_has_the_same_level_in_both(small_catalog: Catalog) -> None:
    text = """
    question = "Which one?"
    [server]
    engine = "poll"
    nodelay = ["on", "off"]
    [load]
    nodelay = ["on", "off"]
    duration = "2 s"
    [design]
    blocks = 1
    """
    trials = make_plan(
        parse(tomllib.loads(text), name="x", text=text, catalog=small_catalog)
    ).trials
    assert {trial.cell["nodelay"] for trial in trials} == {"off", "on"}
    for trial in trials:
        assert trial.server_settings["nodelay"] == trial.cell["nodelay"]
        assert trial.load_settings["nodelay"] == trial.cell["nodelay"]


def test_no_filter_of_system_calls_is_measured_unless_it_is_asked_for() -> None:
    text = """
    question = "What does the filter cost?"
    [server]
    engine = ["poll", "filtered"]
    [engine.filtered]
    is = "poll"
    confine = true
    """
    trials = make_plan(parse(tomllib.loads(text), name="x", text=text, catalog=catalog())).trials
    assert {(one.cell["engine"], one.server_settings["confine"]) for one in trials} == {
        ("poll", "off"),
        ("poll again", "off"),
        ("filtered", "on"),
    }


def test_a_seed_reproduces_a_plan_and_another_seed_does_not(small_catalog: Catalog) -> None:
    assert plan_of(small_catalog, seed=7) == plan_of(small_catalog, seed=7)
    assert plan_of(small_catalog, seed=7) != plan_of(small_catalog, seed=8)


def test_blocks_are_in_different_orders(small_catalog: Catalog) -> None:
    plan = plan_of(small_catalog, seed=1)
    orders = {
        tuple(tuple(trial.cell.values()) for trial in plan.trials if trial.block == block)
        for block in (1, 2, 3)
    }
    assert len(orders) == 3


def test_names_are_unique_and_in_the_order_of_execution(small_catalog: Catalog) -> None:
    names = [trial.trial for trial in plan_of(small_catalog, seed=1).trials]
    assert names == sorted(set(names))


def test_the_twin_is_the_baseline_under_another_name(small_catalog: Catalog) -> None:
    plan = plan_of(small_catalog, seed=1)
    assert plan.twin == "threads again"
    twins = [trial for trial in plan.trials if trial.cell["engine"] == plan.twin]
    assert {trial.engine for trial in twins} == {"threads"}


def test_without_a_twin_there_is_none(small_catalog: Catalog) -> None:
    plan = plan_of(small_catalog, seed=1, extra="twin = false")
    assert plan.twin is None
    assert plan.factors["engine"] == ["threads", "poll"]


def test_trials_that_take_turns_stand_together_and_share_their_load(
    small_catalog: Catalog,
) -> None:
    plan = plan_of(small_catalog, seed=1, extra='kind = "interleaved"')
    groups = groups_of(plan)
    assert [trial for group in groups for trial in group] == plan.trials
    assert len(groups) == 3 * 2 * 2  # blocks, threads, connections
    for group in groups:
        assert {trial.cell["engine"] for trial in group} == {"threads", "poll", "threads again"}
        assert len({trial.block for trial in group}) == 1
        assert all(trial.load_settings == group[0].load_settings for trial in group)
        assert group[0].load_settings["slice"] == "200ms"
        assert group[0].load_settings["order"] == "latin"


def test_two_that_take_turns_go_there_and_back(small_catalog: Catalog) -> None:
    plan = plan_of(small_catalog, seed=1, extra='kind = "interleaved"\ntwin = false')
    assert {trial.load_settings["order"] for trial in plan.trials} == {"abba"}


def test_in_a_separate_design_each_trial_is_alone(small_catalog: Catalog) -> None:
    plan = plan_of(small_catalog, seed=1, extra='kind = "separate"')
    assert groups_of(plan) == [[trial] for trial in plan.trials]
    assert "slice" not in plan.trials[0].load_settings


def test_factors_go_to_the_side_they_belong_to(small_catalog: Catalog) -> None:
    trial = plan_of(small_catalog, seed=1).trials[0]
    assert trial.server_settings["threads"] == str(trial.cell["threads"])
    assert trial.load_settings["connections"] == str(trial.cell["connections"])
    assert "connections" not in trial.server_settings


def test_a_load_that_ends_once_its_clients_are_done_has_no_warm_up() -> None:
    text = 'question = "?"\n[server]\nengine = "poll"\n[load]\nmodel = "churn"\nsessions = [0, 5]\n'
    experiment = parse(tomllib.loads(text), name="test", text=text, catalog=catalog())
    plan = make_plan(experiment, seed=1)
    warmups = {trial.cell["sessions"]: trial.load_settings["warmup"] for trial in plan.trials}
    assert warmups == {0: "1s", 5: "0s"}


def test_an_overridden_duration_shortens_the_warm_up_too(small_catalog: Catalog) -> None:
    text = 'question = "?"\n[server]\nengine = "poll"\n[load]\nwarmup = "2 s"\nduration = "60 s"\n'
    experiment = parse(tomllib.loads(text), name="test", text=text, catalog=small_catalog)
    trial = make_plan(experiment, seed=1, duration="1s").trials[0]
    assert (trial.load_settings["duration"], trial.load_settings["warmup"]) == ("1s", "0.5s")


def test_an_overridden_duration_shortens_the_time_for_a_precision(small_catalog: Catalog) -> None:
    text = (
        'question = "?"\n[server]\nengine = ["poll", "threads"]\n[load]\nwarmup = "2 s"\n'
        'duration = "17.4 s"\n[design]\nkind = "separate"\nprecision = 0.03\n'
        'time_max = "10 min"\n'
    )
    experiment = parse(tomllib.loads(text), name="test", text=text, catalog=small_catalog)
    longest_s = {
        duration: make_plan(experiment, seed=1, duration=duration).time_max_s
        for duration in (None, "1.6s", "60s")
    }
    assert longest_s == {None: 600, "1.6s": pytest.approx(90), "60s": 600}


@pytest.mark.parametrize("kind", ["separate", "interleaved"])
def test_another_block_has_the_same_cells_in_an_order_of_its_own(
    kind: str, small_catalog: Catalog
) -> None:
    extra = f'kind = "{kind}"\nprecision = 0.03'
    plan = plan_of(small_catalog, seed=1, extra=extra)
    longer = with_another_block(with_another_block(plan))
    assert longer.trials[: len(plan.trials)] == plan.trials
    assert longer == with_another_block(with_another_block(plan))
    assert longer.blocks == plan.blocks + 2
    names = [trial.trial for trial in longer.trials]
    assert names == sorted(set(names))
    cells = {
        block: [tuple(trial.cell.values()) for trial in longer.trials if trial.block == block]
        for block in range(1, longer.blocks + 1)
    }
    assert {frozenset(own) for own in cells.values()} == {frozenset(cells[1])}
    assert len({tuple(own) for own in cells.values()}) == longer.blocks
    assert len(groups_of(longer)) * plan.blocks == len(groups_of(plan)) * longer.blocks
    loads = {(one.engine, *one.cell.values(), str(one.load_settings)) for one in longer.trials}
    assert len(loads) == len(cells[1])


@pytest.mark.parametrize("kind", ["separate", "interleaved"])
def test_another_block_may_have_some_levels_alone(kind: str, small_catalog: Catalog) -> None:
    plan = plan_of(small_catalog, seed=1, extra=f'kind = "{kind}"\nprecision = 0.03')
    place = place_of(plan, plan.trials[0].cell)
    longer = with_another_block(plan, {place})
    more = longer.trials[len(plan.trials) :]
    assert {place_of(plan, trial.cell) for trial in more} == {place}
    assert sorted(str(trial.cell["engine"]) for trial in more) == sorted(
        map(str, plan.factors["engine"])
    )


def test_a_plan_says_what_it_may_take_at_most(small_catalog: Catalog) -> None:
    plan = plan_of(small_catalog, seed=1, extra="precision = 0.03\nblocks_max = 12")
    assert plan_max_s(plan) == pytest.approx(4 * plan_s(plan))
    limited = plan_of(small_catalog, seed=1, extra='precision = 0.03\ntime_max = "10 min"')
    assert plan_max_s(limited) == 600
    without = plan_of(small_catalog, seed=1)
    assert plan_max_s(without) == plan_s(without)


def test_generators_on_hosts_need_time_between_slices(small_catalog: Catalog) -> None:
    alone = plan_of(small_catalog, seed=1, extra='kind = "interleaved"')
    on_hosts = msgspec.structs.replace(alone, generators=3)
    loads = [trial.load_settings for trial in alone.trials]
    borders = sum(duration_s(one["duration"]) / duration_s(one["slice"]) for one in loads)
    assert borders >= 10
    assert plan_s(on_hosts) == pytest.approx(plan_s(alone) + BORDER_S * borders)


@pytest.mark.parametrize("names", [["poll again"], ["poll again", "poll again again"]])
def test_no_variant_is_taken_for_the_twin(small_catalog: Catalog, names: list[str]) -> None:
    text = "".join(f'[engine."{name}"]\nis = "threads"\nqueue = "lifo"\n' for name in names)
    text = f'question = "?"\n[server]\nengine = {["poll", *names]}\n{text}'
    plan = make_plan(parse(tomllib.loads(text), name="t", text=text, catalog=small_catalog))
    assert plan.twin not in names
    for trial in plan.trials:
        assert trial.engine == ("threads" if trial.cell["engine"] in names else "poll")
        assert ("queue" in trial.server_settings) == (trial.cell["engine"] in names)
    cells = [tuple(trial.cell.items()) for trial in plan.trials]
    assert len(set(cells)) == len(names) + 2
