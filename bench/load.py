"""What a request costs the generator, beside other tools, in turns of a second.

The measure is the CPU time of the whole process; each tool and ours load the same server. The bars,
at 64 connections, depth 1, on one core: at most 0.80 of Fortio's, 1.00 of wrk's, 0.50 of
redis-benchmark's, 0.35 of hey's.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import msgspec

from bench.kv import serving_redis
from bench.slices import Server, in_words, serverlab_server, serving
from serverlab.console import say, show, table_of
from serverlab.errors import LabError
from serverlab.machine.machine import cpu_halves
from serverlab.machine.native import program
from serverlab.stats.paired import median_ratio

ROUNDS = 12
CONNECTIONS = 64
TURN_S = 1
REDIS_REQUESTS = 80_000  # redis-benchmark counts requests, not seconds: about a turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One run of a tool."""

    requests: int
    elapsed_s: float
    user_s: float
    system_s: float

    @property
    def cpu_us(self) -> float:
        """CPU time of the whole process, from start to end, per request."""
        return 1e6 * (self.user_s + self.system_s) / self.requests

    @property
    def user_us(self) -> float:
        """The part of it in user space."""
        return 1e6 * self.user_s / self.requests


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A load generator: its command, and how many requests it says that it made."""

    name: str
    command: Callable[[Server, Path], list[str]]
    requests: Callable[[str, Path], int]
    bar: float | None = None  # of our CPU per request over its


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A server, and the tools that load it in turns: ours by two transports, then the others."""

    title: str
    server: Callable[[], AbstractContextManager[Server]]
    tools: list[Tool]


def ours(service: str, transport: str, *settings: str) -> Tool:
    """Our generator."""
    return Tool(
        name=f"serverlab-load, {transport}",
        command=lambda server, file: [
            str(program("serverlab-load")),
            f"--target={server.address}",
            f"--service={service}",
            f"--connections={CONNECTIONS}",
            f"--duration={TURN_S}s",
            "--warmup=0s",
            f"--transport={transport}",
            f"--json={file}",
            *settings,
        ],
        requests=lambda _, file: int(
            msgspec.json.decode(file.read_bytes())["requests"]["completed"]
        ),
    )


def both(service: str, *settings: str) -> list[Tool]:
    """Our generator by each of its transports."""
    return [ours(service, transport, *settings) for transport in ("epoll", "uring")]


def counted(pattern: str) -> Callable[[str, Path], int]:
    """How many requests a tool says it made, by the first group of a pattern of its output."""

    def count(output: str, _: Path) -> int:
        found = re.search(pattern, output)
        if found is None:
            raise LabError(f"no {pattern} in what it printed: {output[-300:]}")
        return int(found[1])

    return count


def other(
    name: str, bar: float, pattern: str, command: Callable[[Server], list[str]]
) -> list[Tool]:
    """Another tool, if it is on the PATH or where `go install` puts it."""
    path = shutil.which(name) or shutil.which(str(Path.home() / "go/bin" / name))
    if path is None:
        say(f"{name} is left out: it is not on the PATH nor in ~/go/bin")
        return []
    return [
        Tool(
            name=name,
            bar=bar,
            command=lambda server, _: [path, *command(server)],
            requests=counted(pattern),
        )
    ]


def matches() -> list[Match]:
    """What is compared, with the tools that are here."""
    seconds, connections = f"{TURN_S}s", str(CONNECTIONS)
    echo = serverlab_server("epoll-level")
    http = serverlab_server("epoll-level", "--service=http")
    server_cpu = cpu_halves()[0].split(",")[0]
    wrk_options = ["-t1", f"-c{CONNECTIONS}", f"-d{seconds}"]
    wrk_count = r"(\d+) requests in"
    redis_options = ["-t", "get", "-c", connections, "-n", str(REDIS_REQUESTS)]
    fortio_options = ["load", "-quiet", "-qps", "0", "-payload-size", "64"]
    return [
        Match(
            title="echo of 64 B by epoll-level",
            server=lambda: serving("epoll-level", echo),
            tools=[
                *both("echo"),
                *other(
                    "fortio",
                    0.80,
                    r"All done (\d+) calls",
                    lambda server: [
                        *fortio_options,
                        *("-t", seconds, "-c", connections, f"tcp://{server.address}"),
                    ],
                ),
            ],
        ),
        Match(
            title="GET / by epoll-level",
            server=lambda: serving("epoll-level", http),
            tools=[
                *both("http"),
                *other(
                    "wrk",
                    1.00,
                    wrk_count,
                    lambda server: [*wrk_options, f"http://{server.address}/"],
                ),
                *other(
                    "wrk2",
                    1.00,
                    wrk_count,
                    lambda server: [*wrk_options, "-R1000000", f"http://{server.address}/"],
                ),
                *other(
                    "hey",
                    0.35,
                    r"\[200\]\s+(\d+) responses",
                    lambda server: ["-z", seconds, "-c", connections, f"http://{server.address}/"],
                ),
            ],
        ),
        Match(
            title="GET of 64 B by Debian's redis-server",
            server=lambda: serving_redis(server_cpu),
            tools=[
                *both("kv-resp", "--kv-get-share=1"),
                *other(
                    "redis-benchmark",
                    0.50,
                    r"(\d+) requests completed",
                    lambda server: [*redis_options, "-p", server.address.rpartition(":")[2]],
                ),
            ],
        ),
    ]


def take_turn(tool: Tool, server: Server, cpus: set[int]) -> Turn:
    """Run a tool once, on the generator's CPUs."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        path = Path(file.name)
        began_s = time.monotonic()
        process = subprocess.Popen(
            tool.command(server, path),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            preexec_fn=lambda: os.sched_setaffinity(0, cpus),  # noqa: PLW1509  (no threads here)
        )
        assert process.stdout is not None
        output = process.stdout.read()
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0
        return Turn(
            requests=tool.requests(output, path),
            elapsed_s=time.monotonic() - began_s,
            user_s=usage.ru_utime,
            system_s=usage.ru_stime,
        )


def take_turns(match: Match, cpus: set[int]) -> dict[str, list[Turn]]:
    """Every tool as often, one after the other, there and back."""
    turns: dict[str, list[Turn]] = {tool.name: [] for tool in match.tools}
    with contextlib.ExitStack() as running:
        server = running.enter_context(match.server())
        for number in range(ROUNDS):
            for tool in match.tools if number % 2 == 0 else reversed(match.tools):
                turns[tool.name].append(take_turn(tool, server, cpus))
    return turns


def tell(match: Match, turns: dict[str, list[Turn]]) -> None:
    """Print what a request costs each tool, and the ratios."""
    say(f"\n{match.title}: {CONNECTIONS} connections, depth 1, one core, {ROUNDS} turns of each")
    table = table_of(
        "tool", "CPU µs each", "of it user", "a second", "epoll / its", "uring / its", "bar"
    )
    epoll, uring, *_ = ([turn.cpu_us for turn in turns[tool.name]] for tool in match.tools)
    for tool in match.tools:
        mine = turns[tool.name]
        costs = [turn.cpu_us for turn in mine]
        table.add_row(
            tool.name,
            f"{median(turn.cpu_us for turn in mine):.2f}",
            f"{median(turn.user_us for turn in mine):.2f}",
            f"{median(turn.requests / turn.elapsed_s for turn in mine):,.0f}",
            *(in_words(median_ratio(own, costs)) if own != costs else "" for own in (epoll, uring)),
            f"{tool.bar}" if tool.bar else "",
        )
    show(table)


def main() -> None:
    """Let the tools take turns at each server."""
    _, load_cpus = cpu_halves()
    cpus = {int(load_cpus.split(",")[0])}
    for match in matches():
        tell(match, take_turns(match, cpus))


if __name__ == "__main__":
    main()
