"""What sessions, connections and counters cost: epoll-level against a hand-written echo.

The measure is server CPU per request. The bar is 1.03: the abstraction may cost 3 % of a request.
"""

from __future__ import annotations

import contextlib

from bench.slices import in_words, load_in_slices, serverlab_server, serving
from serverlab.console import say
from serverlab.machine.machine import cpu_halves
from serverlab.machine.native import program

BAR = 1.03
CONGESTION = "reno"  # what the hand-written server sets


def main() -> None:
    """Print the ratio with its interval, and that of the hand-written server against itself."""
    server_cpus, _ = cpu_halves()
    raw = [str(program("raw_epoll_echo")), server_cpus.split(",")[0]]
    ours = serverlab_server("epoll-level", f"--congestion={CONGESTION}")
    with contextlib.ExitStack() as running:
        servers = [
            running.enter_context(serving(name, command))
            for name, command in [
                ("raw epoll", raw),
                ("epoll-level", ours),
                ("raw epoll again", raw),
            ]
        ]
        slices = load_in_slices(
            servers,
            "--connections=64",
            "--duration=20s",
            "--order=latin",
            f"--congestion={CONGESTION}",
        )
    cost = "server CPU per request"
    cost_us = [result["cpu"]["server_per_request_us"] for result in slices.results]
    ratio, noise = slices.ratio(1, 0, cost), slices.ratio(2, 0, cost)
    say(f"64 connections, 64 B, {ratio.pairs} slices of 200 ms each")
    say(f"  {cost}: raw epoll {cost_us[0]:.2f} µs, epoll-level {cost_us[1]:.2f} µs")
    say(f"  epoll-level / raw epoll      {in_words(ratio)}  bar {BAR}")
    say(f"  raw epoll again / raw epoll  {in_words(noise)}  A/A")


if __name__ == "__main__":
    main()
