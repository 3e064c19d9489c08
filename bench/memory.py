"""What an idle connection costs each engine, in user space and in the kernel, and whether it lives.

Each engine holds few connections, then many, each of which is probed; the difference, over that of
the connections, is what one costs. The bar: at most 256 B of the server's own memory, for engines
that give a connection no stack. Arguments replace the list of engines.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.holding import hold
from bench.slices import serverlab_server, serving
from serverlab.console import complain, say, show, table_of
from serverlab.design.catalog import catalog

if TYPE_CHECKING:
    from bench.holding import Held
    from serverlab.design.catalog import Engine

BAR_BYTES = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How many connections are few, and how many are many."""

    few: int
    many: int


TEN_THOUSAND = Size(few=1_000, many=10_000)
LIMITED = {
    "select": Size(few=100, many=1_000),  # descriptors up to 1023
    "thread-pool": Size(few=400, many=4_000),  # --threads up to 4096
    "processes": Size(few=100, many=1_000),
}
WITH_STACKS = {"threads", "thread-pool", "processes", "fibers"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """What many connections were, and what one of them takes, in bytes."""

    size: Size
    few: Held
    many: Held

    def growth(self, event: str, of: str) -> float:
        """Of a kind of memory, for a connection."""
        grown = getattr(self.many.memory[event], of) - getattr(self.few.memory[event], of)
        return float(grown / (self.size.many - self.size.few))


def measure(engine: Engine) -> Costs:
    """Let an engine hold few connections, and then many."""
    size = LIMITED.get(engine.name, TEN_THOUSAND)
    settings = [f"--threads={size.many}"] if engine.thread_per_connection else []
    with serving(engine.name, serverlab_server(engine.name, *settings)) as server:
        return Costs(size=size, few=hold([server], size.few), many=hold([server], size.many))


def main() -> int:
    """Print a row for each engine; a status if a connection did not live."""
    rows = [catalog().engines[name] for name in sys.argv[1:]] or list(catalog().engines.values())
    table = table_of("engine", "held", "alive", "idle, B", "probed, B", "bar", "kernel, B")
    died = 0
    for engine in rows:
        if engine.missing_requirement:
            say(f"{engine.name} is left out: {engine.missing_requirement}")
            continue
        costs = measure(engine)
        died += costs.size.many - costs.many.alive
        table.add_row(
            engine.name,
            f"{costs.many.opened:,}",
            f"{costs.many.alive:,}",
            f"{costs.growth('connected', 'servers'):,.0f}",
            f"{costs.growth('probed', 'servers'):,.0f}",
            "" if engine.name in WITH_STACKS else f"{BAR_BYTES}",
            f"{costs.growth('probed', 'kernel'):,.0f}",
        )
    say("Memory of a connection: the server's own, before and after its first request; and the")
    say("kernel's, for both ends. Threads and processes that are made before all are in neither.")
    show(table)
    if died:
        complain(f"{died:,} connections did not live")
    return 1 if died else 0


if __name__ == "__main__":
    sys.exit(main())
