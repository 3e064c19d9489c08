"""Servers side by side: one generator moves its load from server to server every 200 ms."""

from __future__ import annotations

import contextlib
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from serverlab.errors import LabError
from serverlab.machine.machine import cpu_halves
from serverlab.machine.native import dies_with_parent, program
from serverlab.stats.paired import Ratio, median_ratio
from serverlab.verdicts import VerdictName

if TYPE_CHECKING:
    from collections.abc import Iterator

START_LIMIT_S = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A server that prints a `listening` event, and where it listens once it does."""

    name: str
    address: str
    pid: int


@contextlib.contextmanager
def serving(name: str, command: list[str]) -> Iterator[Server]:
    """Run a server until the block ends."""
    with subprocess.Popen(dies_with_parent(command), stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            while line and b'"listening"' not in line:
                line = process.stdout.readline()
            if not line:
                raise LabError(f"{name} does not start: {' '.join(command)}")
            address = msgspec.json.decode(line)["address"]
            yield Server(name=name, address=address, pid=process.pid)
        finally:
            process.terminate()


def serverlab_server(engine: str, *settings: str) -> list[str]:
    """The command of one of our servers, on the server's CPUs."""
    server_cpus, _ = cpu_halves()
    return [
        str(program("serverlab-server")),
        f"--engine={engine}",
        f"--cpus={server_cpus}",
        *settings,
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Slices:
    """What each server did in its slices, in pairs of neighbours."""

    rows: list[list[dict[str, Any]]]  # by server
    results: list[dict[str, Any]]  # by server

    def ratio(self, over: int, under: int, measure: str) -> Ratio:
        """The median over slices of one server's measure over another's, with its interval."""
        values = [[MEASURES[measure](row) for row in self.rows[server]] for server in (over, under)]
        return median_ratio(*values)


def in_words(ratio: Ratio) -> str:
    """A ratio with its interval, to three places."""
    return f"{ratio.estimate:.3f} [{ratio.low:.3f}, {ratio.high:.3f}]"


MEASURES = {
    "server CPU per request": lambda row: row["server_cpu_s"] / row["answered"],
    "generator CPU per request": lambda row: row["generator_cpu_s"] / row["answered"],
    "goodput": lambda row: row["completed"] / row["duration_s"],
}


def load_in_slices(servers: list[Server], *settings: str) -> Slices:
    """Load all servers in turn, from the generator's CPUs, by the settings of serverlab-load."""
    _, load_cpus = cpu_halves()
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        command = [str(program("serverlab-load")), f"--cpus={load_cpus}", f"--json={file.name}"]
        for server in servers:
            command += [f"--target={server.address}", f"--server-pid={server.pid}"]
        done = subprocess.run(
            [*command, "--slice=200ms", *settings], stdout=subprocess.DEVNULL, check=False
        )
        written = Path(file.name).read_bytes()  # also where the verdict gives the status
        if not written:
            raise LabError(f"serverlab-load ended with status {done.returncode}")
        document = msgspec.json.decode(written)
    # The result of one target is the document itself, without slices.
    results = document.get("targets", [document])
    for server, result in zip(servers, results, strict=True):
        verdict = result["verdict"]
        if verdict["name"] != VerdictName.VALID:
            raise LabError(f"{server.address}: {verdict['name']}, {verdict['reason']}")
    rows = [
        [row for row in document.get("slices", []) if row["target"] == number]
        for number in range(len(servers))
    ]
    return Slices(rows=rows, results=results)
