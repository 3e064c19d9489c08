"""The chart of docs/load-generator.md: one frozen server, as a closed and as an open loop see it.

A server is stopped for one second in a load of ten. The closed loop asks nothing meanwhile, so that
it has 64 slow requests among half a million. The open loop is owed 1000 requests.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import altair
import msgspec
import polars
import vl_convert

from bench.slices import Server, serverlab_server, serving
from serverlab.console import say
from serverlab.machine.machine import cpu_halves
from serverlab.machine.native import dies_with_parent, program
from serverlab.report.palette import COLOURS
from serverlab.stats.histogram import decode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serverlab.stats.histogram import Histogram

CONNECTIONS = 64
RATE_PER_S = 1000
WINDOW_S = 10
FROZEN_FROM_S, FROZEN_S = 4.0, 1.0
NS_PER_MS = 1e6
TICKS = {2: "50 %", 10: "90 %", 100: "99 %", 1000: "99.9 %", 10_000: "99.99 %", 100_000: "99.999 %"}
PIXELS_PER_POINT = 1.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """A latency distribution, and what it is called."""

    name: str
    histogram: Histogram


def freeze(pid: int) -> None:
    """Stop a server; a timer lets it go on."""
    os.kill(pid, signal.SIGSTOP)
    threading.Timer(FROZEN_S, os.kill, (pid, signal.SIGCONT)).start()


def load(server: Server, *settings: str) -> dict[str, Any]:
    """Load a server that is frozen meanwhile, and return the result."""
    _, load_cpus = cpu_halves()
    command = [
        str(program("serverlab-load")), f"--target={server.address}", f"--cpus={load_cpus}",
        f"--connections={CONNECTIONS}", f"--duration={WINDOW_S}s", "--warmup=500ms", *settings,
    ]  # fmt: skip
    result: dict[str, Any] = {}
    with subprocess.Popen(dies_with_parent(command), stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        for line in process.stdout:
            event = msgspec.json.decode(line)
            if event["event"] == "window":
                threading.Timer(FROZEN_FROM_S, freeze, (server.pid,)).start()
            if event["event"] == "end":
                result = event["result"]
    return result


def rows(curve: Curve) -> Iterator[dict[str, Any]]:
    """The points of a curve: fifty to a decade of requests, as far as there are any."""
    requests = curve.histogram.total
    place = 0
    while (one_in := 10 ** (place / 50)) <= requests:
        value_ns = curve.histogram.quantile(1 - 1 / one_in)
        if value_ns is not None and one_in > 1:
            yield {"curve": curve.name, "one_in": one_in, "latency_ms": value_ns / NS_PER_MS}
        place += 1


def chart(curves: list[Curve]) -> dict[str, Any]:
    """Percentiles to the right, the rarer the farther; latency upwards; both logarithmic."""
    labels = ", ".join(f"{one_in}: '{label}'" for one_in, label in TICKS.items())
    base = altair.Chart(polars.DataFrame([row for curve in curves for row in rows(curve)]))
    names = [curve.name for curve in curves]
    made = (
        base.mark_line(strokeWidth=2.5)
        .encode(
            x=altair.X(
                "one_in:Q",
                title="percentile",
                scale=altair.Scale(type="log", nice=False),
                axis=altair.Axis(values=list(TICKS), labelExpr=f"({{{labels}}})[datum.value]"),
            ),
            y=altair.Y("latency_ms:Q", title="latency, ms", scale=altair.Scale(type="log")),
            color=altair.Color(
                "curve:N",
                scale=altair.Scale(domain=names, range=list(COLOURS[: len(names)])),
                legend=altair.Legend(title=None, orient="top-left", labelLimit=400, symbolSize=200),
            ),
        )
        .properties(width=680, height=320)
        .configure(background="white", font="Helvetica, Arial, sans-serif")
        .configure_axis(labelFontSize=13, titleFontSize=13, titleFontWeight="normal")
        .configure_legend(labelFontSize=13)
        .configure_view(stroke=None)
    )
    spec: dict[str, Any] = made.to_dict()
    return spec


def main() -> None:
    """Write the chart to the path that is given, and print the figures that the text quotes."""
    path = Path(sys.argv[1])
    with serving("epoll-level", serverlab_server("epoll-level")) as server:
        closed = load(server, "--model=closed")
        opened = load(server, "--model=open", f"--rate={RATE_PER_S}", "--arrivals=constant")
    curves = [
        Curve(name=name, histogram=decode(result[field]["hdr"]))
        for name, result, field in [
            ("open loop, from when a request was intended", opened, "latency_ns"),
            ("the same requests, from when they were sent", opened, "service_time_ns"),
            ("closed loop", closed, "latency_ns"),
        ]
    ]
    path.write_bytes(vl_convert.vegalite_to_png(chart(curves), scale=PIXELS_PER_POINT))
    for curve in curves:
        found = [curve.histogram.quantile(share) for share in (0.5, 0.9, 0.99, 0.999)]
        figures = [f"{value / NS_PER_MS:.3g}" for value in found if value is not None]
        say(f"{curve.name}: {curve.histogram.total:,} requests, {', '.join(figures)} ms")
    say(f"written to {path}")


if __name__ == "__main__":
    main()
