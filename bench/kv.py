"""What a request to the key-value store costs, beside Debian's redis-server: one core each.

GET and SET of 64 B by 64 connections, in turns. The bars: at depth 1, server CPU per request at
most 1.0 of Redis's; at depth 16, at least 1.4 of its throughput.
"""

from __future__ import annotations

import contextlib
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bench.slices import START_LIMIT_S, Server, Slices, in_words, load_in_slices, serving
from serverlab.console import say
from serverlab.errors import LabError
from serverlab.machine.machine import congestion_control, cpu_halves
from serverlab.machine.native import dies_with_parent, program

CONNECTIONS = 64
KEYS = 1000
DURATION_S = 10  # for each server and question
BUSY_MIN = 0.95  # of a CPU: what is as busy is what limits the throughput
SERVER_CPU = "server_per_request_us"

REDIS, OURS = 0, 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A command at a depth, and the bar of its measure: ours over Redis's."""

    command: str
    get_share: int
    depth: int
    measure: str
    bar: str


QUESTIONS = [
    Question(command=command, get_share=share, depth=depth, measure=measure, bar=bar)
    for depth, measure, bar in [
        (1, "server CPU per request", "at most 1.0"),
        (16, "goodput", "at least 1.4"),
    ]
    for command, share in [("SET", 0), ("GET", 1)]  # what is to be got is set before
]


def free_port() -> int:
    """A port on which no program listens now; Redis does not say which it has chosen itself."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def accepts_connections(port: int) -> bool:
    """Whether a program listens there."""
    with socket.socket() as peer:
        return peer.connect_ex(("127.0.0.1", port)) == 0


@contextlib.contextmanager
def serving_redis(cpu: str) -> Iterator[Server]:
    """Run a redis-server that keeps nothing on disk, until the block ends."""
    if shutil.which("redis-server") is None:
        raise LabError("redis-server is not there: Debian's package of that name has it")
    port = free_port()
    options = ["--bind", "127.0.0.1", "--port", str(port), "--save", "", "--appendonly", "no"]
    with tempfile.TemporaryDirectory() as folder:
        command = ["taskset", "--cpu-list", cpu, "redis-server", *options, "--dir", folder]
        with subprocess.Popen(dies_with_parent(command), stdout=subprocess.DEVNULL) as process:
            try:
                deadline_s = time.monotonic() + START_LIMIT_S
                while not accepts_connections(port):
                    if process.poll() is not None or time.monotonic() > deadline_s:
                        raise LabError("redis-server does not start")
                    time.sleep(0.01)
                yield Server(name="redis", address=f"127.0.0.1:{port}", pid=process.pid)
            finally:
                process.terminate()


def ask(servers: list[Server], question: Question) -> Slices:
    """Load both servers with one command at one depth."""
    return load_in_slices(
        servers,
        "--service=kv-resp",
        f"--connections={CONNECTIONS}",
        f"--depth={question.depth}",
        f"--kv-get-share={question.get_share}",
        f"--kv-keys={KEYS}",
        f"--duration={DURATION_S}s",
        f"--congestion={congestion_control()}",
    )


def busy(result: dict[str, Any], cpu_per_request_us: str) -> float:
    """The CPUs that a server, or the generator in its slices, has used on the average."""
    return float(1e-6 * result["cpu"][cpu_per_request_us] * result["rate"]["goodput_per_s"])


def tell(question: Question, slices: Slices) -> None:
    """Print the ratio that has a bar, and what it is made of."""
    ratio = slices.ratio(OURS, REDIS, question.measure)
    say(f"{question.command}, depth {question.depth}, {ratio.pairs} slices of 200 ms each")
    say(f"  {question.measure}, kv-resp / redis  {in_words(ratio)}  bar: {question.bar}")
    for name, server in (("redis", REDIS), ("kv-resp", OURS)):
        result = slices.results[server]
        say(
            f"  {name:<8} {result['cpu']['server_per_request_us']:6.3f} µs a request, "
            f"{result['rate']['goodput_per_s']:9,.0f} a second; busy: "
            f"server {busy(result, SERVER_CPU):.2f}, generator {busy(result, 'per_request_us'):.2f}"
        )
    if question.measure == "goodput" and busy(slices.results[OURS], SERVER_CPU) < BUSY_MIN:
        generator_is_busy = busy(slices.results[OURS], "per_request_us") >= BUSY_MIN
        limit = "the generator" if generator_is_busy else "another program"
        cpu = slices.ratio(REDIS, OURS, "server CPU per request")
        say(f"  {limit} limits kv-resp's throughput: the server had CPU time to spare")
        say(f"  requests per second of server CPU, kv-resp / redis  {in_words(cpu)}")


def main() -> None:
    """Print each question's ratio with its interval."""
    cpu = cpu_halves()[0].split(",")[0]
    ours = [str(program("serverlab-server")), "--engine=epoll-level", f"--cpus={cpu}"]
    ours.append("--service=kv-resp")
    with serving_redis(cpu) as redis, serving("kv-resp", ours) as kv:
        say(f"{CONNECTIONS} connections, values of 64 B, {KEYS} keys; both servers on CPU {cpu}")
        for question in QUESTIONS:
            tell(question, ask([redis, kv], question))


if __name__ == "__main__":
    main()
