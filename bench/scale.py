"""Very many idle connections on one machine: how many open, how many live, what each costs.

Both sides are as many processes as their limit of open files demands. The bar: at most 200 B of the
generator's own memory for an idle connection. A number as argument replaces the 200 000.
"""

from __future__ import annotations

import contextlib
import math
import sys
from typing import TYPE_CHECKING

from bench.holding import PROBES_PER_S, hold
from bench.slices import Server, serverlab_server, serving
from serverlab.console import complain, say, show, table_of
from serverlab.machine.memory import processes_for

if TYPE_CHECKING:
    from collections.abc import Iterator

CONNECTIONS = 200_000
MEMORY_BAR_BYTES = 200


@contextlib.contextmanager
def servers_of(count: int) -> Iterator[list[Server]]:
    """So many servers, each with a port of its own, until the block ends."""
    with contextlib.ExitStack() as running:
        command = serverlab_server("epoll-level")
        yield [running.enter_context(serving(f"server {i}", command)) for i in range(count)]


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
