"""What a contrast compares: levels of factors, classes of requests, and in which turns."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import msgspec
import pytest

from serverlab.analysis.results import results
from serverlab.design.catalog import Catalog
from serverlab.design.experiment import parse
from serverlab.design.plan import make_plan
from serverlab.design.turns import groups_of
from serverlab.errors import UsageError
from serverlab.records import Plan
from serverlab.report.answer import Answer, answer, ratio_tables
from serverlab.report.page import write_report
from tests.lab.report_data import Record, write_run

QUEUES = {"queue": ["fifo", "lifo"]}


def planned(text: str, catalog: Catalog) -> Plan:
    whole = f"question = 'Which?'\n{text}"
    document = tomllib.loads(whole)
    return make_plan(parse(document, name="x", text=whole, catalog=catalog), seed=1)


def asking(contrast: dict[str, Any], folder: Path) -> Answer:
    """The answer of a run whose experiment asks for this."""
    path = folder / "plan.json"
    plan = msgspec.json.decode(path.read_bytes())
    path.write_bytes(msgspec.json.encode(plan | {"contrast": contrast}))
    return answer(results(folder))


def faster_with_lifo(trial: Record) -> Record | None:
    """Twice the goodput with one kind of queue, of which there is no twin."""
    if trial["cell"]["queue"] == "lifo":
        if trial["cell"]["engine"] == "poll again":
            return None
        trial["load"]["rate"]["goodput_per_s"] *= 2
    return trial


def with_classes(trial: Record) -> Record:
    """A read takes three times as long as a post."""
    times = trial["load"]["latency_ns"]
    slow = {**times, **{key: 3 * times[key] for key in ("p50", "p90", "p99") if times.get(key)}}
    trial["load"]["classes"] = {"post": {**times, "count": 300}, "read": {**slow, "count": 100}}
    return trial


SERVER = "[server]\nengine = {engines}\nnodelay = ['on', 'off']\n"


def test_levels_of_a_factor_have_their_twin_at_the_first_level_alone(
    small_catalog: Catalog,
) -> None:
    text = SERVER.format(engines="['poll', 'threads']") + "[contrast]\nbetween = 'nodelay'"
    cells = [trial.cell for trial in planned(text, small_catalog).trials if trial.block == 1]
    twins = [cell["nodelay"] for cell in cells if cell["engine"] == "poll again"]
    assert (len(cells), twins) == (5, ["on"])


def test_levels_of_the_server_take_turns_under_one_load(small_catalog: Catalog) -> None:
    text = SERVER.format(engines="['poll', 'threads']") + "[contrast]\nbetween = 'nodelay'\n"
    plan = planned(f"{text}[design]\nkind = 'interleaved'\nblocks = 1", small_catalog)
    groups = [
        sorted((str(one.cell["engine"]), str(one.cell["nodelay"])) for one in group)
        for group in groups_of(plan)
    ]
    assert sorted(groups) == [
        [("poll", "off"), ("poll", "on"), ("poll again", "on")],
        [("threads", "off"), ("threads", "on")],
    ]
    orders = {len(group): group[0].load_settings["order"] for group in groups_of(plan)}
    assert orders == {2: "abba", 3: "latin"}


def test_levels_of_the_load_are_no_servers_that_take_turns(small_catalog: Catalog) -> None:
    text = "[server]\nengine = ['poll', 'threads']\n[load]\nthink = ['1 ms', '2 ms']\n"
    text += "[contrast]\nbetween = 'think'\n[design]\nkind = 'interleaved'\nblocks = 1"
    groups = groups_of(planned(text, small_catalog))
    assert all(len({one.cell["think"] for one in group}) == 1 for group in groups)
    text = text.replace("['poll', 'threads']", "'poll'") + "\ntwin = false"
    with pytest.raises(UsageError, match="one server has no other to take turns with"):
        planned(text, small_catalog)


def test_a_single_engine_is_no_contrast_so_that_its_other_factors_are(
    small_catalog: Catalog,
) -> None:
    text = SERVER.format(engines="'poll'") + "[load]\nconnections = [1, 64]"
    plan = planned(text, small_catalog)
    assert plan.contrast.between == ["nodelay"]
    assert plan.twin == "poll again"


def test_the_answer_speaks_of_levels_and_names_the_engines_where_they_differ(
    tmp_path: Path,
) -> None:
    folder = write_run(tmp_path, factors=QUEUES, edit=faster_with_lifo)
    found = asking({"between": ["queue"]}, folder)
    assert found.answer.startswith("lifo has the highest goodput (2.00 times that of fifo, ")
    assert {one.subject for one in found.comparisons} == {"lifo"}
    assert {one.level["engine"] for one in found.comparisons} == {"poll", "threads", "epoll-level"}
    assert any("fifo again is fifo under another name" in one for one in found.limits)


def test_an_engine_is_called_by_its_name_whatever_it_begins_with(tmp_path: Path) -> None:
    speeds = {"8-threads": 1.0, "64-threads": 0.5, "on": 2.0}
    folder = write_run(tmp_path, speeds=speeds, baseline="8-threads", twin=None, factors={})
    found = answer(results(folder)).comparisons
    assert {(one.baseline, one.subject) for one in found} == {
        ("8-threads", "64-threads"), ("8-threads", "on"),
    }  # fmt: skip


def test_several_factors_are_compared_together(tmp_path: Path) -> None:
    factors = QUEUES | {"payload-max": ["1 B", "2 B"]}
    folder = write_run(tmp_path, factors=factors, edit=faster_with_lifo)
    found = asking({"between": ["queue", "payload-max"]}, folder)
    assert found.comparisons[0].baseline == "fifo, payload-max 1 B"
    assert {one.subject for one in found.comparisons} == {
        "fifo, payload-max 2 B", "lifo, payload-max 1 B", "lifo, payload-max 2 B",
    }  # fmt: skip


def test_classes_are_compared_within_each_trial(tmp_path: Path) -> None:
    folder = write_run(tmp_path, factors=QUEUES, edit=with_classes)
    found = asking({"between": ["class"], "by": ["latency-p50", "goodput"]}, folder)
    assert found.answer.startswith("The baseline post has the lowest p50 latency (read 3.00 times")
    ratios = {(one.measure, round(one.ratio, 2)) for one in found.comparisons if one.level}
    assert ("latency-p50", 3.0) in ratios
    assert ("goodput", 0.33) in ratios
    assert {one.measure for one in found.comparisons} <= {"goodput", "latency-p50", "latency-p99"}
    page = write_report(folder).read_text(encoding="utf-8")
    assert 'id="advice"' not in page
    assert 'id="chart-server-cpu-per-request"' in page  # all requests together, as ever


def test_a_row_names_its_panel_where_there_are_several(tmp_path: Path) -> None:
    folder = write_run(tmp_path, factors=QUEUES, edit=with_classes)
    asking({"between": ["class"]}, folder)
    [table] = ratio_tables(results(folder))
    assert "read, poll, fifo" in [row[0] for row in table.rows]
