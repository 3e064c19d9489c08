"""What is run of the forum report, and its two graphs."""

from __future__ import annotations

from serverlab.claims.evidence import Side
from serverlab.claims.excerpt import Excerpt
from serverlab.claims.figure import Figure, Point, marks, points
from serverlab.measures import GOODPUT_PER_CONNECTION, answered_of

AS_PUBLISHED = (
    "Its server: a thread for each client, its expressions built for each request, one shared "
    "mutex; its posters and readers in closed loops on the same machine. libstdc++'s expressions "
    "stand for those of its library, and Linux for Windows."
)

CLIENTS = Excerpt(
    name="forum-clients",
    file="forum/equal-mixes.toml",
    levels={"forum-parser": ("regex",)},
    window_s=2,
    shortest_s=1,
    blocks=7,
)
PARSER_AND_LOCK = Excerpt(
    name="forum-parser-and-lock",
    file="forum/why-reads-are-slower.toml",
    levels={"forum-lock": ("shared",), "forum-parser": ("regex", "prefix")},
    window_s=2,
    shortest_s=1,
    blocks=7,
)
THREE = Excerpt(
    name="forum-mixes-of-three",
    file="forum/mixes-of-three.toml",
    window_s=2,
    shortest_s=1,
    blocks=7,
)
FOUR = Excerpt(
    name="forum-mixes-of-four",
    file="forum/mixes-of-four.toml",
    window_s=2,
    shortest_s=1,
    blocks=7,
)
ORDER = Excerpt(
    name="forum-order",
    file="forum/order-of-the-parser.toml",
    levels={"forum-parser": ("regex", "prefix")},
    window_s=2,
    shortest_s=1,
    blocks=5,
)
POOLS = Excerpt(
    name="forum-pools",
    file="claims/forum-pools.toml",
    window_s=2,
    shortest_s=1,
    blocks=7,
)

THREADS = (2, 4, 6, 10)
XS = ("2", "3", "4", "6", "10")
each = Side(measure=GOODPUT_PER_CONNECTION)
reads, posts = (Side(measure=answered_of(name)) for name in ("read", "post"))


def mixed(series: str, x: int, posters: int, excerpt: Excerpt) -> Point:
    """A mix of more posters than readers, or of fewer."""
    side = each.at(forum_posters=posters)
    return Point(series=series, x=str(x), side=side, excerpt=excerpt)


def per_client(series: str, side: Side) -> tuple[Point, ...]:
    """Of half of the clients each."""
    return tuple(
        point
        for level in THREADS
        for point in points(series, side, CLIENTS, "connections", [level], level / 2)
    )


OVERALL = Figure(
    id="graph 1",
    title="Total threads against overall throughput",
    x="threads of the harness",
    y="requests/s of each",
    xs=XS,
    published=(
        *marks("as many of both", [(2, 19_895), (4, 15_283), (6, 10_758), (10, 6_837)]),
        *marks("more readers", [(3, 17_954), (4, 15_433)]),
        *marks("more posters", [(3, 17_812), (4, 15_142)]),
    ),
    here=(
        *points("as many of both", each, CLIENTS, "connections", THREADS),
        mixed("more readers", 3, 1, THREE),
        mixed("more readers", 4, 1, FOUR),
        mixed("more posters", 3, 2, THREE),
        mixed("more posters", 4, 3, FOUR),
    ),
    note="Means of ten runs. Of two posters and two readers the report says 15 106.6; its own rows "
    "have 15 283.5. libstdc++ builds its expressions more slowly than the report's library.",
)
BY_KIND = Figure(
    id="graph 2",
    title="Threads against posts, and against reads",
    x="threads of the harness",
    y="requests/s of each",
    xs=XS,
    published=(
        *marks("posts", [(2, 19_919), (3, 18_155), (4, 15_536), (6, 10_949), (10, 6_963)]),
        *marks("reads", [(2, 19_872), (3, 17_611), (4, 15_036), (6, 10_566), (10, 6_711)]),
    ),
    here=(*per_client("posts", posts), *per_client("reads", reads)),
    note="Of three and four threads the means of its two and three mixes. Here a READ pays for two "
    "expressions of libstdc++, which cost more beside the rest than those of the report's library.",
)
