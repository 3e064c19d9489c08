"""A stress in a terminal: each number of connections in a line, then what gave."""

from __future__ import annotations

import math
from itertools import chain
from typing import TYPE_CHECKING

from serverlab import console
from serverlab.load_result import Interval
from serverlab.notation import NARROW_SPACE, count, readable
from serverlab.report.caveats import shared_machine
from serverlab.report.method import hosts
from serverlab.stress.result import ROWS, WHENS, accepts
from serverlab.stress.steps import gave, held

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from serverlab.hosts_of_run import HostsOfRun
    from serverlab.running.events import Event
    from serverlab.stress.limits import Limit
    from serverlab.stress.steps import Asked, Step


class Screen:
    """A stress as it goes."""

    def __init__(self) -> None:
        """Show nothing yet."""
        self.ticker = console.Ticker()

    def begin(self, connections: int) -> None:
        """A step begins."""
        self.ticker.begin(f"  {count(connections):>9} connections")

    def event(self, event: Event) -> None:
        """The load says something."""
        if not isinstance(event, Interval):  # how fast probes are answered is no question here
            self.ticker.event(event)

    def end(self, step: Step) -> None:
        """A step has ended."""
        line = f"  {count(step.connections):>9} connections"
        if step.connect_rate_per_s:
            line += f", {per_s(step.connect_rate_per_s)}"
        if step.holds:
            return self.ticker.end(line, "all alive")
        said = f"opened {count(step.opened)}, alive {count(step.alive)}"
        why = "they came too fast" if step.is_rushed else step.limits[0].name
        return self.ticker.end(line, said, why, style=console.DOUBTFUL)


def show(asked: Asked, steps: Sequence[Step], found: HostsOfRun | None) -> None:
    """What held, what gave, what a connection costs, and on which hosts, if that was not one."""
    most, failed = held(steps), gave(steps)
    console.say()
    if failed is None:
        console.heading(f"Nothing gave, up to {count(asked.connections_max)} connections.")
    else:
        first = failed.limits[0]
        console.heading(f"Limit: {named(first)}")
        console.sentence(first.sentence)
        for limit in failed.limits[1:]:
            console.sentence(f"Also seen: {named(limit)}: {limit.sentence}")
        console.sentence(
            f"Of {count(failed.connections)} connections {count(failed.opened)} opened and "
            f"{count(failed.alive)} were alive"
            + (f"; {count(most.connections)} held, all of them alive." if most else ".")
        )
    for sentence in accepting(asked, steps):
        console.sentence(sentence)
    if all(row.each_bytes(steps, "idle") is None for row in ROWS):
        console.sentence("Too few connections stayed open to measure the memory that one costs.")
    else:
        show_memory(steps, apart=found is not None and not found.share_a_machine)
    for sentence in chain(hosts(asked.generators, (), found), shared_machine(found)):
        console.sentence(sentence)


def accepting(asked: Asked, steps: Sequence[Step]) -> Iterator[str]:
    """How fast the server accepts, and what could not be read of it."""
    known = accepts(steps)
    queue = "accept queue" if known.backlog is None else f"accept queue of {count(known.backlog)}"
    if known.accepted_per_s is not None:
        yield f"It accepts {per_s(known.accepted_per_s)} or more."
    if any(step.is_rushed for step in steps):
        pace = known.overflowed_per_s
        how = f"at {per_s(pace)}" if pace else "as fast as they could open"
        yield (
            f"Connections that came faster, {how}, found its {queue} full. That says nothing of "
            "how many it holds, so later ones opened more slowly. A longer backlog lets more come "
            "at once: listen(2), net.core.somaxconn."
        )
    if asked.subject.target is not None and steps[-1].server_pid is None:
        yield (
            "No counter of the server was read, as its process is not on this machine or cannot "
            "be seen; --server-pid names it."
        )


def per_s(rate: float) -> str:
    """A rate of connections in three digits."""
    digits = 2 - math.floor(math.log10(rate))
    return f"{count(round(rate, digits))} connections/s"


def show_memory(steps: Sequence[Step], *, apart: bool) -> None:
    """What a connection costs in memory; of a generator that is `apart` nothing was measured."""
    table = console.table_of("memory of a connection", *WHENS.values())
    for row in ROWS:
        cells = [row.each_bytes(steps, when) for when in WHENS]
        if cells != [None, None]:
            label = row.label.replace("both ends", "server's end") if apart else row.label
            table.add_row(label, *("–" if one is None else bytes_text(one) for one in cells))
    for column in table.columns[1:]:
        column.justify = "right"
    console.show(table)


def named(limit: Limit) -> str:
    """A limit and whose it is, in a few words."""
    if limit.whose == "engine":
        return "the engine's own" if limit.name == "engine" else f"{limit.name}, the engine's own"
    return limit.name if limit.name == "unknown" else f"{limit.name}, of the {limit.whose}"


def bytes_text(value: float) -> str:
    """Memory of a connection: small amounts in bytes."""
    if value < 4096:
        return f"{count(round(value))} B"
    return readable(value, "memory").replace(NARROW_SPACE, " ")
