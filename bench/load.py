"""What a request costs the generator, beside other tools, in turns of a second.

The measure is the CPU time of the whole process. The bar, at 64 connections, depth 1, on one core:
at most 0.80 of Fortio's.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import msgspec

from bench.slices import Server, in_words, serverlab_server, serving
from serverlab.console import say, show, table_of
from serverlab.machine import cpu_halves
from serverlab.native import program
from serverlab.stats.paired import median_ratio

ROUNDS = 12
CONNECTIONS = 64
TURN_S = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One run of a tool."""

    requests: int
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
    bar: float | None  # of our CPU per request over its
    command: Callable[[Server, Path], list[str]]
    requests: Callable[[str, Path], int]


def ours(transport: str) -> Tool:
    """Our generator."""
    return Tool(
        name=f"serverlab-load, {transport}",
        bar=None,
        command=lambda server, file: [
            str(program("serverlab-load")),
            f"--target={server.address}",
            f"--connections={CONNECTIONS}",
            f"--duration={TURN_S}s",
            "--warmup=0s",
            f"--transport={transport}",
            f"--json={file}",
        ],
        requests=lambda _, file: int(
            msgspec.json.decode(file.read_bytes())["requests"]["completed"]
        ),
    )


def fortio() -> Tool | None:
    """Fortio, if it is here."""
    path = shutil.which("fortio") or shutil.which(str(Path.home() / "go/bin/fortio"))
    if path is None:
        return None
    return Tool(
        name="fortio",
        bar=0.80,
        command=lambda server, _: [
            path,
            "load",
            "-quiet",
            "-qps",
            "0",
            "-t",
            f"{TURN_S}s",
            "-c",
            str(CONNECTIONS),
            "-payload-size",
            "64",
            f"tcp://{server.address}",
        ],
        requests=lambda output, _: int(re.findall(r"All done (\d+) calls", output)[0]),
    )


def take_turn(tool: Tool, server: Server, cpus: set[int]) -> Turn:
    """Run a tool once, on the generator's CPUs."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        path = Path(file.name)
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
            requests=tool.requests(output, path), user_s=usage.ru_utime, system_s=usage.ru_stime
        )


def main() -> None:
    """Print what a request costs each tool, and the ratios."""
    _, load_cpus = cpu_halves()
    cpus = {int(load_cpus.split(",")[0])}
    tools = [ours("epoll"), ours("uring")]
    if (peer := fortio()) is None:
        say("fortio is left out: it is not on the PATH nor in ~/go/bin")
        say("  go install fortio.org/fortio@v1.66.5")
    else:
        tools.append(peer)
    turns: dict[str, list[Turn]] = {tool.name: [] for tool in tools}
    with contextlib.ExitStack() as running:
        server = running.enter_context(serving("epoll-level", serverlab_server("epoll-level")))
        for number in range(ROUNDS):
            for tool in tools if number % 2 == 0 else reversed(tools):
                turns[tool.name].append(take_turn(tool, server, cpus))
    say(f"{CONNECTIONS} connections, 64 B, depth 1, one core, {ROUNDS} turns of {TURN_S} s each")
    table = table_of("tool", "CPU µs a request", "of it user", "requests/s", "ours / its", "bar")
    reference = [turn.cpu_us for turn in turns[tools[0].name]]
    for tool in tools:
        mine = turns[tool.name]
        ratio = median_ratio(reference, [turn.cpu_us for turn in mine])
        table.add_row(
            tool.name,
            f"{median(turn.cpu_us for turn in mine):.2f}",
            f"{median(turn.user_us for turn in mine):.2f}",
            f"{median(turn.requests / TURN_S for turn in mine):,.0f}",
            in_words(ratio),
            f"{tool.bar}" if tool.bar else "",
        )
    show(table)


if __name__ == "__main__":
    main()
