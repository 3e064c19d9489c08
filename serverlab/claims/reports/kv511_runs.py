"""What is run of the KV511 report, and its four bar charts."""

from __future__ import annotations

from serverlab.claims.evidence import Side
from serverlab.claims.excerpt import Excerpt
from serverlab.claims.figure import Figure, Point, marks, points
from serverlab.measures import ALL_DONE, SERVER_TIME_MEAN, SESSION_MEAN, SOCKET_OPEN_MEAN

ASYNC, MT, KEPT = "asynchronous", "multithreaded", "threads-kept"
CLIENTS = (1, 5, 10, 15, 20)
XS = tuple(str(one) for one in CLIENTS)
NS_PER_US, NS_PER_MS, NS_PER_S = 1e3, 1e6, 1e9

SESSIONS = Excerpt(
    name="kv511",
    file="claims/kv-sessions.toml",
    window_s=2,
    shortest_s=1.2,
    blocks=4,
)
PUBLISHED = Excerpt(
    name="kv511-published",
    file="claims/kv-published.toml",
    window_s=2,
    shortest_s=1.5,
    blocks=3,
)
PAUSES = Excerpt(
    name="kv511-pauses",
    file="claims/kv-pauses.toml",
    window_s=2,
    shortest_s=1.5,
    blocks=5,
)

TEN_SESSIONS = Excerpt(
    name="kv511-all-sessions",
    file="kv511/all-sessions.toml",
    window_s=2,
    shortest_s=1,
    blocks=3,
)

session, socket_open, message, all_done = (
    Side(measure=one) for one in (SESSION_MEAN, SOCKET_OPEN_MEAN, SERVER_TIME_MEAN, ALL_DONE)
)


def lines(
    side: Side, excerpt: Excerpt, levels: tuple[int, ...], unit: float, *names: str
) -> tuple[Point, ...]:
    """A line for each of the servers."""
    return tuple(
        point
        for one in names
        for point in points(one, side.at(engine=one), excerpt, "connections", levels, unit)
    )


SESSION_CHART = Figure(
    id="2.1, left",
    title="Average time to serve a session of ten requests",
    x="client threads",
    y="ms",
    xs=XS,
    published=(
        *marks(ASYNC, zip(CLIENTS, (18, 73, 150, 233, 310), strict=True)),
        *marks(MT, zip(CLIENTS, (25, 72, 152, 239, 311), strict=True)),
    ),
    here=lines(session, SESSIONS, CLIENTS, NS_PER_MS, ASYNC, MT),
    note="Read off the report's chart. Its sessions contain the start of a Python interpreter, "
    "some 15 ms of CPU on the machine of all clients; ours do not.",
    is_log=True,
    has_bars=True,
)
SUITE_CHART = Figure(
    id="2.1, right",
    title="Average time to serve all ten sessions of a client",
    x="client threads",
    y="s",
    xs=XS,
    published=(
        *marks(ASYNC, zip(CLIENTS, (0.18, 0.73, 1.50, 2.33, 3.10), strict=True)),
        *marks(MT, zip(CLIENTS, (0.25, 0.72, 1.52, 2.39, 3.11), strict=True)),
    ),
    here=lines(all_done, TEN_SESSIONS, CLIENTS, NS_PER_S, ASYNC, MT),
    note="Read off the report's chart. Ours is the time until the last client is done, without "
    "interpreters.",
    is_log=True,
    has_bars=True,
)
SOCKET_CHART = Figure(
    id="3.1",
    title="Average time for the server to handle a socket from open to close",
    x="client threads",
    y="ms",
    xs=XS,
    published=(
        *marks(ASYNC, zip(CLIENTS, (17, 125, 275, 435, 600), strict=True)),
        *marks(MT, zip(CLIENTS, (522, 495, 727, 810, 1060), strict=True)),
    ),
    here=lines(socket_open, PUBLISHED, (1, 5, 20), NS_PER_MS, ASYNC, MT),
    note="Read off the report's chart. Ours wait 15 ms a session where its client starts an "
    "interpreter, but not for one another's; the server is stopped 5 s after the last session.",
    is_log=True,
    has_bars=True,
)
MESSAGE_CHART = Figure(
    id="3.2",
    title="Average time for the server to handle a message",
    x="client threads",
    y="µs",
    xs=XS,
    published=marks(ASYNC, ((5, 36), (10, 15), (15, 46), (20, 49))),
    here=lines(message, SESSIONS, CLIENTS, NS_PER_US, ASYNC),
    note="Read off the report's chart, which calls the bar of 10 clients “probably a fluke”.",
    has_bars=True,
)
