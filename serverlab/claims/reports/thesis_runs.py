"""What is run of the thesis's servers, and which they are."""

from __future__ import annotations

from serverlab.claims.excerpt import Excerpt

ENGINES = ("threads", "poll", "poll-offload", "asio-callbacks", "asio-shared")
THREADED = ("threads", "poll-offload", "asio-shared")

FIVE = Excerpt(
    name="thesis",
    file="thesis/as-published.toml",
    levels={"connections": (50, 1000, 5000)},
    window_s=2,
    shortest_s=1.5,
    blocks=9,
)
FIVE_AT_MOST = Excerpt(
    name="thesis-10000",
    file="thesis/as-published.toml",
    levels={"connections": (10000,)},
    window_s=2,
    shortest_s=1,
    blocks=1,
)
POOL_AND_BUFFERS = Excerpt(
    name="thesis-pool-and-buffers",
    file="claims/pool-and-buffers.toml",
    window_s=2,
    shortest_s=1,
    blocks=7,
)
ONE_ACCEPT = Excerpt(
    name="thesis-one-accept",
    file="claims/one-accept.toml",
    window_s=2,
    shortest_s=2,
    blocks=5,
)
