"""The answer of a run: on the terminal, for programs, and for a pull request."""

from __future__ import annotations

import json
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from serverlab.analysis.results import results
from serverlab.duel.command import as_markdown
from serverlab.duel.outcome import outcome
from serverlab.report.answer import answer, markdown, ratio_tables, write_answer
from serverlab.report.page import write_page
from tests.lab.conftest import Serverlab
from tests.lab.duel.test_outcome import found_by
from tests.lab.report_data import QUESTION, Edit, Record, failed, in_turns, write_run

TWO = {"connections": [1, 64]}


def asking_for(measures: list[str], folder: Path) -> Path:
    """Make a run's plan ask for measures."""
    plan = json.loads((folder / "plan.json").read_text(encoding="utf-8"))
    plan["contrast"] = {"by": measures}
    (folder / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
    return folder


def of(made: dict[str, Any], measure: str, connections: int) -> dict[str, dict[str, Any]]:
    """The comparisons at one level by one measure, by their subject."""
    return {
        one["subject"]: one
        for one in made["comparisons"]
        if one["measure"] == measure and one["level"] == {"connections": connections}
    }


def test_a_report_prints_its_answer_and_keeps_it_for_programs(
    tmp_path: Path, serverlab: Serverlab
) -> None:
    folder = write_run(tmp_path / "run", factors=TWO)
    ended = serverlab("report", str(folder))
    assert serverlab("report", str(folder), "--quiet").stdout == ended.stdout
    assert ended.returncode == 0
    lines = ended.stdout.splitlines()
    assert lines[0].startswith("epoll-level has the highest goodput at 1 connection (1.25 times")
    assert "Goodput over that of poll (more is better)" in lines
    best, worst = (line.split() for line in lines if "[" in line)
    assert (best[0], best[1]) == ("epoll-level", "1.251")
    assert worst[0] == "threads"
    assert lines[-1] == f"report: {folder}/report.html"
    assert (folder / "answer.json").exists()


def test_json_has_each_subject_beside_the_baseline_and_nothing_else_is_printed(
    tmp_path: Path, serverlab: Serverlab
) -> None:
    folder = write_run(tmp_path / "run", factors=TWO)
    printed = serverlab("report", str(folder), "--json").stdout
    made = json.loads(printed)
    assert made == json.loads((folder / "answer.json").read_text(encoding="utf-8"))
    assert (made["schema"], made["question"]) == (1, QUESTION)
    assert "epoll-level has the highest goodput" in made["answer"]
    assert any("closed loop" in limit for limit in made["limits"])
    found = of(made, "goodput", 64)
    assert found.keys() == {"threads", "epoll-level"}  # neither the baseline nor its twin
    assert {one["baseline"] for one in found.values()} == {"poll"}
    assert found["threads"]["verdict"] == "lower"
    assert found["epoll-level"]["verdict"] == "higher"
    assert found["threads"]["low"] < found["threads"]["ratio"] < found["threads"]["high"]
    assert found["threads"]["ratio"] == pytest.approx(0.5, rel=0.05)
    assert found["threads"]["noise_floor"] >= 1
    assert of(made, "server-cpu-per-request", 1)["threads"]["verdict"] == "higher"


def test_what_is_not_distinguishable_is_marked(tmp_path: Path) -> None:
    alike = {"poll": 1.0, "threads": 1.0, "poll again": 1.0}
    shown = results(write_run(tmp_path, speeds=alike, factors=TWO))
    assert {one.verdict for one in answer(shown).comparisons} == {"not distinguishable"}
    [table] = ratio_tables(shown)
    assert all(cell.endswith("≈") for cell in table.rows[0][1:])


def test_the_verdict_of_trials_without_a_figure_is_in_place_of_a_ratio(tmp_path: Path) -> None:
    def starved(trial: Record) -> Record:
        if trial["cell"] != {"engine": "threads", "connections": 64}:
            return trial
        return trial | {"verdict": {"name": "STARVED", "reason": "9 of 64 had no reply"}}

    shown = results(write_run(tmp_path, factors=TWO, edit=starved))
    [table] = ratio_tables(shown)
    row = next(row for row in table.rows if row[0] == "threads")
    assert row[1].startswith("0.")
    assert row[2] == "STARVED"
    assert answer(shown).answer.endswith(
        "Without a valid trial: threads (STARVED, at 64 connections)."
    )


def test_one_block_gives_a_ratio_and_no_interval(tmp_path: Path) -> None:
    shown = results(write_run(tmp_path, blocks=1, factors=TWO))
    first = answer(shown).comparisons[0]
    assert (first.low, first.high, first.verdict) == (None, None, "not distinguishable")
    assert "[" not in "".join(ratio_tables(shown)[0].rows[0])


def test_without_a_baseline_nothing_is_compared(tmp_path: Path, drop_poll: Edit) -> None:
    shown = results(write_run(tmp_path, edit=drop_poll))
    assert answer(shown).comparisons == []
    assert ratio_tables(shown) == []
    assert answer(shown).answer


@pytest.fixture
def drop_poll() -> Edit:
    """Without a trial of the baseline."""
    return lambda trial: None if trial["cell"]["engine"] == "poll" else trial


def test_the_answer_speaks_of_the_measure_that_the_experiment_asks_for(tmp_path: Path) -> None:
    folder = write_run(tmp_path, factors=TWO)
    assert "goodput" in answer(results(folder)).answer
    asked = results(asking_for(["server-cpu-per-request"], folder))
    assert "server CPU per request" in answer(asked).answer
    assert "goodput" not in answer(asked).answer
    [table] = ratio_tables(asked)
    assert table.title == "Server CPU per request over that of poll (less is better)"
    assert [row[0] for row in table.rows] == ["epoll-level", "threads"]


def test_the_answer_speaks_of_each_measure_that_is_asked_for(tmp_path: Path) -> None:
    folder = write_run(tmp_path, factors=TWO)
    shown = results(asking_for(["goodput", "requests-spread"], folder))
    said = answer(shown).answer
    assert said.startswith("epoll-level has the highest goodput at 1 connection")
    assert "are not distinguishable in spread of requests between connections." in said
    assert [table.title.partition(" over ")[0] for table in ratio_tables(shown)] == [
        "Goodput",
        "Spread of requests between connections",
    ]


def test_each_panel_has_its_rows_in_one_table(tmp_path: Path) -> None:
    shown = results(write_run(tmp_path, factors=TWO | {"service": ["echo", "http"]}))
    [table] = ratio_tables(shown)
    assert {row[0].partition(", ")[2] for row in table.rows} == {"echo", "http"}
    assert {one.level["service"] for one in answer(shown).comparisons} == {"echo", "http"}


def test_markdown_is_a_table_in_which_no_name_means_anything(
    tmp_path: Path, serverlab: Serverlab
) -> None:
    speeds = {"poll": 1.0, "a|b_*c*": 0.5}
    folder = write_run(tmp_path / "run", speeds=speeds, twin=None, factors=TWO)
    printed = serverlab("report", str(folder), "--markdown").stdout
    assert printed == markdown(results(folder))
    assert printed.startswith(f"**{QUESTION}**\n")
    assert "\n|---|---:|---:|\n" in printed
    assert "\n| a\\|b\\_\\*c\\* | 0." in printed
    assert "What limits this answer" in printed


def test_json_and_markdown_together_are_refused(tmp_path: Path, serverlab: Serverlab) -> None:
    ended = serverlab("report", str(tmp_path), "--json", "--markdown")
    assert ended.returncode == 2
    assert "give one of them" in ended.stderr


def test_programs_have_every_figure_of_every_subject(tmp_path: Path) -> None:
    shown = results(write_run(tmp_path, edit=in_turns))
    write_answer(shown)
    written = json.loads((tmp_path / "answer.json").read_text(encoding="utf-8"))
    assert len(written["cells"]) == len(shown.cells)
    measured = [row for row in written["cells"] if row["verdict"] == "VALID"]
    for name in ("goodput_per_s", "requests", "server_cpu_per_request_ns", "latency_p99_ns"):
        assert all(row[name] > 0 for row in measured), name


HTML = "<img src=x onerror=alert(1)>"
NAMES = [f"x`{HTML}", f"`{HTML}`", f"``{HTML}", HTML, f"x\n\n{HTML}", f"a|{HTML}"]


@pytest.mark.parametrize("name", NAMES)
def test_no_name_is_html_in_markdown(tmp_path: Path, name: str) -> None:
    def marked(trial: Record) -> Record:
        is_failed = trial["cell"]["engine"] == "poll" and trial["cell"]["connections"] == 1
        return failed(trial, name, name) if is_failed else trial

    speeds = {"poll": 1.0, name: 2.0}
    factors: dict[str, list[Any]] = {"connections": [1, 64], name: [name, "other"]}
    run = write_run(tmp_path / "run", speeds=speeds, twin=None, factors=factors, edit=marked)
    of_two = found_by(tmp_path / "two", speeds)
    for text in (markdown(results(run)), as_markdown(of_two, outcome(of_two), [])):
        outside = re.sub(r"`[^`\n]+`", "", re.sub(r"\\.", "", text))
        assert "<img" not in outside
        assert re.sub(r"</?(details|summary)>", "", outside).count("<") == 0


def test_no_name_is_html_in_the_page(tmp_path: Path) -> None:
    script = "</script><script>alert(1)</script>"
    page = write_page(
        found_by(tmp_path, {f"poll{HTML}": 1.0, script: 2.0, **dict.fromkeys(NAMES, 1)})
    )
    tags: Counter[str] = Counter()

    class Tags(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            tags[tag] += 1
            assert "onerror" not in dict(attrs)

    Tags().feed(page.read_text(encoding="utf-8"))
    assert tags["img"] == 0
    plain = write_page(found_by(tmp_path / "plain", {"poll": 1.0, "threads": 2.0}))
    scripts = tags.pop("script")
    tags.clear()
    Tags().feed(plain.read_text(encoding="utf-8"))
    assert scripts == tags["script"]
