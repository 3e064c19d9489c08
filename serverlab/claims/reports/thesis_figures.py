"""The thesis's figures. Its plots are pictures: the numbers here are those of its text."""

from __future__ import annotations

from serverlab.claims.evidence import Side
from serverlab.claims.figure import Figure, Mark, Point, marks, points
from serverlab.claims.reports.thesis_runs import ENGINES, FIVE
from serverlab.measures import GOODPUT, MEAN, P90, P99, P99_9, RSS, SERVER_CPUS

CLIENTS = (8, 25, 50, 100, 250, 500, 1000, 2000, 5000, 10000)
HERE = (50, 1000, 5000)
XS = tuple(str(one) for one in CLIENTS)
NS_PER_MS, MIB = 1e6, 2**20
PICTURE = "The thesis prints its plots as pictures; the points are what its text says of them."


def lines(side: Side, unit: float = 1, levels: tuple[int, ...] = HERE) -> tuple[Point, ...]:
    """A line for each of the five servers."""
    return tuple(
        point
        for one in ENGINES
        for point in points(one, side.at(engine=one), FIVE, "connections", levels, unit)
    )


def at_least(series: str, y: float, levels: tuple[int, ...]) -> tuple[Mark, ...]:
    """What the text says only the least of."""
    return tuple(Mark(series=series, x=str(x), y=y, is_least=True) for x in levels)


THROUGHPUT = Figure(
    id="4.1",
    title="Throughput in respect to clients number",
    x="clients",
    y="requests/s",
    xs=XS,
    published=marks("poll", [(10000, 333_000)]),
    here=lines(Side(measure=GOODPUT)),
    note=f"{PICTURE} Of this one it is a single number.",
)
AVERAGE = Figure(
    id="4.2",
    title="Average latency in respect to clients number",
    x="clients",
    y="ms",
    xs=XS,
    published=marks("threads", [(100, 10), (2000, 200)]),
    here=lines(Side(measure=MEAN), NS_PER_MS),
    note=f"{PICTURE} Here: “jumping from around 10 to around 200 milliseconds” (5.1).",
    is_log=True,
)
P90_FIGURE = Figure(
    id="4.3",
    title="90 percentile latency in respect to clients number",
    x="clients",
    y="ms",
    xs=XS,
    published=(),
    here=lines(Side(measure=P90), NS_PER_MS),
    note="The thesis prints its plots as pictures; its text has an order of the servers in this "
    "one, and no number.",
    is_log=True,
)
P99_FIGURE = Figure(
    id="4.4",
    title="99 percentile latency in respect to clients number",
    x="clients",
    y="ms",
    xs=XS,
    published=tuple(
        mark
        for one in ("threads", "poll-offload", "asio-shared")
        for mark in at_least(one, 200, (5000, 10000))
    ),
    here=lines(Side(measure=P99), NS_PER_MS),
    note=f"{PICTURE} A triangle is a least: “over 200 milliseconds”.",
    is_log=True,
)
P99_9_FIGURE = Figure(
    id="4.5",
    title="99.9 percentile latency in respect to clients number",
    x="clients",
    y="ms",
    xs=XS,
    published=at_least("asio-callbacks", 800, (5000, 10000)),
    here=lines(Side(measure=P99_9), NS_PER_MS),
    note=f"{PICTURE} A triangle is a least: “over 800 milliseconds”.",
    is_log=True,
)
CPU_FIGURE = Figure(
    id="4.6",
    title="CPU usage in respect to clients number",
    x="clients",
    y="CPUs busy",
    xs=XS,
    published=(
        *marks("threads", [(8, 0.8), (1000, 4.8), (5000, 6)]),
        *marks("poll", [(8, 1), (1000, 1), (5000, 1)]),
        *marks("asio-callbacks", [(8, 1), (1000, 1), (5000, 1)]),
    ),
    here=lines(Side(measure=SERVER_CPUS)),
    note=f"{PICTURE} Per cent of eight logical CPUs are CPUs busy here: 10 % are 0.8, 60 % are "
    "4.8, 75 % are 6.",
)
MEMORY = Figure(
    id="4.7",
    title="Memory usage in respect to clients number",
    x="clients",
    y="MiB",
    xs=XS,
    published=(),
    here=lines(Side(measure=RSS), MIB),
    note="The thesis prints its plots as pictures; its text says of this one that a thread for "
    "each client grows linearly, and no number.",
)
