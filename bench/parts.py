"""A load in three parts beside the same load of one generator: their merged results agree.

The one has three processes, so that as many share the generator's CPU either way: what differs is
who adds up. Both load the same server, in turns. Bars: the ratios of goodput, p50 and p99 have 1 in
their intervals; that of the goodput lies within 3 %. The intervals hold all at once in 95 of 100
campaigns: of six that hold each in so many, one misses in every fourth campaign.

The server's delays give the answers, 1 to 21 ms, each as often: what the machine adds to them is
little beside that. Where a server is as fast as it can be, and the generators have one CPU, forked
processes take turns on it thousands of times a second, and those of several parts every 4 ms: that
would be compared, and not who adds up.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from bench.slices import in_words, serverlab_server, serving
from serverlab.console import say
from serverlab.machine.machine import cpu_halves
from serverlab.running.events import LoadEnded
from serverlab.running.host import ThisMachine
from serverlab.running.shared_load import SharedLoad
from serverlab.stats.paired import ALARM, median_ratio

if TYPE_CHECKING:
    from bench.slices import Server
    from serverlab.load_result import LoadResult

PARTS = 3
FIGURES = ("goodput", "p50", "p99")
DELAYS = {"service": "bucket", "bucket-delay": "1-21"}  # an odd number: the median is one of them
SERVER = ("threads", "--service=bucket", "--bucket-delay-kind=sleep", "--bucket-delay-unit=1ms")
OPEN_SHARE = 0.5  # of the closed loop's rate
LIMIT_S = 20.0


def loaded(server: Server, parts: int, folder: Path, **settings: str) -> LoadResult:
    """The result of a load by three processes in so many parts."""
    _, load_cpus = cpu_halves()
    told = {
        "target": server.address, "connections": "66", "warmup": "300ms",
        "cpus": load_cpus, "pacing": "sleep", "processes": str(PARTS // parts),
        **DELAYS, **settings,
    }  # fmt: skip
    with SharedLoad([ThisMachine() for _ in range(parts)], told, folder / "load.log") as load:
        [result] = load.await_event(LoadEnded, LIMIT_S).results()
    return result


def main() -> None:
    """Measure, and print the ratios: parts over one."""
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(SERVER[0], serverlab_server(*SERVER)) as server,
    ):
        closed = {"model": "closed", "duration": "1s"}
        rate_per_s = OPEN_SHARE * loaded(server, 1, Path(folder), **closed).rate.goodput_per_s
        opened = {"model": "open", "duration": "1s", "rate": f"{rate_per_s:.0f}"}
        campaigns = ((closed, 40), (opened, 40))
        alarm = ALARM / (len(campaigns) * len(FIGURES))
        for settings, pairs in campaigns:
            found: dict[int, list[LoadResult]] = {PARTS: [], 1: []}
            for pair in range(pairs):
                for parts in list(found) if pair % 2 else list(found)[::-1]:
                    found[parts].append(loaded(server, parts, Path(folder), **settings))
            for name in FIGURES:
                figures = ([figure(one, name) for one in found[parts]] for parts in found)
                ratio = median_ratio(*figures, alarm=alarm)
                say(f"{settings['model']} loop, {name}: {in_words(ratio)}, {pairs} pairs")


def figure(load: LoadResult, name: str) -> float:
    """A figure of a load."""
    if name == "goodput":
        return load.rate.goodput_per_s
    return float(getattr(load.latency_ns, name) or 0)


if __name__ == "__main__":
    main()
