"""What is run of the thesis's servers, and which they are."""

from __future__ import annotations

from serverlab.claims.excerpt import Excerpt

ENGINES = ("threads", "poll", "poll-offload", "asio-callbacks", "asio-shared")
THREADED = ("threads", "poll-offload", "asio-shared")

AS_PUBLISHED = (
    "Its five servers as its code had them, its echoes of 64 B in a closed loop; over loopback, "
    "with windows of seconds for a minute."
)
ONE_THREADED = (
    "Its two servers of one thread as its code had them, which need no second CPU; 2500 clients "
    "stand for more than 2000, as many as servers that take turns can hold."
)

FIVE = Excerpt(
    name="thesis",
    file="thesis/as-published.toml",
    levels={"connections": (50, 1000, 5000)},
    window_s=2,
    shortest_s=1.5,
    blocks=3,
)
FIVE_AT_MOST = Excerpt(
    name="thesis-10000",
    file="thesis/as-published.toml",
    levels={"connections": (10000,)},
    window_s=2,
    shortest_s=1,
    blocks=1,
)
TAILS = Excerpt(
    name="thesis-tails",
    file="thesis/as-published.toml",
    levels={"connections": (5000, 10000)},
    window_s=10,
    shortest_s=5,
    blocks=5,
)
ONE_THREAD = Excerpt(
    name="thesis-one-thread",
    file="claims/one-thread.toml",
    window_s=2,
    shortest_s=1.2,
    blocks=11,
)
POOL = Excerpt(
    name="thesis-pool",
    file="claims/thesis-pool.toml",
    window_s=2,
    shortest_s=1,
    blocks=7,
)
FIXED_RATE = Excerpt(
    name="thesis-fixed-rate",
    file="claims/clients-at-a-fixed-rate.toml",
    window_s=2,
    shortest_s=1.6,
    blocks=5,
)
ONE_ACCEPT = Excerpt(
    name="thesis-one-accept",
    file="claims/one-accept.toml",
    window_s=2,
    shortest_s=2,
    blocks=5,
)
