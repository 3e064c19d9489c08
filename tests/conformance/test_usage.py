"""A program that cannot do as it is told says so in one sentence, and ends with a status."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from tests.conformance.commands import run
from tests.conformance.programs import LOAD, SERVER, catalogue, engine_row, engines
from tests.conformance.server import serving

FAILED = 1
TOLD_WRONG = 2
UNSUPPORTED = 69

# Arguments, and words that the sentence must hold: what is wrong, and what would be right.
SERVER_MISTAKES: list[tuple[list[str], list[str]]] = [
    ([], ["--engine"]),
    (["--engine=steam"], ["'steam'", "--list"]),
    (["--engine=poll", "--service=coffee"], ["'coffee'", "--list"]),
    (["--engin=poll"], ["--engin", "--engine"]),
    (["--engine=poll", "--colour=red"], ["--colour", "--help"]),
    (["--engine=poll", "stray"], ["stray"]),
    (["--engine=poll", "--backlog"], ["--backlog"]),
    (["--engine=poll", "--backlog=1", "--backlog=2"], ["--backlog"]),
    (["--engine=poll", "--backlog=0"], ["--backlog", "'0'", "from 1 to"]),
    (["--engine=poll", "--backlog=-1"], ["--backlog", "'-1'"]),
    (["--engine=poll", "--read-buffer=much"], ["--read-buffer", "'much'", "16KiB"]),
    (["--engine=poll", "--read-buffer=0"], ["--read-buffer", "'0'", "between 1 B"]),
    (["--engine=poll", "--drain-limit=5"], ["--drain-limit", "'5'", "10s"]),
    (["--engine=poll", "--nodelay=maybe"], ["--nodelay", "'maybe'", "on|off"]),
    (["--engine=poll-offload", "--queue=middle"], ["--queue", "'middle'", "fifo|lifo"]),
    (["--engine=poll-offload", "--threads=5000"], ["--threads", "'5000'", "4096"]),
    (["--engine=poll", "--cpus=x"], ["--cpus", "'x'"]),
    (["--engine=poll", "--listen=nowhere"], ["'nowhere'", "127.0.0.1:7000"]),
    (["--engine=poll", "--listen=127.0.0.1:70000"], ["127.0.0.1:70000"]),
    (["--engine=poll", "--listen=127.0.0.1:http\n"], ["'127.0.0.1:http\\x0a'", "127.0.0.1:7000"]),
    (["--engine=po\nll"], ["'po\\x0all'"]),
]

LOAD_MISTAKES: list[tuple[list[str], list[str]]] = [
    ([], ["--target"]),
    (["--target=nowhere"], ["'nowhere'", "127.0.0.1:7000"]),
    (["--target=127.0.0.1:1", "--service=coffee"], ["'coffee'"]),
    (["--target=127.0.0.1:1", "--connection=5"], ["--connection", "--connections"]),
    (["--target=127.0.0.1:1", "--connections=0"], ["--connections", "'0'"]),
    (["--target=127.0.0.1:1", "--depth=1.5"], ["--depth", "'1.5'"]),
    (["--target=127.0.0.1:1", "--duration=10"], ["--duration", "'10'", "10s"]),
    (["--target=127.0.0.1:1", "--payload=0"], ["--payload", "'0'"]),
    (["--target=127.0.0.1:1", "--model=shut"], ["--model", "'shut'", "closed"]),
    (["--target=127.0.0.1:1", "--threads=2"], ["workers", "connections"]),
    (["--target=127.0.0.1:1", "--duration=0s"], ["--duration", "'0s'", "between"]),
    (["--target=127.0.0.1:1", "--duration=1000000000s"], ["--duration", "between"]),
    (["--target=127.0.0.1:1", "--model=open"], ["--rate", "above 0"]),
    (["--target=127.0.0.1:1", "--model=open", "--rate=0"], ["--rate", "above 0"]),
    (["--target=127.0.0.1:1", "--model=open", "--rate=-1"], ["--rate", "'-1'"]),
    (["--target=127.0.0.1:1", "--model=open", "--rate=nan"], ["--rate", "'nan'"]),
    (["--target=127.0.0.1:1", "--model=open", "--rate=1000000000"], ["--rate", "from 0 to"]),
    (["--target=127.0.0.1:1", "--rate=5"], ["--rate", "--model=closed", "open, open-bounded"]),
    (["--target=127.0.0.1:1", "--timeout=0s"], ["--timeout", "'0s'", "between"]),
    (
        ["--target=127.0.0.1:1", "--processes=900", "--connections=1000000", "--source=127.0.0.1"],
        ["--source", "local addresses", "1 are given"],
    ),
    (["--target=192.0.2.1:1", "--processes=9", "--connections=100000"], ["ports", "--source"]),
    (["--target=127.0.0.1:1", "--source=::1"], ["--source", "[::1]:0", "127.0.0.1:1"]),
    (["--target=127.0.0.1:1", "--slice=1ns"], ["--slice", "too many", "--duration"]),
    (
        ["--target=127.0.0.1:1", "--slice=1us", "--duration=1h"],
        ["--slice", "3600000001 slices", "200000 in all", "--duration"],
    ),
    (
        ["--target=127.0.0.1:1", "--service=http", "--http-body=@/dev/zero"],
        ["--http-body", "/dev/zero", "64 MiB"],
    ),
    (["--target=::1:7000"], ["'::1:7000'", "[::1]:7000"]),
    (["--target=127.0.0.1:70000"], ["127.0.0.1:70000", "65535"]),
    (["--target=127.0.0.1:1", "--json=/nowhere/result.json"], ["--json", "/nowhere/result.json"]),
]


def words(arguments: list[str]) -> str:
    """How a case is named: as it would be typed."""
    return " ".join(arguments) or "nothing"


@pytest.mark.parametrize(
    ("arguments", "expected"), SERVER_MISTAKES, ids=[words(case[0]) for case in SERVER_MISTAKES]
)
def test_a_server_that_is_told_wrong_says_what_is_wrong(
    arguments: list[str], expected: list[str]
) -> None:
    ended = run(SERVER, *arguments)
    sentence = ended.sentence("serverlab-server")
    assert all(word in sentence for word in expected), sentence
    assert ended.stdout == ""
    assert ended.status == TOLD_WRONG


@pytest.mark.parametrize(
    ("arguments", "expected"), LOAD_MISTAKES, ids=[words(case[0]) for case in LOAD_MISTAKES]
)
def test_a_load_that_is_told_wrong_says_what_is_wrong(
    arguments: list[str], expected: list[str]
) -> None:
    ended = run(LOAD, *arguments)
    sentence = ended.sentence("serverlab-load")
    assert all(word in sentence for word in expected), sentence
    assert ended.short_of() == ("ports" if "local addresses" in sentence else "")
    assert ended.status == TOLD_WRONG


@pytest.mark.parametrize(
    ("program", "arguments", "expected"),
    [
        (SERVER, ["--engine=poll", "--cpus=4000"], ["--cpus", "4000"]),
        (LOAD, ["--target=127.0.0.1:1", "--cpus=4000"], ["--cpus", "4000"]),
        (
            LOAD,
            ["--target=127.0.0.1:1", "--connections=16000000"],
            ["--connections", "descriptors", "--processes"],
        ),
    ],
    ids=["server-cpus", "load-cpus", "load-connections"],
)
def test_what_this_machine_cannot_do_has_a_status_of_its_own(
    program: Path, arguments: list[str], expected: list[str]
) -> None:
    ended = run(program, *arguments)
    sentence = ended.sentence(program.name)
    assert all(word in sentence for word in expected), sentence
    assert ended.short_of() == ("descriptors" if "--processes" in expected else "")
    assert ended.status == UNSUPPORTED


def test_a_port_in_use_is_named(engine: str) -> None:
    with serving(engine) as server:
        ended = run(SERVER, f"--engine={engine}", f"--listen={server.address}")
        assert ended.status == FAILED
        sentence = ended.sentence("serverlab-server")
        assert sentence == f"bind {server.address}: Address already in use"


def test_an_address_of_another_machine_is_named(engine: str) -> None:
    ended = run(SERVER, f"--engine={engine}", "--listen=192.0.2.1:0")
    assert ended.status == FAILED
    assert ended.sentence("serverlab-server").startswith("bind 192.0.2.1:0: ")


def test_a_host_that_cannot_be_resolved_is_named(engine: str) -> None:
    ended = run(SERVER, f"--engine={engine}", "--listen=host.invalid:0")
    assert ended.status in {FAILED, TOLD_WRONG}
    assert "'host.invalid:0'" in ended.sentence("serverlab-server")


def test_a_target_that_cannot_be_resolved_is_named() -> None:
    ended = run(LOAD, "--target=host.invalid:7000")
    assert ended.status in {FAILED, TOLD_WRONG}
    assert "'host.invalid:7000'" in ended.sentence("serverlab-load")


def test_an_unknown_congestion_control_is_named(engine: str) -> None:
    ended = run(SERVER, f"--engine={engine}", "--congestion=none-such")
    assert ended.status in {FAILED, TOLD_WRONG}
    assert "'none-such'" in ended.sentence("serverlab-server")


def unsupported_settings() -> list[tuple[str, str]]:
    """Each engine with each setting that its row says is unsupported."""
    of_single_engines = {name for row in catalogue().engines for name in row.extra_settings}
    return [
        (engine, setting)
        for engine in engines()
        for setting in sorted(
            {*engine_row(engine).unsupported_settings, *of_single_engines}
            - set(engine_row(engine).extra_settings)
        )
    ]


@pytest.mark.parametrize(("engine", "setting"), unsupported_settings())
def test_a_setting_that_the_engine_does_not_support_is_refused(engine: str, setting: str) -> None:
    fallback = next(row.fallback for row in catalogue().settings if row.name == setting)
    ended = run(SERVER, f"--engine={engine}", f"--{setting}={fallback}")
    assert ended.status == TOLD_WRONG
    sentence = ended.sentence("serverlab-server")
    assert sentence == f"--{setting}: the engine '{engine}' does not support it"


def test_an_empty_value_is_a_value_and_not_the_next_argument() -> None:
    settings = ("--cpus=", "--congestion=", "--backlog=100")
    with serving(engines()[0], *settings) as server:
        assert server.events[-1]["engine"] == engines()[0]


@pytest.mark.parametrize("program", [SERVER, LOAD], ids=lambda path: path.name)
def test_help_and_version_are_printed(program: Path) -> None:
    for flag, word in (("--help", "Examples:"), ("-h", "Examples:"), ("--version", "0.")):
        ended = run(program, flag)
        assert (ended.status, ended.stderr) == (0, "")
        assert word in ended.stdout


def test_the_list_names_every_engine_and_service_with_what_it_is() -> None:
    printed = run(SERVER, "--list").stdout
    for row in [*catalogue().engines]:
        assert f"{row.name} " in printed
        assert row.model in printed
        assert row.difference in printed
    for service in catalogue().services:
        assert f"{service.name} " in printed
        assert service.summary in printed


@pytest.mark.parametrize("program", [SERVER, LOAD], ids=lambda path: path.name)
def test_the_list_for_programs_names_each_setting_of_the_help_once(program: Path) -> None:
    listed = msgspec.json.decode(run(program, "--list-json").stdout)
    printed = run(program, "--help").stdout
    names = [row["name"] for row in listed["settings"]]
    assert len(names) == len(set(names))
    for row in listed["settings"]:
        assert f"--{row['name']} " in printed
        assert row["meaning"] in printed
