"""A load that opens connections, keeps them idle, and probes each of them."""

from __future__ import annotations

import contextlib
import subprocess
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from serverlab.machine.memory import Memory
from serverlab.machine.native import dies_with_parent, program

if TYPE_CHECKING:
    from bench.slices import Server

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
                    held.memory["connected"] = Memory.now([load.pid], pids)
                case "interval":
                    with contextlib.suppress(ProcessLookupError):  # the last: workers are leaving
                        held.memory["probed"] = Memory.now([load.pid], pids)
                case "end":
                    take_result(held, event["result"])
    return held


def take_result(held: Held, result: dict[str, Any]) -> None:
    """What the load says of its targets; it is one where there was one server."""
    for target in result.get("targets", [result]):
        held.alive += round(target["connections"]["alive"])
        held.verdicts.add(f"{target['verdict']['name']} {target['verdict']['reason']}".strip())
