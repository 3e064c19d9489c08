"""What an idle Ray node beside a server costs it: the same server with and without, in turns.

Server CPU per request in a closed loop of 64 connections, and p99 at half of the rate that this
reached. Signals stop the node's processes and let them go on, so that a turn takes a second and
both see the machine at the same speed.
"""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from bench.slices import Server, in_words, serverlab_server, serving
from serverlab.console import say
from serverlab.load_result import LoadResult
from serverlab.machine.machine import cpu_halves
from serverlab.machine.native import program
from serverlab.running.events import LoadEnded, read_event
from serverlab.stats.paired import median_ratio

if TYPE_CHECKING:
    from collections.abc import Iterator

PAIRS = 40
PORT = 6399
RAY = Path(sys.executable).with_name("ray")
SETTLES_S = 10  # after its start


class Node:
    """An idle node of a cluster that has no other."""

    def __init__(self, folder: str) -> None:
        """The node whose processes name this folder."""
        self._processes = [one for one in psutil.process_iter() if folder in " ".join(cmdline(one))]

    def signal(self, what: signal.Signals) -> None:
        """Stop its processes, or let them go on."""
        for one in self._processes:
            with contextlib.suppress(psutil.NoSuchProcess):
                one.send_signal(what)


def cmdline(process: psutil.Process) -> list[str]:
    """Its words; none if it has just ended."""
    with contextlib.suppress(psutil.Error):
        words: list[str] = process.cmdline()
        return words
    return []


@contextlib.contextmanager
def node() -> Iterator[Node]:
    """A node that has settled."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [
                RAY, "start", "--head", f"--port={PORT}", "--disable-usage-stats",
                "--include-dashboard=false", f"--temp-dir={folder}/ray",
            ],
            check=True,
            capture_output=True,
        )  # fmt: skip
        try:
            time.sleep(SETTLES_S)
            yield Node(folder)
        finally:
            subprocess.run([RAY, "stop", "--force"], check=False, capture_output=True)


def loaded(server: Server, *settings: str) -> LoadResult:
    """The result of a load of a second."""
    _, load_cpus = cpu_halves()
    command = [
        str(program("serverlab-load")), f"--target={server.address}",
        f"--server-pid={server.pid}", "--connections=64", "--duration=1s", "--warmup=200ms",
        f"--cpus={load_cpus}", *settings,
    ]  # fmt: skip
    said = subprocess.run(command, capture_output=True, check=False).stdout
    [ended] = [
        event for line in said.splitlines() if isinstance(event := read_event(line), LoadEnded)
    ]
    [result] = ended.results()
    return result


def cpu_us(server: Server) -> float:
    """Server CPU time per request."""
    return loaded(server).cpu.server_per_request_us or 0.0


def p99_ns(server: Server, rate_per_s: float) -> float:
    """At that rate."""
    return float(loaded(server, "--model=open", f"--rate={rate_per_s:.0f}").latency_ns.p99 or 0)


def main() -> None:
    """Measure, and print the ratios."""
    with serving("epoll-level", serverlab_server("epoll-level")) as server, node() as idle:
        rate_per_s = loaded(server).rate.goodput_per_s / 2
        for name, figure in (
            ("server CPU per request", cpu_us),
            ("p99 at half of the rate", lambda one: p99_ns(one, rate_per_s)),
        ):
            beside: dict[signal.Signals, list[float]] = {signal.SIGCONT: [], signal.SIGSTOP: []}
            for pair in range(PAIRS):
                order = list(beside) if pair % 2 else list(beside)[::-1]
                for what in order:
                    idle.signal(what)
                    beside[what].append(figure(server))
            idle.signal(signal.SIGCONT)
            ratio = median_ratio(beside[signal.SIGCONT], beside[signal.SIGSTOP])
            say(f"{name}, beside an idle node over without: {in_words(ratio)}, {PAIRS} pairs")


if __name__ == "__main__":
    main()
