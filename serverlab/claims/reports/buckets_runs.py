"""What is run of the bucket report, and the graphs of its four parts."""

from __future__ import annotations

from serverlab.claims.evidence import Side
from serverlab.claims.excerpt import Excerpt
from serverlab.claims.figure import Figure, Point, marks, points
from serverlab.measures import GOODPUT

STRATEGIES = Excerpt(
    name="bucket-strategies",
    file="claims/bucket-strategies.toml",
    levels={"engine": ("pre", "per", "pre-works", "per-works")},
    window_s=6,
    shortest_s=3,
    blocks=8,
    ending_s=1,
)
DELAYS = Excerpt(
    name="bucket-delays",
    file="claims/bucket-delays.toml",
    window_s=6,
    shortest_s=5,
    blocks=5,
    ending_s=2,
)
COUNTS = Excerpt(
    name="bucket-counts",
    file="claims/bucket-counts.toml",
    window_s=4,
    shortest_s=3,
    blocks=7,
    ending_s=0.5,
)
CLIENTS = Excerpt(
    name="bucket-clients",
    file="claims/bucket-clients.toml",
    window_s=4,
    shortest_s=2,
    blocks=5,
    ending_s=0.7,
)
CORES = Excerpt(
    name="bucket-cores",
    file="buckets/cores.toml",
    window_s=20,
    shortest_s=12,
    blocks=3,
    ending_s=3,
)

goodput = Side(measure=GOODPUT)
PRE, PER = "created beforehand", "created for each request"
NOTE = (
    "Here 100 clients and delays of 0.1 s stand for 1000 and 1 s, which leaves the bound of 500 "
    "requests/s where it was"
)


def both(excerpt: Excerpt, factor: str, levels: tuple[str | int, ...]) -> tuple[Point, ...]:
    """Ours, of both strategies."""
    return tuple(
        point
        for series, engine in ((PRE, "pre"), (PER, "per"))
        for point in points(series, goodput.at(engine=engine), excerpt, factor, levels)
    )


CORES_CHART = Figure(
    id="part 1 and 2",
    title="Throughput against the cores of the server",
    x="cores",
    y="requests/s",
    xs=("1", "2", "4"),
    published=(
        *marks(PRE, [(1, 301.55), (2, 384.94), (4, 457.21)]),
        *marks(PER, [(1, 230.6), (2, 273.06), (4, 331.31)]),
    ),
    here=tuple(
        Point(series=series, x="1", side=goodput.at(engine=engine), excerpt=STRATEGIES)
        for series, engine in ((PRE, "pre"), (PER, "per"))
    ),
    note=f"{NOTE}; with one core.",
    has_bars=True,
)
DELAYS_CHART = Figure(
    id="part 3",
    title="Small against large variations in delay count",
    x="delay",
    y="requests/s",
    xs=("1-3", "1-20"),
    published=(
        *marks(PRE, [("1-3", 449.99), ("1-20", 184.96)]),
        *marks(PER, [("1-3", 331.28), ("1-20", 188.57)]),
    ),
    here=both(DELAYS, "bucket-delay", ("1-3", "1-20")),
    note=f"{NOTE}, and one core for four. By Little's law no server gives 1000 clients more than "
    "95.2 requests/s with delays of 1 to 20 s.",
    has_bars=True,
)
COUNTS_CHART = Figure(
    id="part 4",
    title="Different bucket sizes",
    x="buckets",
    y="requests/s",
    xs=("32", "128", "512", "2048"),
    published=(
        *marks(PRE, [(32, 437.83), (128, 466.69), (512, 464.89), (2048, 463.81)]),
        *marks(PER, [(32, 325.50), (128, 325.97), (512, 326.22), (2048, 324.71)]),
    ),
    here=both(COUNTS, "buckets", (32, 128, 512, 2048)),
    note=f"{NOTE}, and one core for four.",
    has_bars=True,
)
