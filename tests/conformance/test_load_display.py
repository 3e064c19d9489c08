"""What a person sees of a load: on a terminal a live line and a summary, in colour if it may be."""

from __future__ import annotations

import os
import pty
import re
import subprocess
from collections.abc import Iterator

import pytest

from tests.conformance import misbehaving as servers
from tests.conformance.misbehaving import misbehaving
from tests.conformance.programs import ENVIRONMENT, LOAD, engines
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
        assert process.wait(DEADLINE_S) == 0
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
    assert lines[0] == f"VALID  {server.address}, closed loop, 8 connections"
    labels = [line.split("  ")[1] for line in lines if line.startswith("  ") and line[2] != " "]
    assert labels == [
        "goodput", "errors", "latency", "service time", "send lag", "connect", "connections", "CPU",
    ]  # fmt: skip
    assert "errors        none" in summary(shown)
    assert max(map(len, lines)) <= 100


@pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=str)
def test_there_is_no_colour_where_it_is_not_wanted(
    server: Server, variables: dict[str, str]
) -> None:
    coloured = seen(f"--target={server.address}", "--connections=8")
    assert f"{COLOUR}1;32mVALID" in coloured
    plain = seen(f"--target={server.address}", "--connections=8", **variables)
    assert COLOUR not in plain.replace(ERASE, "")


def test_several_targets_are_a_table_and_ratios(server: Server) -> None:
    targets = f"--target={server.address} {server.address}"
    pids = f"--server-pid={server.pid} {server.pid}"
    shown = seen(targets, pids, "--slice=100ms", "--connections=8", NO_COLOR="1")
    rows = [line for line in summary(shown).splitlines() if server.address in line]
    assert len(rows) == 4  # two targets, what they are compared with, one ratio
    assert all("VALID" in row and " µs" in row for row in rows[:2])
    ratio = r"\d\.\d{3} \[\d\.\d{3}, \d\.\d{3}\]"
    assert re.search(f"goodput {ratio}   server CPU per request {ratio}", rows[3])


def test_an_interval_without_an_answer_has_no_latency() -> None:
    with misbehaving(servers.answers_never) as address:
        shown = seen(f"--target={address}", "--timeout=200ms", NO_COLOR="1")
    assert "p50       –  p99       –" in shown
    assert "-1" not in shown
    text = summary(shown)
    assert text.startswith("ERRORS")
    assert re.search(r"errors +\d+ request_timeout", text)
    assert re.search(r"latency .* > timeout", text)
