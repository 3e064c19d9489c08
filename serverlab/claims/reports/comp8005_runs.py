"""What is run of the COMP 8005 report, and its three charts of requests per client."""

from __future__ import annotations

from serverlab.claims.evidence import Side
from serverlab.claims.excerpt import Excerpt
from serverlab.claims.figure import Figure, Mark, Point
from serverlab.claims.measures import AVERAGE_SERVED
from serverlab.measures import LEAST_SERVED, MOST_SERVED

TOGETHER = Excerpt(
    name="comp8005-together",
    file="claims/starting-together.toml",
    window_s=4,
    shortest_s=2,
    blocks=7,
)
OWN_START = Excerpt(
    name="comp8005-own-start",
    file="claims/starting-by-themselves.toml",
    window_s=5,
    shortest_s=4,
    blocks=6,
    ending_s=13,  # of connecting, and of clients that are connected last
)
TRIGGERS = Excerpt(
    name="comp8005-level-or-edge",
    file="claims/level-or-edge.toml",
    window_s=2,
    shortest_s=1,
    blocks=9,
)
UNPACED = Excerpt(
    name="comp8005-unpaced-clients",
    file="claims/unpaced-clients.toml",
    window_s=2,
    shortest_s=1,
    blocks=1,
    ending_s=12,  # of connecting, at most: the queue of 100 is full
)
MANY = Excerpt(
    name="comp8005-many-clients",
    file="comp8005/most-clients.toml",
    levels={"connections": (12000, 16000)},
    window_s=2,
    shortest_s=1,
    blocks=1,
)

XS = ("least", "average", "most")
shares = [Side(measure=one) for one in (LEAST_SERVED, AVERAGE_SERVED, MOST_SERVED)]
most_served = shares[-1]


def chart(id_: str, name: str, engine: str, requests: tuple[int, int, int]) -> Figure:
    """One of the report's three: of each client its requests, by what it prints of them."""
    least, mean, most = requests
    return Figure(
        id=id_,
        title=f"Requests to the {name} server per client",
        x="client with the least and the most requests",
        y="× the average",
        xs=XS,
        published=tuple(
            Mark(series=engine, x=x, y=value / mean)
            for x, value in zip(XS, (least, mean, most), strict=True)
        ),
        here=tuple(
            Point(series=engine, x=x, side=side.at(engine=engine), excerpt=OWN_START)
            for x, side in zip(XS, shares, strict=True)
        ),
        note=f"Published: {least}, {mean} and {most} requests in 20 s of each client, from its own "
        "connecting on. Here 5 s of each.",
        is_log=True,
        has_bars=True,
    )


THREADS_CHART = chart("1.0", "multi-threaded", "threads", (504, 1226, 16033))
POLL_CHART = chart("1.1", "multiplexed", "poll", (480, 1328, 6185))
EPOLL_CHART = chart("1.2", "asynchronous", "epoll-edge", (521, 1311, 2927))
CHARTS = (THREADS_CHART, POLL_CHART, EPOLL_CHART)
