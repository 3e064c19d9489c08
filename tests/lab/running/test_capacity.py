"""A rate that is a share of the capacity: where it comes from, and that it stays what it is."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import msgspec
import pytest

from serverlab.design.catalog import Catalog
from serverlab.design.experiment import parse
from serverlab.design.plan import make_plan
from serverlab.errors import LabError
from serverlab.load_result import LoadResult, Verdict
from serverlab.records import Plan, PlannedTrial, Trial
from serverlab.running.capacity import with_rates
from tests.lab import report_data
from tests.lab.conftest import Serverlab

TEXT = """question = "Which?"
[server]
engine = ["poll", "threads"]
[load]
rate = "50%"
connections = [1, 64]
duration = "100 ms"
warmup = "20 ms"
[design]
blocks = 2
twin = false
"""


def planned(catalog: Catalog) -> Plan:
    document = tomllib.loads(TEXT)
    return make_plan(parse(document, name="x", text=TEXT, catalog=catalog), seed=1)


def done(trial: PlannedTrial, goodput: float, verdict: str = "VALID") -> Trial:
    load = msgspec.convert(report_data.load(64, goodput), LoadResult)
    return trial.ended("", Verdict(verdict, ""), load=load)


def cells(plan: Plan, model: str, connections: int, block: int = 1) -> list[PlannedTrial]:
    asked = {"model": model, "connections": connections}
    return [one for one in plan.trials if one.block == block and asked.items() <= one.cell.items()]


def test_the_closed_loop_is_measured_first_in_each_block(small_catalog: Catalog) -> None:
    plan = planned(small_catalog)
    assert plan.factors["model"] == ["closed", "open"]
    models = [trial.cell["model"] for trial in plan.trials]
    assert models == 2 * (4 * ["closed"] + 4 * ["open"])
    assert all("rate" not in one.load_settings for one in cells(plan, "closed", 64))


def test_the_slowest_server_at_the_same_levels_decides_in_the_first_block(
    small_catalog: Catalog,
) -> None:
    plan = planned(small_catalog)
    slow, fast = cells(plan, "closed", 64)
    other_level, _ = cells(plan, "closed", 1)
    [later, _] = cells(plan, "closed", 64, block=2)
    records = [done(slow, 20_345), done(fast, 90_000), done(other_level, 10), done(later, 5000)]
    for block in (1, 2):
        ready = with_rates(cells(plan, "open", 64, block), lambda: records)
        assert [one.load_settings["rate"] for one in ready] == ["10000", "10000"]


def test_what_is_not_valid_is_no_capacity(small_catalog: Catalog) -> None:
    plan = planned(small_catalog)
    group = cells(plan, "open", 64)
    [slow, fast] = cells(plan, "closed", 64)
    with pytest.raises(LabError, match="no valid trial of the closed loop"):
        with_rates(group, lambda: [done(slow, 9000, "STARVED")])
    records = [done(slow, 9000, "STARVED"), done(fast, 80_000)]
    ready = with_rates(group, lambda: records)
    assert ready[0].load_settings["rate"] == "40000"


def test_a_rate_in_requests_per_second_stays(small_catalog: Catalog) -> None:
    [trial, *_] = planned(small_catalog).trials
    settings = {**trial.load_settings, "rate": "700"}
    group = [msgspec.structs.replace(trial, load_settings=settings)]

    def none_is_read() -> list[Trial]:
        raise AssertionError

    assert with_rates(group, none_is_read) == group


def test_a_run_measures_the_capacity_and_then_the_latency(
    serverlab: Serverlab, tmp_path: Path
) -> None:
    (tmp_path / "any.toml").write_text(TEXT, encoding="utf-8")
    assert serverlab("run", "any.toml", "--out=run").returncode in {0, 1}
    lines = (tmp_path / "run" / "trials.jsonl").read_text(encoding="utf-8").splitlines()
    trials = [json.loads(line) for line in lines]
    rates = {one["load_settings"].get("rate") for one in trials if one["cell"]["model"] == "open"}
    assert len(rates) == 2
    assert all(rate.isdecimal() and int(rate) > 10 for rate in rates)
