"""What a person sees of a load: on a terminal a live line and a summary, in colour if it may be."""

from __future__ import annotations

import os
import pty
import re
import subprocess
from collections.abc import Iterator

import pytest

from tests.conformance import misbehaving as servers
from tests.conformance.loads import RIGHT
from tests.conformance.misbehaving import misbehaving
from tests.conformance.programs import ENVIRONMENT, LOAD, engines, verdict_statuses
from tests.conformance.server import Server, serving
from tests.waiting import DEADLINE_S

COLOUR = "\033["  # as a terminal's sequences begin
ERASE = "\r\033[K"  # before each live line, with colours or without
SHORT = ["--duration=1200ms", "--warmup=50ms"]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A server that the tests of this file share."""
    with serving(engines()[0]) as running:
        yield running


def seen(*settings: str, **variables: str) -> str:
    """What a load shows on a terminal, to its end."""
    ours, theirs = pty.openpty()
    environment = ENVIRONMENT | {"TERM": "xterm"}
    environment.pop("NO_COLOR", None)
    with subprocess.Popen(
        [LOAD, *SHORT, *settings],
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=subprocess.PIPE,
        env=environment | variables,
    ) as process:
        os.close(theirs)
        shown = b"".join(iter(lambda: read(ours), b""))
        assert process.wait(DEADLINE_S) in verdict_statuses().values()
    os.close(ours)
    return shown.decode().replace("\r\n", "\n")


def read(terminal: int) -> bytes:
    """The next piece; nothing when the other side is closed, which a terminal says by an error."""
    try:
        return os.read(terminal, 1 << 16)
    except OSError:
        return b""


def summary(shown: str) -> str:
    """What stays on the terminal."""
    return shown.rpartition(ERASE)[2]


def test_a_load_lives_in_one_line_and_leaves_a_summary(server: Server) -> None:
    shown = seen(f"--target={server.address}", "--connections=8", NO_COLOR="1")
    lives = shown.split(ERASE)[1:-1]
    assert "connecting 8 to" in lives[0]
    assert any(
        re.search(r"/s +p50 .* p99 .* errors 0 +connections 8 .* s left", line) for line in lives
    )
    assert all("\n" not in line for line in lives)
    lines = summary(shown).splitlines()
    verdict, _, what = lines[0].partition("  ")
    assert verdict in RIGHT
    assert what == f"{server.address}, closed loop, 8 connections"
    labels = [line.split("  ")[1] for line in lines if line.startswith("  ") and line[2] != " "]
    assert [label for label in labels if label != "silence"] == [
        "goodput", "errors", "latency", "service time", "send lag", "connect", "connections", "CPU",
    ]  # fmt: skip
    assert "errors        none" in summary(shown)
    assert max(len(line) for line in lines if line.strip() and not line[:3].isspace()) <= 100


@pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=str)
def test_there_is_no_colour_where_it_is_not_wanted(
    server: Server, variables: dict[str, str]
) -> None:
    coloured = seen(f"--target={server.address}", "--connections=8")
    assert COLOUR in coloured.replace(ERASE, "")
    plain = seen(f"--target={server.address}", "--connections=8", **variables)
    assert COLOUR not in plain.replace(ERASE, "")


def test_several_targets_are_a_table_and_ratios(server: Server) -> None:
    targets = f"--target={server.address} {server.address}"
    pids = f"--server-pid={server.pid} {server.pid}"
    shown = seen(targets, pids, "--slice=100ms", "--connections=8", NO_COLOR="1")
    rows = [line for line in summary(shown).splitlines() if server.address in line]
    assert len(rows) == 4  # two targets, what they are compared with, one ratio
    assert all(" µs" in row and any(name in row for name in RIGHT) for row in rows[:2])
    ratio = r"\d+\.\d{3} \[\d+\.\d{3}, \d+\.\d{3}\]"
    assert re.search(f"goodput {ratio}   server CPU per request {ratio}", rows[3])


def test_a_wrong_reply_is_shown_beside_the_expected_one_and_commands_no_terminal() -> None:
    with misbehaving(servers.answers_nonsense) as address:
        shown = seen(f"--target={address}", NO_COLOR="1")
    text = summary(shown)
    assert re.search(r"wrong reply +the first was wrong_content, on connection 0", text)
    assert re.search(r"expected +[ -~]+\n", text)
    assert f"received    {servers.NONSENSE_SHOWN}\n" in text
    assert "\x1b[2J" not in shown


def test_an_interval_without_an_answer_has_no_latency() -> None:
    with misbehaving(servers.answers_never) as address:
        shown = seen(f"--target={address}", "--timeout=200ms", NO_COLOR="1")
    assert "p50       –  p99       –" in shown
    assert "-1" not in shown
    text = summary(shown)
    assert text.startswith("ERRORS")
    assert re.search(r"errors +\d+ request_timeout", text)
    assert re.search(r"latency .* > timeout", text)
