"""A wrong setting is an error before anything runs; what the machine cannot do is known before."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from serverlab.design.catalog import Setting, catalog
from serverlab.machine.native import program
from serverlab.running.checks import LOAD, SERVER, checked
from tests.lab.conftest import Serverlab

PLAIN = """question = "Which?"
[server]
engine = ["poll", "poll-offload"]
[load]
connections = [1, 2]
duration = "100 ms"
warmup = "10 ms"
[design]
blocks = 1
"""
WRONG = {
    "more than the capacity": (
        ("[load]", '[load]\nmodel = "open"\nrate = "150%"'),
        "any.toml: [load] rate: '150%' is not between 1% and 100%",
    ),
    "two shares of the capacity": (
        ("[load]", '[load]\nrate = ["50%", "80%"]'),
        "any.toml: [load] rate: a share of the capacity cannot be one of several rates",
    ),
    "a rate that is no number": (
        ("[load]", '[load]\nmodel = "open"\nrate = [nan]'),
        "any.toml: [load] rate: nan is no value of a setting",
    ),
    "no such service": (
        ("[load]", 'service = "htp"\n[load]'),
        "any.toml: [server] service = 'htp': there is no service 'htp'; did you mean http?",
    ),
    "no duration": (
        ('"10 ms"', '"soon"'),
        "any.toml: [load] warmup = 'soon': 'soon' is not a duration such as 10s",
    ),
    "beyond a bound": (
        ("[load]", "backlog = 0\n[load]"),
        "any.toml: [server] backlog = '0': '0' is not a whole number from 1 to",
    ),
    "a factor that one engine does not support": (
        ("[load]", 'queue = ["lifo"]\n[load]'),
        "any.toml: [server] queue = 'lifo': the engine 'poll' does not support it",
    ),
    "in the table of an engine": (
        ("[load]", '[engine.poll]\nqueue = "lifo"\n[load]'),
        "any.toml: [engine.poll] queue = 'lifo': the engine 'poll' does not support it",
    ),
    "workers without connections": (
        ("[load]", "[load]\nthreads = 2"),
        "any.toml: [load] connections = '1': 2 workers cannot share 1 connections",
    ),
    "a setting of another service": (
        ("[load]", "[load]\nkv-keys = 3"),
        "any.toml: [load] kv-keys = '3': the service 'echo' does not support it",
    ),
}


@pytest.mark.parametrize("command", ["plan", "run"])
@pytest.mark.parametrize(("change", "complaint"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_setting_is_named_before_anything_is_run(
    command: str, change: tuple[str, str], complaint: str, serverlab: Serverlab, tmp_path: Path
) -> None:
    assert change[0] in PLAIN
    (tmp_path / "any.toml").write_text(PLAIN.replace(*change, 1), encoding="utf-8")
    ended = serverlab(command, "any.toml")
    assert ended.returncode == 2, ended.stderr
    assert complaint in ended.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["any.toml"]


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        (
            ("search", "--engine=poll", "--slo=p99 <= 1s", "--queue=lifo"),
            "the engine 'poll' does not support it",
        ),
        (("search", "--engine=poll", "--slo=p99 <= 1s", "--payload=x"), "is not a size"),
        (("stress", "--engine=poll", "--backlog=0"), "is not a whole number"),
        (
            ("stress", "--engine=poll", "--service=forum", "--payload=1"),
            "the service 'forum' does not support it",
        ),
    ],
)
def test_a_study_begins_with_settings_that_are_right(
    command: tuple[str, ...], complaint: str, serverlab: Serverlab, tmp_path: Path
) -> None:
    ended = serverlab(*command)
    assert ended.returncode == 2, ended.stderr
    assert complaint in ended.stderr
    assert list(tmp_path.iterdir()) == []


def test_what_the_machine_cannot_do_is_planned_and_said(
    serverlab: Serverlab, tmp_path: Path
) -> None:
    text = PLAIN.replace("[load]", 'cpus = ["0", "0,4000"]\n[load]')
    (tmp_path / "any.toml").write_text(text, encoding="utf-8")
    ended = serverlab("plan", "any.toml")
    assert ended.returncode == 0, ended.stderr
    said = " ".join(ended.stdout.split())
    assert (
        "UNSUPPORTED on this machine, 6 trials: serverlab-server: --cpus: CPU 4000 of 0,4000 is "
        "not there or not allowed" in said
    )


def test_a_warm_up_until_the_load_is_steady_can_be_planned(
    serverlab: Serverlab, tmp_path: Path
) -> None:
    (tmp_path / "any.toml").write_text(PLAIN.replace('"10 ms"', '"auto"'), encoding="utf-8")
    for arguments in ((), ("--duration=1s",)):
        assert serverlab("plan", "any.toml", *arguments).returncode == 0


def test_of_a_long_plan_the_number_is_told_and_the_beginning_shown(
    serverlab: Serverlab, tmp_path: Path
) -> None:
    levels = ", ".join(map(str, range(1, 31)))
    text = PLAIN.replace("[1, 2]", f"[{levels}]").replace("blocks = 1", "blocks = 100")
    (tmp_path / "any.toml").write_text(text, encoding="utf-8")
    short = serverlab("plan", "any.toml").stdout
    assert "9,000 trials, interleaved, about" in " ".join(short.split())
    assert "… and 8,800 more: --all" in short
    assert short.count("poll") < 300


SIDES = [
    (SERVER, catalog().server_settings, {"engine": "poll-offload"}),
    (LOAD, catalog().load_settings, {"target": "127.0.0.1:1"}),
]
KINDS = {"COUNT", "SIZE", "DURATION", "NUMBER", "CPUS"}


@pytest.mark.parametrize(("name", "settings", "right"), SIDES, ids=[SERVER, LOAD])
def test_no_program_takes_a_wrong_value_for_any_of_its_settings(
    name: str, settings: dict[str, Setting], right: dict[str, str]
) -> None:
    wrong = [
        one.name
        for one in settings.values()
        if (one.values in KINDS or one.choices) and one.group != "The engine's model"
    ]
    assert len(wrong) > 10
    found = checked(name, [right | {setting: "w\x1bong"} for setting in wrong])
    assert {one.status for one in found} == {2}
    named = {setting: one.setting for setting, one in zip(wrong, found, strict=True)}
    assert named == {setting: setting for setting in wrong}


@pytest.mark.parametrize(
    ("name", "row", "status"),
    [
        (SERVER, {"engine": "pol"}, 2),
        (SERVER, {"engine": "poll", "backlog": "0"}, 2),
        (SERVER, {"engine": "poll", "listen": "x"}, 2),
        (SERVER, {"engine": "poll", "cpus": "0,4000"}, 69),
        (LOAD, {"target": "127.0.0.1:1", "rate": "50%"}, 2),
        (LOAD, {"target": "127.0.0.1:1 127.0.0.1:2"}, 2),
        (LOAD, {"target": "127.0.0.1:1", "service": "htp"}, 2),
        (LOAD, {"target": "127.0.0.1:1", "cpus": "4000"}, 69),
    ],
)
def test_a_check_and_a_start_refuse_in_the_same_words(
    name: str, row: dict[str, str], status: int
) -> None:
    [result] = checked(name, [row])
    assert result.status == status
    arguments = [f"--{key}={value}" for key, value in row.items()]
    for flags in (["--check"], []):
        ended = subprocess.run(
            [program(name), *arguments, *flags],
            capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip
        assert ended.returncode == status
        assert ended.stderr == f"{name}: {result.text}\n"
        assert ended.stdout == ""


def test_a_check_opens_no_file(tmp_path: Path) -> None:
    rows = [{"engine": "poll", "connection-log": str(tmp_path / "log")}]
    assert [one.status for one in checked(SERVER, rows)] == [0]
    outputs = ("json", "hlog", "hgrm", "wrk2", "fortio", "benchstat", "connection-log")
    files = {name: str(tmp_path / name) for name in outputs}
    assert [one.status for one in checked(LOAD, [{"target": "127.0.0.1:1"} | files])] == [0]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", [SERVER, LOAD])
def test_a_message_shows_what_a_terminal_would_obey(name: str) -> None:
    ended = subprocess.run(
        [program(name), b"--\x1b[2J\xff\xe2\x80\xae\xc2\x9b=1"],
        capture_output=True, check=False, timeout=60,
    )  # fmt: skip
    assert ended.returncode == 2
    assert rb"there is no option --\x1b[2J\xff\u202e\x9b;" in ended.stderr
