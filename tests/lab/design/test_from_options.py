"""An experiment from options: its file, its time, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from serverlab.design.catalog import Catalog
from serverlab.design.experiment import Experiment, parse_text
from serverlab.design.from_options import experiment_of, words
from serverlab.design.plan import make_plan, plan_s
from serverlab.errors import UsageError
from tests.lab.conftest import Serverlab


def asked(catalog: Catalog, seconds: str = "60s", **settings: str) -> Experiment:
    engine, by = settings.pop("engine", "poll threads"), settings.pop("by", "")
    return experiment_of(settings, catalog, engine=engine, service="echo", by=by, seconds=seconds)


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        ("16", ["16"]),
        ("16 256", ["16", "256"]),
        ("1 KiB", ["1 KiB"]),
        ("64 B  1 KiB", ["64 B", "1 KiB"]),
        ("1 ms 10ms", ["1 ms", "10ms"]),
        ("poll threads", ["poll", "threads"]),
        ("0-1 2", ["0-1", "2"]),
        ("50 %", ["50 %"]),
    ],
)
def test_a_unit_belongs_to_the_number_before_it(text: str, levels: list[str]) -> None:
    assert words(text) == levels


def test_each_option_is_a_key_and_several_words_are_a_factor(small_catalog: Catalog) -> None:
    found = asked(small_catalog, connections="1 64", payload="1 KiB", nodelay="off")
    assert found.question == (
        "Which of poll and threads serves echo best with nodelay off, 1 and 64 connections, "
        "payload 1 KiB?"
    )
    assert found.factors == {"connections": [1, 64]}
    assert found.load["payload"] == "1 KiB"
    assert list(found.variants) == ["poll", "threads"]
    assert found.design.kind == "interleaved"


def test_its_text_is_the_same_experiment(small_catalog: Catalog) -> None:
    found = asked(small_catalog, connections="1 64", by="goodput latency-p99")
    again = parse_text(found.text, name=found.name, catalog=small_catalog)
    assert again == found


@pytest.mark.parametrize("engine", ["poll", "poll threads", "poll threads epoll-level"])
@pytest.mark.parametrize("seconds", ["30s", "5 min"])
def test_it_takes_the_time_that_it_is_given(
    engine: str, seconds: str, small_catalog: Catalog
) -> None:
    found = asked(small_catalog, seconds, engine=engine, connections="1 64")
    given_s = {"30s": 30.0, "5 min": 300.0}[seconds]
    assert plan_s(make_plan(found)) == pytest.approx(given_s, rel=0.02)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"seconds": "2s"}, "--for=2s is too short for 9 trials, which take"),
        ({"conections": "1"}, "there is no setting --conections here"),
        ({"payload": " "}, "' ' names no value"),
        ({"by": "speed"}, "there is no measure 'speed'"),
        ({"engine": "pol"}, "did you mean poll"),
    ],
)
def test_what_is_wrong_is_said(settings: dict[str, str], said: str, small_catalog: Catalog) -> None:
    with pytest.raises(UsageError, match=said):
        asked(small_catalog, **settings)


@pytest.mark.parametrize(
    "arguments",
    [(), ("--connections=3",), ("--service=http",), ("--for=3s",), ("--engine=poll", "any.toml")],
)
def test_a_run_is_of_a_file_or_of_options(arguments: tuple[str, ...], serverlab: Serverlab) -> None:
    ended = serverlab("run", *arguments)
    assert ended.returncode == 2
    assert "experiment" in ended.stderr


def test_a_run_from_options_keeps_its_file(serverlab: Serverlab) -> None:
    ended = serverlab(
        "run", "--engine=poll epoll-level", "--connections=2", "--for=8s", "--out=run"
    )
    assert ended.returncode == 0
    assert "Goodput over that of poll" in ended.stdout
    assert serverlab("plan", "run/experiment.toml").returncode == 0


def test_a_new_file_is_an_experiment_and_no_old_one_is_lost(
    serverlab: Serverlab, tmp_path: Path
) -> None:
    assert serverlab("new", "my.toml").returncode == 0
    assert serverlab("plan", "my.toml").returncode == 0
    (tmp_path / "my.toml").write_text("mine", encoding="utf-8")
    ended = serverlab("new", "my.toml")
    assert (ended.returncode, ended.stderr) == (
        2,
        "serverlab: cannot write my.toml: File exists\n",
    )
    assert (tmp_path / "my.toml").read_text(encoding="utf-8") == "mine"
