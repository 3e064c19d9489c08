"""Our engines beside Tokio, Go, libuv and Asio: what a request costs the server, on one core.

Echo of 64 B, in slices, in three shapes of load. The bars: our best engine costs no more server CPU
per request than any peer; uring-multishot at most 0.95 of epoll-level; epoll-spin answers the one
connection of a spinning client within 12 µs at the median. Arguments replace the list of engines.
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from bench.slices import (
    START_LIMIT_S,
    Server,
    Slices,
    in_words,
    load_in_slices,
    serverlab_server,
    serving,
)
from serverlab.console import say, show, table_of
from serverlab.contestants.building import build
from serverlab.contestants.reading import named
from serverlab.design.catalog import catalog
from serverlab.errors import LabError
from serverlab.machine.machine import cpu_halves
from serverlab.running.contestant_process import ContestantProcess
from serverlab.running.events import Listening

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serverlab.contestant import Contestant

BASELINE = "epoll-level"
CANDIDATES = [BASELINE, "epoll-edge", "coroutines", "asio-callbacks", "uring", "uring-multishot"]
CONGESTION = "reno"
PEERS = ["tokio", "go-net", "libuv", "asio"]
COST = "server CPU per request"
URING_BAR = 0.95
SPIN_BAR_US = 12
SPIN_TURNS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A load, and how long each server has it."""

    connections: int
    depth: int
    duration_s: int


SHAPES = [
    Shape(connections=64, depth=1, duration_s=6),
    Shape(connections=512, depth=1, duration_s=6),
    Shape(connections=64, depth=16, duration_s=6),
]


def peers() -> dict[str, Contestant]:
    """The contestants that could be built; a notice for each of the others."""
    found = {}
    for name in PEERS:
        contestant = named(name, catalog().services)
        try:
            build(contestant, say)
        except LabError as error:
            say(f"{name} is left out: {error}")
        else:
            found[name] = contestant
    return found


@contextlib.contextmanager
def serving_peer(contestant: Contestant) -> Iterator[Server]:
    """Run a contestant on the server's CPUs until the block ends."""
    settings = {"cpus": cpu_halves()[0], "congestion": CONGESTION}
    with (
        tempfile.TemporaryDirectory() as folder,
        ContestantProcess(contestant, "echo", settings, Path(folder, "log")) as process,
    ):
        address = process.await_event(Listening, START_LIMIT_S).address
        yield Server(name=contestant.name, address=address, pid=process.pid)


def engines(names: list[str]) -> dict[str, list[str]]:
    """The commands of our servers; a notice for each that this machine lacks something for."""
    commands = {}
    for name in names:
        if missing := catalog().engines[name].missing_requirement:
            say(f"{name} is left out: {missing}")
        else:
            commands[name] = serverlab_server(name, f"--congestion={CONGESTION}")
    return commands


def measure(commands: dict[str, list[str]], others: dict[str, Contestant], shape: Shape) -> Slices:
    """Load all servers in one shape, in turns."""
    with contextlib.ExitStack() as running:
        servers = [
            running.enter_context(serving(name, command)) for name, command in commands.items()
        ]
        servers += [running.enter_context(serving_peer(one)) for one in others.values()]
        return load_in_slices(
            servers,
            f"--connections={shape.connections}",
            f"--depth={shape.depth}",
            f"--duration={shape.duration_s}s",
            "--order=latin",
            f"--congestion={CONGESTION}",
        )


def tell(names: list[str], of_peers: list[str], shape: Shape, slices: Slices) -> None:
    """Print what a request costs each server, as a share of the baseline's and of our best's."""
    baseline = names.index(BASELINE)
    cost_us = {
        name: result["cpu"]["server_per_request_us"]
        for name, result in zip(names, slices.results, strict=True)
    }
    best = min((name for name in names if name not in of_peers), key=lambda name: cost_us[name])
    say()
    say(f"{shape.connections} connections, depth {shape.depth}, slices of 200 ms; {COST}")
    table = table_of("server", "µs", f"of {BASELINE}'s", f"{best} / it", "bar")
    for number, name in sorted(enumerate(names), key=lambda row: cost_us[row[1]]):
        bar = "1.00" if name in of_peers else ""
        table.add_row(
            name,
            f"{cost_us[name]:.2f}",
            in_words(slices.ratio(number, baseline, COST)) if number != baseline else "",
            in_words(slices.ratio(names.index(best), number, COST)) if name != best else "",
            bar,
        )
    show(table)
    if "uring-multishot" in names:
        ratio = slices.ratio(names.index("uring-multishot"), baseline, COST)
        say(f"uring-multishot / {BASELINE}: {in_words(ratio)}  bar {URING_BAR}")


def spinning_p50s_us(name: str) -> list[float]:
    """What one connection of a spinning client waits for at the median, by turn.

    One server at a time: one that spins takes its CPU from all others.
    """
    [command] = engines([name]).values()
    if name == "epoll-spin":
        command.append("--spin=100ms")
    with serving(name, command) as server:
        loads = [
            load_in_slices(
                [server],
                "--connections=1",
                "--duration=1s",
                "--pacing=spin",
                f"--congestion={CONGESTION}",
            )
            for _ in range(SPIN_TURNS)
        ]
    return [1e-3 * load.results[0]["latency_ns"]["p50"] for load in loads]


def tell_spinning() -> None:
    """Print what one connection waits for, when neither side sleeps."""
    say()
    say(f"1 connection, depth 1, a client that spins; latency, p50, {SPIN_TURNS} turns of 1 s")
    for name in (BASELINE, "epoll-spin"):
        turns = spinning_p50s_us(name)
        say(f"  {name:<12} {median(turns):6.1f} µs [{min(turns):.1f}, {max(turns):.1f}]")
    say(f"  bar of epoll-spin: {SPIN_BAR_US} µs")


def main() -> None:
    """Print a table for each shape, and what spinning is worth."""
    of_peers = peers()
    commands = engines(sys.argv[1:] or CANDIDATES)
    for shape in SHAPES:
        names = [*commands, *of_peers]
        tell(names, list(of_peers), shape, measure(commands, of_peers, shape))
    if "epoll-spin" in catalog().engines:
        tell_spinning()


if __name__ == "__main__":
    main()
