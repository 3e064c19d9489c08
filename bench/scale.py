"""Very many idle connections on one machine: how many open, how many live, what each costs.

Both sides are as many processes as their limit of open files demands. The bar: at most 200 B of the
generator's own memory for an idle connection. A number as argument replaces the 200 000.
"""

from __future__ import annotations

import contextlib
import math
import subprocess
import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from bench.slices import Server, serverlab_server, serving
from serverlab.console import complain, say, show, table_of
from serverlab.memory import Memory, processes_for
from serverlab.native import dies_with_parent, program

if TYPE_CHECKING:
    from collections.abc import Iterator

CONNECTIONS = 200_000
MEMORY_BAR_BYTES = 200
PROBES_PER_S = 10_000
PROBES_SURPLUS = 1.25  # so that every connection's turn comes
CONNECT_LIMIT_S = 600
MEASURED_SHARE = 0.9  # of a slice (load/segments.cpp)
SLICE_MIN_S = 0.2
ROUNDS = 2  # so that in the second all have been probed


@dataclass(slots=True, kw_only=True)
class Held:
    """A load that held connections and probed them."""

    opened: int = 0
    alive: int = 0
    connecting_s: float = 0
    memory: dict[str, Memory] = field(default_factory=dict)  # by the event at which it was taken
    verdicts: set[str] = field(default_factory=set)


@contextlib.contextmanager
def servers_of(count: int) -> Iterator[list[Server]]:
    """So many servers, each with a port of its own, until the block ends."""
    with contextlib.ExitStack() as running:
        command = serverlab_server("epoll-level")
        yield [running.enter_context(serving(f"server {i}", command)) for i in range(count)]


def hold(servers: list[Server], connections_each: int) -> Held:
    """Open connections to all servers, and probe each of them once at least."""
    probing_s = PROBES_SURPLUS * connections_each / PROBES_PER_S
    slice_s = max(SLICE_MIN_S, probing_s / MEASURED_SHARE)
    command = [
        str(program("serverlab-load")),
        f"--target={' '.join(server.address for server in servers)}",
        "--model=hold",
        f"--connections={connections_each}",
        f"--processes={len(servers)}",
        f"--rate={PROBES_PER_S}",
        "--arrivals=constant",
        "--warmup=0s",
        f"--slice={slice_s:.3f}s",
        f"--duration={ROUNDS * slice_s:.3f}s",
        f"--connect-timeout={CONNECT_LIMIT_S}s",
    ]
    held = Held()
    pids = [server.pid for server in servers]
    with subprocess.Popen(dies_with_parent(command), stdout=subprocess.PIPE) as load:
        assert load.stdout is not None
        began_s = time.monotonic()
        for line in load.stdout:
            event = msgspec.json.decode(line)
            match event["event"]:
                case "connected":
                    held.opened = event["established"]
                    held.connecting_s = time.monotonic() - began_s
                    held.memory["connected"] = Memory.now(load.pid, pids)
                case "interval":
                    with contextlib.suppress(ProcessLookupError):  # the last: workers are leaving
                        held.memory["probed"] = Memory.now(load.pid, pids)
                case "end":
                    take_result(held, event["result"])
    return held


def take_result(held: Held, result: dict[str, Any]) -> None:
    """What the load says of its targets; it is one where there was one server."""
    for target in result.get("targets", [result]):
        held.alive += round(target["connections"]["alive"])
        held.verdicts.add(f"{target['verdict']['name']} {target['verdict']['reason']}".strip())


def main() -> int:
    """Print what so many connections cost; a status if the bar was missed."""
    connections = int(sys.argv[1]) if len(sys.argv) > 1 else CONNECTIONS
    processes = processes_for(connections)
    each = math.ceil(connections / processes)
    with servers_of(processes) as servers:
        few = hold(servers, processes)  # what the processes cost without connections, nearly
        many = hold(servers, each)
    asked, fewer = each * processes, processes * processes
    say(f"{asked:,} connections, {processes} processes a side, {PROBES_PER_S:,} probes a second")
    say(f"  opened {many.opened:,}, alive {many.alive:,}")
    say(
        f"  connected in {many.connecting_s:.1f} s: {many.opened / many.connecting_s:,.0f} a second"
    )
    say(f"  {'; '.join(sorted(many.verdicts))}")

    def growth(event: str, of: str) -> float:
        grown = getattr(many.memory[event], of) - getattr(few.memory[event], of)
        return float(grown / (asked - fewer))

    table = table_of("memory of a connection, in B", "idle", "probed once")
    for label, of in (
        ("generator", "generator"),
        ("server", "servers"),
        ("kernel, both ends: slab", "slab"),
        ("kernel, both ends: TCP buffers", "buffers"),
    ):
        columns = [f"{growth(event, of):,.0f}" for event in ("connected", "probed")]
        table.add_row(label, *columns)
    show(table)
    own_bytes = growth("connected", "generator")
    if many.opened != asked or many.alive != asked:
        complain(f"{asked - many.alive:,} of {asked:,} connections did not live")
        return 1
    if own_bytes > MEMORY_BAR_BYTES:
        complain(f"{own_bytes:.0f} B of the generator for a connection, above {MEMORY_BAR_BYTES}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
