"""The probe: what it counts of a process, and that nothing stays attached."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from serverlab.machine import sampler
from serverlab.machine.native import program
from serverlab.slices import LANES
from tests.waiting import until

UNAVAILABLE = 69
# As a server: it sleeps in a call, works for a while, and sleeps again.
CALLER = """
import os, sys
for line in sys.stdin:
    for _ in range(int(line)):
        os.getppid()
    print("done", flush=True)
"""

# It sends as many datagrams as it is told.
SENDER = """
import socket, sys
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
out.connect(("127.0.0.1", int(sys.argv[1])))
for line in sys.stdin:
    for _ in range(int(line)):
        out.send(b"x")
    print("done", flush=True)
"""

RECEIVER = """
import socket, sys
bound = socket.socket(fileno=int(sys.argv[1]))
while bound.recv(1): print("received", flush=True)
"""

# It reads a request, works for so many seconds, and sends the reply.
ANSWERER = """
import socket, sys, time
listener = socket.socket(fileno=int(sys.argv[1]))
client, _ = listener.accept()
while request := client.recv(100):
    end_s = time.monotonic() + float(sys.argv[2])
    while time.monotonic() < end_s: pass
    client.sendall(request)
"""


def exchange(client: socket.socket) -> bytes:
    """A request of a byte, and its reply."""
    client.sendall(b"x")
    return client.recv(100)


class Probe:
    """A probe that is told what to do."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [program("serverlab-probe"), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.first = self.event()

    def event(self) -> dict[str, Any]:
        """What it says next; nothing if it has ended."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        return msgspec.json.decode(line) if line else {}

    def told(self, line: str) -> dict[str, Any]:
        """Tell it a line, and read what it says."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.event()

    def links(self) -> int:
        """How many programs it has attached in the kernel."""
        folder = Path("/proc", str(self.process.pid), "fdinfo")
        return sum("link_type" in file.read_text() for file in folder.iterdir())


@contextlib.contextmanager
def probing(*arguments: str) -> Iterator[Probe]:
    """A probe, which is ended at the end."""
    probe = Probe(*arguments)
    try:
        if not probe.first:
            status, said = probe.process.wait(10), probe.process.stderr
            if status == UNAVAILABLE and said is not None:
                pytest.skip(f"this machine takes no probe: {said.read().strip()}")
        yield probe
    finally:
        probe.process.kill()
        probe.process.communicate()


@contextlib.contextmanager
def scripted(
    script: str, *arguments: object, pass_fds: Sequence[int] = ()
) -> Iterator[subprocess.Popen[str]]:
    """A process that runs a script, which is told things and answers."""
    with subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        pass_fds=pass_fds,
    ) as process:
        yield process
        process.kill()


@pytest.fixture
def caller() -> Iterator[subprocess.Popen[str]]:
    """A process that makes as many calls as it is told."""
    with scripted(CALLER) as process:
        yield process


def work(caller: subprocess.Popen[str], calls: int) -> None:
    """Have it make so many calls."""
    assert caller.stdin is not None
    assert caller.stdout is not None
    caller.stdin.write(f"{calls}\n")
    caller.stdin.flush()
    assert caller.stdout.readline() == "done\n"


def test_every_call_is_counted_while_it_is_attached_and_none_else(
    caller: subprocess.Popen[str],
) -> None:
    work(caller, 1)
    with probing(f"--pid={caller.pid}") as probe:
        assert probe.first["event"] == "probing"
        work(caller, 100)
        assert probe.told("attach")["servers"][0]["parts"].get("getppid") is None
        work(caller, 3000)
        parts = probe.told("look")["servers"][0]["parts"]
        assert parts["getppid"]["entries"] == 3000
        assert 0 < parts["getppid"]["cpu_ns"] < parts["getppid"]["entries"] * 100_000
        assert parts["user"]["cpu_ns"] > 0
        until(
            lambda: probe.told("look")["servers"][0]["parts"]["read"]["blocks"] >= 1,
            "the caller waits for the next line",
        )
        work(caller, 1)
        parts = probe.told("look")["servers"][0]["parts"]
        assert 0 < parts["read"]["slept_ns"] <= parts["read"]["cpu_ns"], "it waited in that call"
        assert parts["getppid"]["slept_ns"] == 0
        detached = probe.told("detach")
        assert detached["attached"] is False
        assert detached["threads_lost"] == 0
        work(caller, 100)
        assert probe.told("look")["servers"][0]["parts"]["getppid"]["entries"] == 3001
        probe.told("attach")
        work(caller, 7)
        assert probe.told("detach")["servers"][0]["parts"]["getppid"]["entries"] == 3008


def test_softirqs_that_wake_another_process_are_told_apart() -> None:
    with contextlib.ExitStack() as running:
        bound = running.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        bound.bind(("127.0.0.1", 0))
        port, number = bound.getsockname()[1], bound.fileno()
        sender = running.enter_context(scripted(SENDER, port))
        probe = running.enter_context(probing(f"--pid={sender.pid}"))
        probe.told("attach")
        work(sender, 30)  # with nobody there to be woken
        before = probe.told("look")["servers"][0]["parts"]["softirq"]
        receiver = running.enter_context(scripted(RECEIVER, number, pass_fds=[number]))
        assert receiver.stdout is not None
        for _ in range(30):
            assert receiver.stdout.readline() == "received\n"
        for _ in range(20):
            until(lambda: sampler.state(Path("/proc", str(receiver.pid))) == "S", "it waits")
            work(sender, 1)
            assert receiver.stdout.readline() == "received\n"
        after = probe.told("detach")["servers"][0]["parts"]["softirq"]
    assert 15 <= after["wakes"] - before.get("wakes", 0) <= 25, "timers wake processes, too"
    assert 0 < after["waking_ns"] <= after["cpu_ns"]


def test_processes_and_threads_that_a_server_makes_are_its_own() -> None:
    maker = """
import os, sys, threading
sys.stdin.readline()
def call():
    for _ in range(500): os.getppid()
threads = [threading.Thread(target=call) for _ in range(4)]
for one in threads: one.start()
for one in threads: one.join()
if (child := os.fork()) == 0:
    call()
    os._exit(0)
os.waitpid(child, 0)
print("done", flush=True)
sys.stdin.readline()
"""
    with scripted(maker) as process, probing(f"--pid={process.pid}") as probe:
        probe.told("attach")
        work(process, 1)
        parts = probe.told("detach")["servers"][0]["parts"]
    assert parts["getppid"]["entries"] == 2500


def test_nothing_stays_attached(caller: subprocess.Popen[str]) -> None:
    with probing(f"--pid={caller.pid}") as probe:
        assert probe.links() == 0
        probe.told("attach")
        assert probe.links() > 5
        probe.told("detach")
        assert probe.links() == 0
        probe.told("attach")
        probe.process.send_signal(signal.SIGTERM)
        assert probe.process.wait(10) == 0


def test_stacks_are_sampled_where_the_time_goes(caller: subprocess.Popen[str]) -> None:
    with probing(f"--pid={caller.pid}") as probe:
        assert probe.told("sample")["attached"] is True
        work(caller, 1_000_000)
        probe.told("detach")
        [server] = probe.told("stacks")["servers"]
        samples = sum(stack["samples"] for stack in server["stacks"])
        assert samples > 50
        in_call = sum(
            stack["samples"]
            for stack in server["stacks"]
            if any("getppid" in frame for frame in stack["frames"])
        )
        assert in_call > samples / 20
        assert probe.told("look")["servers"][0]["parts"] == {}  # nothing was counted


def test_two_probes_at_once_count_alike(caller: subprocess.Popen[str]) -> None:
    with probing(f"--pid={caller.pid}") as one, probing(f"--pid={caller.pid}") as other:
        one.told("attach")
        other.told("attach")
        work(caller, 1000)
        for probe in (one, other):
            parts = probe.told("detach")["servers"][0]["parts"]
            assert parts["getppid"]["entries"] == 1000


def test_a_server_that_dies_is_said_at_the_next_border(caller: subprocess.Popen[str]) -> None:
    with probing(f"--pid={caller.pid}") as probe:
        probe.told("attach")
        caller.kill()
        caller.wait()
        assert probe.told("detach")["event"] == "parts"
        assert probe.told("attach") == {}
        assert probe.process.wait(10) == 1
        assert probe.process.stderr is not None
        assert f"--pid: there is no process {caller.pid}" in probe.process.stderr.read()


def test_each_request_of_a_followed_connection_is_told_once() -> None:
    # One reply in a hundred comes while the client is at its socket, which brings it there itself.
    requests, work_s = 300, 0.0005
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        server = subprocess.Popen(
            [sys.executable, "-c", ANSWERER, str(listener.fileno()), str(work_s)],
            pass_fds=[listener.fileno()],
        )
        with (
            probing(f"--pid={server.pid}", f"--port={port}", "--one-in=1") as probe,
            socket.create_connection(("127.0.0.1", port)) as client,
        ):
            assert exchange(client) == b"x"
            assert probe.told("attach")["servers"] == [{"pid": server.pid, "requests": []}]
            for _ in range(requests):
                assert exchange(client) == b"x"
            found = probe.told("detach")
            assert probe.links() == 0
            assert exchange(client) == b"x"
            assert probe.told("look")["servers"][0]["requests"] == []
        server.kill()
        server.wait()
    assert found["lost"] == 0
    [one] = found["servers"]
    assert len(one["requests"]) == requests - 1  # one is over when the next one comes
    for lanes_ns in one["requests"]:
        lanes = dict(zip(LANES, lanes_ns, strict=True))
        served_ns = sum(value for name, value in lanes.items() if name.startswith("served"))
        assert served_ns >= 1e9 * work_s
        assert lanes["not known"] == 0
        assert lanes["reply unread by client"] > 0


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        ([], 2, "--pid=PID is required"),
        (["--pid=1", "--port=70000"], 2, "--port"),
        (["--pid=1", "--port=1 2"], 2, "--port: as many as --pid are wanted"),
        (["--pid=1", "--port=1", "--for=1s"], 2, "--port: requests are followed as lines"),
        (["--pid=1", "--port=1", "--one-in=0"], 2, "--one-in"),
        (["--pid=0"], 2, "--pid"),
        (["--pid=1 2 3 4 5 6 7 8"], 2, "--pid: more than 7 servers"),
        (["--pid=1", "--for=-1s"], 2, "--for"),
        (["--pid=2147483647", "--for=1s"], 1, "no process 2147483647"),
        (["--pid=1", "--no-such"], 2, "there is no option --no-such"),
    ],
)
def test_what_it_cannot_do_is_said(arguments: list[str], status: int, said: str) -> None:
    done = subprocess.run(
        [program("serverlab-probe"), *arguments],
        capture_output=True, text=True, check=False, timeout=20,
    )  # fmt: skip
    if done.returncode == UNAVAILABLE:
        pytest.skip(f"this machine takes no probe: {done.stderr.strip()}")
    assert done.returncode == status
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_line_that_it_does_not_know_ends_it(caller: subprocess.Popen[str]) -> None:
    with probing(f"--pid={caller.pid}") as probe:
        assert probe.told("atach") == {}
        assert probe.process.wait(10) == 1


def test_without_rights_it_says_what_it_wants() -> None:
    done = subprocess.run(
        ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all",
         program("serverlab-probe"), f"--pid={os.getpid()}", "--for=1s"],
        capture_output=True, text=True, check=False, timeout=20,
    )  # fmt: skip
    if os.geteuid() != 0:
        pytest.skip("this machine lets nobody but root become somebody else")
    assert done.returncode == UNAVAILABLE, done.stderr
    assert "the probe wants CAP_BPF" in done.stderr
