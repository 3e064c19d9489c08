"""`serverlab compare`: of runs made by arithmetic, so that the ratios are known."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from serverlab.compare.ratios import Compared, Gate, gate_sentences, read_gate
from serverlab.errors import UsageError
from serverlab.stats.paired import Ratio
from serverlab.stats.unpaired import unpaired_ratio
from tests.lab.conftest import Serverlab
from tests.lab.report_data import Record, failed, invalid, write_json, write_run

SPEEDS = {"poll": 1.0, "threads": 0.5}
FASTER = {"poll": 1.0, "threads": 1.0}


@pytest.fixture(autouse=True)
def before(tmp_path: Path) -> Path:
    """The first run."""
    return write_run(tmp_path / "before", speeds=SPEEDS, twin=None)


def cell(document: dict[str, Any], engine: str, connections: int) -> dict[str, Any]:
    """A cell of what --json prints."""
    wanted = {"engine": engine, "connections": connections}
    found: dict[str, Any] = next(one for one in document["cells"] if one["cell"] == wanted)
    return found


def test_the_same_cells_are_compared_with_intervals(serverlab: Serverlab, tmp_path: Path) -> None:
    write_run(tmp_path / "after", speeds=FASTER, twin=None)
    done = serverlab("compare", "before", "after", "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert len(document["cells"]) == 6
    doubled = cell(document, "threads", 64)["measures"]
    assert doubled["goodput"]["ratio"] == pytest.approx(2, rel=0.01)
    assert doubled["goodput"]["judgement"] == "better"
    assert doubled["cpu"]["ratio"] == pytest.approx(0.5, rel=0.01)
    assert doubled["p99"]["judgement"] == "better"
    same = cell(document, "poll", 64)["measures"]
    assert same["goodput"]["low"] < 1 < same["goodput"]["high"]
    assert same["goodput"]["judgement"] == ""
    assert document["failures"] == []


def test_the_terminal_shows_every_cell_and_how_it_was_compared(
    serverlab: Serverlab,
    tmp_path: Path,
) -> None:
    write_run(tmp_path / "after", speeds=FASTER, twin=None)
    done = serverlab("compare", "before", "after")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("3 and 3 blocks") == 6
    assert "not distinguishable" in done.stdout
    assert "not paired in time" in done.stdout


@pytest.mark.parametrize(
    ("gate", "status", "complaint"),
    [
        ("goodput < 0.95x", 0, ""),
        ("p99 > 1.1x", 0, ""),
        ("goodput > 1.5x", 1, "goodput of threads, 1 connection is 2"),
        ("cpu < 0.8x", 1, "cpu of threads, 1 connection is 0.5x ["),
        ("p95 > 1.1x", 2, "is not a measure"),
        ("p99 > 1.1", 2, "such as p99 > 1.1x"),
    ],
)
def test_a_gate_fails_only_beyond_doubt(
    gate: str, status: int, complaint: str, serverlab: Serverlab, tmp_path: Path
) -> None:
    write_run(tmp_path / "after", speeds=FASTER, twin=None)
    done = serverlab("compare", "before", "after", f"--fail-if={gate}")
    assert done.returncode == status
    assert complaint in done.stderr


@pytest.mark.parametrize(
    ("estimate", "low", "fails"),
    [(1.3, 0.99, False), (1.3, 1.01, True), (1.09, 1.01, False), (1.11, 1.01, True)],
)
def test_a_gate_fails_if_the_two_differ_and_the_ratio_is_beyond_its_bound(
    estimate: float, low: float, *, fails: bool
) -> None:
    ratio = Ratio(estimate=estimate, low=low, high=1.5, pairs=3)
    assert read_gate("p99 > 1.1x").fails(Compared(measure="p99", ratio=ratio)) is fails


@pytest.mark.parametrize(("high", "fails"), [(0.89, False), (0.91, True), (1.1, True)])
def test_a_gate_that_asks_for_a_gain_fails_unless_all_of_the_interval_shows_it(
    high: float, *, fails: bool
) -> None:
    ratio = Ratio(estimate=0.85, low=0.8, high=high, pairs=3)
    assert read_gate("p99 > 0.9x").fails(Compared(measure="p99", ratio=ratio)) is fails


def test_a_gate_that_nothing_can_judge_fails_with_that_sentence() -> None:
    gate = Gate(text="p99 > 1.1x", measure="p99", above=True, bound=1.1)
    cells = [("poll", {"p99": Compared(measure="p99", ratio=None, why="no figure")})]
    assert list(gate_sentences(gate, cells)) == [
        "p99 > 1.1x: no cell could be judged, so nothing shows that it is kept"
    ]


def edited(**changes: Any) -> Any:  # noqa: ANN401 - an edit of any field
    """An edit of every record."""

    def edit(trial: Record) -> Record:
        settings = trial["load_settings"] | changes.get("load_settings", {})
        return trial | changes | {"load_settings": settings}

    return edit


def closed_to_open(trial: Record) -> Record:
    """The same trial of another load model."""
    trial["load"]["load"]["model"] = "open"
    return trial


@pytest.mark.parametrize(
    ("after", "complaint"),
    [
        ({"edit": closed_to_open}, "model is closed in before, open in after"),
        ({"edit": edited(service="http")}, "service is echo in before, http in after"),
        (
            {"edit": edited(load_settings={"payload": "1 KiB"})},
            "payload is 64B in before, 1KiB in after",
        ),
        ({"speeds": {"select": 1.0}, "baseline": "select"}, "no cell is in both runs"),
        ({"factors": {"payload": ["64 B"]}}, "no cell is in both runs"),
        ({"edit": lambda _: None}, "after has no finished trial"),
        ({"edit": edited(schema=2)}, "is of schema 2"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_one_sentence(
    after: dict[str, Any], complaint: str, serverlab: Serverlab, tmp_path: Path
) -> None:
    write_run(tmp_path / "after", **({"speeds": SPEEDS, "twin": None} | after))
    done = serverlab("compare", "before", "after")
    assert done.returncode == 2
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("other", "complaint"), [("before", "same run"), ("no", "is not a run")])
def test_a_run_is_not_compared_with_itself_or_with_none(
    other: str, complaint: str, serverlab: Serverlab
) -> None:
    done = serverlab("compare", "before", other)
    assert done.returncode == 2
    assert complaint in done.stderr


def test_a_setting_that_is_the_programs_own_is_the_same_as_one_that_is_given(
    serverlab: Serverlab,
    tmp_path: Path,
) -> None:
    edit = edited(load_settings={"payload": "64B", "depth": "1"})
    write_run(tmp_path / "after", speeds=SPEEDS, twin=None, edit=edit)
    assert serverlab("compare", "before", "after").returncode == 0


def test_what_limits_a_comparison_is_said(serverlab: Serverlab, tmp_path: Path) -> None:
    def edit(trial: Record) -> Record | None:
        connections, block = trial["cell"]["connections"], trial["block"]
        if connections == 1000:
            return None if trial["cell"]["engine"] == "poll" else failed(trial)
        if connections == 64 and block > 1:
            return invalid(trial)
        return trial

    after = write_run(tmp_path / "after", speeds=SPEEDS, twin=None, edit=edit)
    write_json(after / "environment.json", {"schema": 1, "cpu": "Another CPU", "kernel": "6.9"})
    with (after / "trials.jsonl").open("a", encoding="utf-8") as trials:
        trials.write('{"schema": 1, "tri')  # as a run that was killed leaves it
    done = serverlab("compare", "before", "after", "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    said = " ".join(document["notes"])
    assert "different machines (cpu and memory_bytes)" in said
    assert "after is not complete: 15 of 18 trials" in said
    assert "In before alone, and not compared: poll, 1000 connections." in said
    assert "after has 7 trials that are not valid" in said
    differing = {one["what"]: one["second"] for one in document["differences"]}
    assert differing["kernel"] == "6.9"
    alone = cell(document, "poll", 64)["measures"]["goodput"]
    assert (alone["low"], alone["why"]) == (None, "a single block has no interval")
    lost = cell(document, "threads", 1000)["measures"]["goodput"]
    assert (lost["ratio"], lost["why"]) == (None, "second run: FAILED")


def test_another_version_of_a_contestant_is_a_difference(
    serverlab: Serverlab, tmp_path: Path
) -> None:
    def with_version(version: str) -> Callable[[Record], Record]:
        def edit(trial: Record) -> Record:
            mine = {"name": "threads", "services": ["echo"], "start": "./s {port}"}
            if trial["engine"] == "threads":
                trial |= {"contestant": mine, "server": trial["server"] | {"version": version}}
            return trial

        return edit

    write_run(tmp_path / "old", speeds=SPEEDS, twin=None, edit=with_version("1.0"))
    write_run(tmp_path / "new", speeds=SPEEDS, twin=None, edit=with_version("1.1"))
    found = json.loads(serverlab("compare", "old", "new", "--json").stdout)["differences"]
    assert found == [
        {"what": "contestant threads", "first": "./s {port}, 1.0", "second": "./s {port}, 1.1"}
    ]


@pytest.mark.parametrize("blocks", [2, 3, 5, 10])
def test_runs_that_are_the_same_are_told_apart_in_one_of_twenty_at_most(blocks: int) -> None:
    drawn = random.Random(blocks)

    def run() -> list[float]:
        return [math.exp(drawn.gauss(0, 0.03)) for _ in range(blocks)]

    ratios = [unpaired_ratio(run(), run()) for _ in range(2000)]
    alarms = sum(ratio.is_distinguishable for ratio in ratios) / len(ratios)
    assert 0.01 < alarms < 0.065


def test_the_ratio_of_two_runs_is_the_inverse_of_the_other_way_round() -> None:
    a, b = [1.0, 1.1, 0.9, 1.3], [2.0, 2.2, 2.3]
    one, other = unpaired_ratio(a, b), unpaired_ratio(b, a)
    assert one.estimate == pytest.approx(1 / other.estimate)
    assert one.low == pytest.approx(1 / other.high)
    with pytest.raises(ValueError, match="positive"):
        unpaired_ratio([1.0, 0.0], b)


def test_a_gate_is_a_measure_and_a_bound() -> None:
    assert read_gate(" p99.9 > 1.5x") == Gate(
        text=" p99.9 > 1.5x", measure="p99.9", above=True, bound=1.5
    )
    with pytest.raises(UsageError):
        read_gate("goodput < 0x")
