"""Servers that are not ours, good ones and bad ones, in runs from the command line."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import pytest

from serverlab.contestants.reading import contestant_of, named
from serverlab.program_log import CUT, LOG_BYTES_MAX
from serverlab.records import PlannedTrial, Switches
from serverlab.running.contestant_process import ContestantProcess, program_of, usages
from serverlab.running.events import Listening, Usage
from serverlab.running.proof import asked_by
from tests.lab.command_line import call, records
from tests.waiting import until

ECHO = """
import os, signal, socket, sys, threading, time
count = 0
def serve(peer):
    global count
    with peer:
        while data := peer.recv(65536):
            count += 1
            {each}
            peer.sendall(data)
{before}
listener = socket.create_server(("{host}", int(sys.argv[1]) * {listens}), backlog=256)
while True:
    peer, _ = listener.accept()
    threading.Thread(target=serve, args=(peer,), daemon=True).start()
"""

ONE_THREAD = """
import asyncio
async def reply(reader, writer):
    while data := await reader.read(65536):
        writer.write(data)
    writer.close()
async def main():
    server = await asyncio.start_server(reply, "127.0.0.1", int(sys.argv[1]))
    await server.serve_forever()
asyncio.run(main())
"""

EXPERIMENT = """
question = "Which of two?"
[server]
engine = ["threads"]
contestant = [{contestants}]
service = "{service}"
[load]
connections = 4
warmup = "50 ms"
duration = "{duration}"
[design]
blocks = 1
twin = false
kind = "{kind}"
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bad:
    """A server that does something wrong, and what a run says of it."""

    verdict: str
    reason: str
    before: str = ""
    each: str = "pass"
    host: str = "127.0.0.1"
    listens: int = 1
    ready_limit_s: int = 20  # a machine that does much else starts Python within seconds
    toml: str = ""
    own: dict[str, str] = field(default_factory=dict)


BAD = {
    "it-does-not-build": Bad(
        verdict="FAILED",
        reason=r"mine does not build: `false` fails; see .*mine-[0-9a-f]{8}\.log",
        toml='build = ["false"]',
    ),
    "a-compiler-says-why": Bad(
        verdict="FAILED",
        reason=r"mine does not build: `ls /none` fails: .*No such file.*; see .*\.log",
        toml='build = ["ls /none"]',
    ),
    "it-needs-what-is-not-there": Bad(
        verdict="UNSUPPORTED",
        reason=r"mine needs no-such-program: Install it\.$",
        toml='needs = ["no-such-program"]\nmissing = "Install it."',
    ),
    "it-cannot-be-started": Bad(
        verdict="FAILED",
        reason=r"mine ended with status 127: cannot start no-such-program: No such file",
        own={"start": "no-such-program {port}"},
    ),
    "it-ends-at-once": Bad(
        verdict="FAILED",
        reason=r"mine ended with status 3: a reason; see .*proof-mine-echo\.log",
        before='print("a reason", flush=True); sys.exit(3)',
    ),
    "it-listens-elsewhere": Bad(
        verdict="FAILED",
        reason=r"mine is not ready after 5 s: it listens on port \d+ and not on \d+",
        listens=0,
        ready_limit_s=5,
    ),
    "it-listens-on-another-address": Bad(
        verdict="FAILED",
        reason=r"after 5 s: it listens on port \d+, but did not accept a connection to 127.0.0.1;",
        host="127.0.0.2",
        ready_limit_s=5,
    ),
    "it-never-listens": Bad(
        verdict="FAILED",
        reason=r"mine is not ready after 1 s: it does not listen on port \d+",
        before="signal.pause()",
        ready_limit_s=1,
    ),
    "it-does-not-print-that-it-is-ready": Bad(
        verdict="FAILED",
        reason=r"mine is not ready after 5 s: it has not printed 'ready now'",
        ready_limit_s=5,
        toml='ready = "ready now"',
    ),
    "it-replies-wrongly": Bad(
        verdict="NOT-OFFERED",
        reason=r"mine: .*sent .*expected .*received",
        each="data = data[::-1]",
    ),
    "it-replies-wrongly-now-and-then": Bad(
        verdict="ERRORS",
        reason=r"wrong",
        each="data = data if count % 200 else b'x' * len(data)",
    ),
    "it-dies-while-it-is-measured": Bad(
        verdict="FAILED",
        reason=r"the server died: mine ended by SIGABRT.*; see .*b1-\d{3}-server\.log",
        each="count < 200 or os.abort()",
    ),
    "its-workers-are-no-children-of-it": Bad(
        verdict="FAILED",
        reason=r"process \d+ of mine is no child of its first process's main thread",
        before="if os.fork() == 0:\n    if os.fork(): os._exit(0)\n    while True: signal.pause()",
    ),
}


def contestant(folder: Path, name: str, bad: Bad) -> None:
    """Write a contestant's folder."""
    own = folder / name
    own.mkdir()
    source = ECHO.format(each=bad.each, before=bad.before, host=bad.host, listens=bad.listens)
    (own / "server.py").write_text(source, encoding="utf-8")
    start = bad.own.get("start", "python3 server.py {port}")
    text = f'services = ["echo"]\nstart = "{start}"\nready_limit = "{bad.ready_limit_s}s"\n'
    (own / "contestant.toml").write_text(text + bad.toml, encoding="utf-8")


def left_over(folder: Path) -> list[psutil.Process]:
    """Processes that run in a folder."""
    every = psutil.process_iter(["cwd"])
    return [process for process in every if str(process.info["cwd"]).startswith(str(folder))]


def run(
    folder: Path, names: list[str], **settings: str
) -> tuple[subprocess.CompletedProcess[str], dict[str, dict[str, Any]]]:
    """Run contestants of a folder beside an engine; its end, and the record of each subject."""
    usual = {"service": "echo", "duration": "200 ms", "kind": "separate"}
    paths = ", ".join(f'"./{name}"' for name in names)
    text = EXPERIMENT.format(contestants=paths, **usual | settings)
    (folder / "x.toml").write_text(text, encoding="utf-8")
    done = call("run", "x.toml", "--out=run", cwd=folder)
    return done, {record["cell"]["engine"]: record for record in records(folder / "run")}


@dataclass(frozen=True, slots=True)
class Ran:
    """A run of all bad servers, and what was left of them."""

    done: subprocess.CompletedProcess[str]
    found: dict[str, dict[str, Any]]
    left: list[psutil.Process]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ran]:
    """One run with all of them."""
    folder = tmp_path_factory.mktemp("bad")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        for name, bad in BAD.items():
            contestant(folder, name, bad)
        done, found = run(folder, list(BAD))
        yield Ran(done, found, left_over(folder))


@pytest.mark.parametrize("name", BAD)
def test_what_is_wrong_with_a_server_is_its_verdict_and_the_run_goes_on(
    ran: Ran, name: str
) -> None:
    verdict, bad = ran.found[name]["verdict"], BAD[name]
    assert verdict["name"] == bad.verdict, verdict
    assert re.search(bad.reason.replace("mine", name), verdict["reason"]), verdict
    assert ran.found["threads"]["verdict"]["name"] == "VALID"


def test_such_a_run_fails_with_a_sentence_each_and_leaves_nothing_running(ran: Ran) -> None:
    assert ran.done.returncode == 1
    assert "Traceback" not in ran.done.stderr
    for name, bad in BAD.items():
        if bad.verdict in {"FAILED", "NOT-OFFERED"}:
            assert f": {name}" in ran.done.stderr or f" {name} " in ran.done.stderr
    assert ran.left == []


def test_what_is_left_with_none_to_be_compared_with_is_not_timed(tmp_path: Path) -> None:
    contestant(tmp_path, "mine", Bad(verdict="", reason=""))
    done, found = run(tmp_path, ["mine"], service="http")
    assert done.returncode == 1
    reason = "mine does not speak http: its services are echo"
    assert done.stderr.endswith(f"nothing to compare, and nothing was timed: {reason}\n")
    assert not found


def test_a_server_that_ignores_its_signal_is_killed(tmp_path: Path) -> None:
    before = "signal.signal(signal.SIGTERM, signal.SIG_IGN)"
    contestant(tmp_path, "mine", Bad(verdict="VALID", reason="", before=before))
    done, found = run(tmp_path, ["mine"])
    assert "mine does not end on SIGTERM: serverlab kills it" in done.stderr
    assert found["mine"]["verdict"]["name"] == "VALID", found
    assert left_over(tmp_path) == []


def test_a_contestant_is_looked_at_from_outside(tmp_path: Path) -> None:
    toml = 'version = "echo version 7"\nlanguage = "Python"'
    contestant(tmp_path, "mine", Bad(verdict="VALID", reason="", toml=toml, before=ONE_THREAD))
    done, found = run(tmp_path, ["mine"], duration="500 ms")
    assert done.returncode == 0, done.stderr
    server = found["mine"]["server"]
    assert server["version"] == "version 7"
    assert server["cpu_per_request_us"] > 0
    assert server["threads_max"] == 1
    assert server["descriptors_max"] >= 4 + 1  # its connections, and the listening socket
    assert server["switches"]["voluntary"] > 0
    assert server["summary"] is None
    assert found["mine"]["contestant"]["language"] == "Python"
    assert left_over(tmp_path) == []
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "python3 server.py {port}" in page
    assert "version 7" in page


def test_switches_of_threads_that_have_ended_are_not_known() -> None:
    one, two = Switches(10, 1), Switches(30, 2)
    first, second = usages([{"7": one}, {"7": two, "8": one}])
    assert (first, second) == (Usage(one), Usage(Switches(40, 3)))
    assert usages([{"7": one, "8": one}, {"7": two}]) == []
    assert usages([{"7": one}]) == []


def test_a_connection_has_the_congestion_control_of_the_experiment(tmp_path: Path) -> None:
    say = "print(peer.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16), flush=True)"
    contestant(tmp_path, "mine", Bad(verdict="", reason="", each=say))
    found = named("./mine", ["echo"], tmp_path)
    log = tmp_path / "log"
    with ContestantProcess(found, "echo", {"congestion": "reno"}, log) as server:
        address = server.await_event(Listening, 10).address
        host, _, port = address.partition(":")
        with socket.create_connection((host, int(port))) as peer:
            peer.sendall(b"x")
            assert peer.recv(1) == b"x"
    assert "b'reno" in log.read_text(encoding="utf-8")


def test_a_server_that_is_running_is_found_by_its_port_and_left_running(tmp_path: Path) -> None:
    contestant(tmp_path, "mine", Bad(verdict="", reason=""))
    found = named("./mine", ["echo"], tmp_path)
    with ContestantProcess(found, "echo", {}, tmp_path / "log") as server:
        address = server.await_event(Listening, 10).address
        there = contestant_of(
            "there", {"services": ["echo"], "address": address}, ["echo"], tmp_path
        )
        with program_of(there, "echo", {}, tmp_path / "none") as seen:
            assert seen.await_event(Listening, 10).address == address
            assert seen.pid == server.pid
            assert seen.look().rss_bytes > 0
        assert server.is_alive()


def test_a_server_has_ended_before_its_guard_has(tmp_path: Path) -> None:
    contestant(tmp_path, "mine", Bad(verdict="", reason=""))
    found = named("./mine", ["echo"], tmp_path)
    with ContestantProcess(found, "echo", {}, tmp_path / "log") as server:
        server.await_event(Listening, 10)
        guard = psutil.Process(server.guard.pid)
        guard.suspend()  # as if other work had the CPUs for a while
        try:
            psutil.Process(server.pid).kill()
            until(lambda: not server.is_alive(), "the server is not alive")
        finally:
            guard.resume()
        assert server.ending().signal == signal.SIGKILL


def test_what_a_load_asks_decides_what_a_contestant_has_to_show() -> None:
    trial = PlannedTrial(
        trial="b1-001", block=1, order=1, cell={}, engine="mine", service="forum",
        server_settings={}, load_settings={"forum-framing": "lf", "connections": "4"},
    )  # fmt: skip
    assert asked_by(trial) == [("forum-framing", "lf")]


# Prints without pause, and says that it ends.
CHATTY = """
import os, signal, sys
signal.signal(signal.SIGTERM, lambda *_: (print("the end", flush=True), os._exit(0)))
print("ready", flush=True)
while True:
    os.write(1, b"again and again" * 4096)
"""


def test_of_a_server_that_prints_without_pause_the_end_is_kept(tmp_path: Path) -> None:
    server = tmp_path / "chatty.py"
    server.write_text(CHATTY, encoding="utf-8")
    contestant = contestant_of(
        "chatty",
        {"start": f"{sys.executable} {server} {{port}}", "services": ["echo"]},
        ["echo"],
        tmp_path,
    )
    log = tmp_path / "log"
    with program_of(contestant, "echo", {}, log):
        until(lambda: log.read_bytes()[:100].startswith(CUT), "its beginning is cut")
    assert log.stat().st_size <= LOG_BYTES_MAX
    assert log.read_bytes().endswith(b"the end\n")
