"""How exact the ruler is: a server against itself, in a hundred pairs of slices of 200 ms.

The bar: the 95 % interval of the ratio lies within ±2 %. It misses 1 one time in twenty. Whatever
else runs on the machine widens it. A second process shows what one start differs from another.
"""

from __future__ import annotations

import contextlib
import sys

from bench.slices import in_words, load_in_slices, serverlab_server, serving
from serverlab.console import complain, say, show, table_of

BAR = 0.02
SETTINGS = ["--connections=64", "--duration=20s", "--order=latin"]


def main() -> int:
    """Print the ratios; a status if a server differs from itself by more than the bar."""
    command = serverlab_server("epoll-level")
    with contextlib.ExitStack() as running:
        server, other = (running.enter_context(serving(name, command)) for name in ("one", "two"))
        slices = load_in_slices([server, server, other], *SETTINGS)
    table = table_of("ratio", "a process to itself", "to another process", "pairs")
    missed = []
    for measure in ("goodput", "server CPU per request"):
        same, another = slices.ratio(1, 0, measure), slices.ratio(2, 0, measure)
        table.add_row(measure, in_words(same), in_words(another), str(same.pairs))
        if not 1 - BAR <= same.low <= same.high <= 1 + BAR:
            missed.append(measure)
    say("64 connections, 64 B, closed loop, slices of 200 ms")
    show(table)
    if missed:
        complain(f"{' and '.join(missed)}: the interval is not within ±{BAR:.0%}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
