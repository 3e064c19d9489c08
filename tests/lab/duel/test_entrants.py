"""What the words of a duel's command line name, and the experiment that they make."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from serverlab.design.catalog import catalog
from serverlab.design.plan import make_plan, plan_s
from serverlab.duel.entrants import entrants_of
from serverlab.duel.file import experiment_of
from serverlab.errors import UsageError

ENGINES = ["epoll-level", "threads", "poll"]


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A contestant in the folder of the test, in which it runs."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "mine"
    folder.mkdir()
    text = 'services = ["echo"]\nstart = "python3 server.py {port}"\n'
    (folder / "contestant.toml").write_text(text, encoding="utf-8")
    return "mine"


def test_each_kind_of_subject_is_known_by_its_form(mine: str) -> None:
    texts = ["threads", mine, f"./{mine}/contestant.toml", "127.0.0.1:80", "./s --port={port}"]
    texts.append("[::1]:80")
    found = entrants_of(texts, ENGINES, "echo")
    assert [(one.name, one.engine) for one in found] == [
        ("threads", "threads"),
        ("mine", ""),
        ("mine-2", ""),
        ("127.0.0.1:80", ""),
        ("s", ""),
        ("1:80", ""),
    ]
    assert [one.table for one in found[1:]] == [
        {"file": "mine/contestant.toml"},
        {"file": "mine/contestant.toml"},
        {"address": "127.0.0.1:80", "services": ["echo"]},
        {"start": "./s --port={port}", "services": ["echo"]},
        {"address": "[::1]:80", "services": ["echo"]},
    ]


def test_an_engine_may_have_settings_of_its_own() -> None:
    first, second = entrants_of(["threads", "threads --backlog=8 --cpus=1"], ENGINES, "echo")
    assert (first.name, first.table) == ("threads", {})
    assert (second.name, second.engine) == ("threads-2", "threads")
    assert second.table == {"backlog": "8", "cpus": "1"}


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("python3 -m http.server {port}", "http"),
        ("./build/new/my_server --port={port}", "my_server"),
        ("node --no-warnings app.js {port}", "app"),
        ("/usr/bin/env python3.11 threads.py {port}", "threads-2"),
    ],
)
def test_a_command_is_named_after_the_program(command: str, name: str) -> None:
    assert entrants_of(["threads", command], ENGINES, "echo")[1].name == name


@pytest.mark.parametrize(
    ("texts", "sentence"),
    [
        (["threads --no-value"], "behind an engine stand settings such as --threads=4"),
        (["threads", "epol-level"], "'epol-level' is no subject; did you mean epoll-level"),
        (["threads", "./no-such"], "a command with {port}"),
        (["threads", "./server 'x --port={port}"], "no closing quotation"),
    ],
)
def test_what_is_no_subject_is_said(texts: list[str], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        entrants_of(texts, ENGINES, "echo")


def test_a_duel_takes_as_long_as_it_may_and_its_file_says_all(mine: str) -> None:
    entrants = entrants_of(["threads", "threads", mine], ENGINES, "echo")
    settings = {"connections": "16", "backlog": "256", "rate": "10000"}
    made = experiment_of(entrants, settings, catalog(), service="echo", seconds="90s")
    assert list(made.variants) == ["threads", "threads-2", "mine"]
    assert made.own_settings["threads-2"] == {"backlog": "256"}
    assert made.own_settings["mine"] == {}
    plan = make_plan(made, seed=1)
    assert 70 < plan_s(plan) < 90
    assert {trial.load_settings.get("rate") for trial in plan.trials} == {None, "10000"}
    again = tomllib.loads(made.text)
    assert again["engine"]["threads-2"] == {"is": "threads", "backlog": 256}
    assert again["design"]["baseline"] == "threads"


@pytest.mark.parametrize(
    ("settings", "seconds", "sentence"),
    [
        ({}, "5s", "--for=5s is too short: 4 blocks take"),
        ({"model": "open"}, "60s", "no setting --model"),
        ({"conections": "1"}, "60s", "did you mean --connections"),
    ],
)
def test_what_a_duel_cannot_be_is_said(
    settings: dict[str, str], seconds: str, sentence: str
) -> None:
    entrants = entrants_of(["threads", "poll"], ENGINES, "echo")
    with pytest.raises(UsageError, match=sentence):
        experiment_of(entrants, settings, catalog(), service="echo", seconds=seconds)
