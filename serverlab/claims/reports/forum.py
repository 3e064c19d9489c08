"""The claims of the report on a forum server (Sheffield Hallam University, 2022)."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from serverlab.claims.claim import Claim, Report, Rival, Test
from serverlab.claims.evidence import Side
from serverlab.claims.excerpt import Excerpt
from serverlab.claims.law import Law
from serverlab.claims.measures import READERS_SHARE
from serverlab.claims.predicates import all_of, at_each, compare, falls, most, unmoved
from serverlab.claims.region import above, below, within
from serverlab.measures import GOODPUT, GOODPUT_PER_CONNECTION, answered_of, latency_of

if TYPE_CHECKING:
    from serverlab.claims.ratios import Ratios

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
    levels={"forum-lock": ("exclusive", "shared"), "forum-parser": ("regex", "prefix")},
    window_s=2,
    shortest_s=1,
    blocks=7,
)
THREE = Excerpt(
    name="forum-mixes-of-three",
    file="forum/mixes-of-three.toml",
    window_s=2,
    shortest_s=1,
    blocks=9,
)
FOUR = Excerpt(
    name="forum-mixes-of-four",
    file="forum/mixes-of-four.toml",
    window_s=2,
    shortest_s=1,
    blocks=9,
)
ORDER = Excerpt(
    name="forum-order",
    file="forum/order-of-the-parser.toml",
    levels={"forum-parser": ("regex", "prefix")},
    window_s=2,
    shortest_s=1,
    blocks=7,
)
POOLS = Excerpt(
    name="forum-pools",
    file="claims/forum-pools.toml",
    window_s=2,
    shortest_s=1,
    blocks=7,
)

goodput = Side(measure=GOODPUT)
reads, posts = (Side(measure=answered_of(name)) for name in ("read", "post"))
THREADS = (2, 4, 6, 10)

F1 = Claim(
    id="F1",
    says="The more clients there are, the fewer requests each of them gets answered.",
    published=(
        ("1 poster, 1 reader", "19 895 requests/s each"),
        ("5 posters, 5 readers", "6837 requests/s each"),
    ),
    tests=(
        Test(
            asks="Does the goodput per connection fall from 2 clients to 4, 6 and 10?",
            excerpt=CLIENTS,
            predicate=falls(Side(measure=GOODPUT_PER_CONNECTION), "connections", THREADS),
        ),
    ),
    cause="Clients share what the server has. Once its CPUs are busy, each gets its share of them.",
)

F1B = Claim(
    id="F1b",
    says="With more clients the server's throughput falls.",
    published=(
        ("2 clients", "39 791 requests/s in all"),
        ("10 clients", "68 369 requests/s in all"),
    ),
    tests=(
        Test(
            asks="Does the goodput of all clients together fall from 2 of them to 10?",
            excerpt=CLIENTS,
            predicate=falls(goodput, "connections", (2, 10)),
        ),
        Test(
            asks="Does it in the report's own table, clients times requests of each?",
            predicate=Law(
                what="the 68 369 requests/s of 10 clients",
                value=68_369,
                reference="the 39 791 requests/s of 2 clients",
                limit=39_791,
                region=below(1 / 1.02),
            ),
        ),
    ),
    cause="The report looked at the requests of each client and spoke of the server's. Their sum "
    "rises until the CPUs are busy, and then stays.",
)

F2 = Claim(
    id="F2",
    says="In each test readers get fewer requests answered than posters.",
    published=(("1 reader over 1 poster", "0.998"), ("5 readers over 5 posters", "0.964")),
    tests=(
        Test(
            asks="Do readers get fewer answers than as many posters, with the report's parser and "
            "lock?",
            excerpt=PARSER_AND_LOCK,
            predicate=compare(
                reads.at(forum_lock="shared", forum_parser="regex"),
                posts.at(forum_lock="shared", forum_parser="regex"),
                below(1 / 1.005),
                published=10566.17 / 10948.57,
            ),
        ),
    ),
    cause="The server tries the expression of POST first and builds each anew for each request: a "
    "READ pays for two expressions, a POST for one. It is true of the report's means, not of all "
    "of its single runs.",
    rival=Rival(
        explanation="It is the parser's order: with a parser that looks at the first bytes, and "
        "the same lock, readers no longer lag.",
        test=Test(
            asks="Do readers get as many answers as posters, within 2 % or more, without regular "
            "expressions?",
            excerpt=PARSER_AND_LOCK,
            predicate=compare(
                reads.at(forum_lock="shared", forum_parser="prefix"),
                posts.at(forum_lock="shared", forum_parser="prefix"),
                above(1 / 1.02),
            ),
        ),
    ),
)

F3 = Claim(
    id="F3",
    says="Readers are slower because a post holds the lock alone and they have to wait for it.",
    published=(),
    tests=(
        Test(
            asks="Do readers still lag behind posters when only the parser is changed, and the "
            "lock is not?",
            excerpt=PARSER_AND_LOCK,
            predicate=compare(
                reads.at(forum_lock="shared", forum_parser="prefix"),
                posts.at(forum_lock="shared", forum_parser="prefix"),
                below(1 / 1.02),
            ),
        ),
    ),
    cause="If the lock were the cause, it would remain the cause under a quicker parser, all the "
    "more as posts then come quicker. What goes with the parser was the parser's.",
    rival=Rival(
        explanation="A lock that readers may not share would make reads slower still, if locks "
        "mattered here; they do not.",
        test=Test(
            asks="Do readers lag as far behind posters with a lock that is not shared, within 5 %?",
            excerpt=PARSER_AND_LOCK,
            predicate=compare(
                Side(measure=READERS_SHARE).at(forum_lock="exclusive", forum_parser="regex"),
                Side(measure=READERS_SHARE).at(forum_lock="shared", forum_parser="regex"),
                within(1.05),
            ),
        ),
    ),
)

F4 = Claim(
    id="F4",
    says="Of the same number of clients it hardly matters how many post and how many read.",
    published=(
        ("1 poster, 2 readers over 2 posters, 1 reader", "0.998"),
        ("1 poster, 3 readers over 3 posters, 1 reader", "1.004"),
    ),
    tests=(
        Test(
            asks="Is the goodput of 3 clients the same, within 5 %, whether 1 or 2 of them post?",
            excerpt=THREE,
            predicate=unmoved(goodput, "forum-posters", (1, 2), band=1.05),
        ),
        Test(
            asks="Is that of 4 clients, whether 1, 2 or 3 of them post?",
            excerpt=FOUR,
            predicate=unmoved(goodput, "forum-posters", (1, 2, 3), band=1.05),
        ),
    ),
    cause="A READ has two expressions built, a POST one (F2). Where building them is most of a "
    "request, posters in place of readers raise the sum; where other costs outweigh it, as they "
    "must have on the report's machine, the mix hardly matters.",
)

F5 = Claim(
    id="F5",
    says="Parsing by regular expressions is a main cost; looking at the first characters would "
    "help greatly.",
    published=(),
    tests=(
        Test(
            asks="Is the goodput at least 1.5 times as high with a parser that looks at the first "
            "bytes?",
            excerpt=PARSER_AND_LOCK,
            predicate=compare(
                goodput.at(forum_lock="shared", forum_parser="prefix"),
                goodput.at(forum_lock="shared", forum_parser="regex"),
                above(1.5),
            ),
        ),
    ),
    cause="std::regex compiles an expression in some ten microseconds, several times what the "
    "kernel takes to carry the request.",
)


def waits_longer(*chain: str) -> Ratios:
    """A client alone waits longer for each kind of request than for the one before it."""
    waits = [
        Side(measure=latency_of(name)).at(forum_parser="regex", forum_posters=int(name == "post"))
        for name in chain
    ]
    return all_of(
        *(compare(later, sooner, above(1.02)) for sooner, later in itertools.pairwise(waits))
    )


F6 = Claim(
    id="F6",
    says="Requests that the parser tries later are slower: POST, READ, COUNT, LIST, and last what "
    "is unknown.",
    published=(),
    tests=(
        Test(
            asks="Does a client alone wait longer for a READ than to POST, and for a COUNT than "
            "for a READ?",
            excerpt=ORDER,
            predicate=waits_longer("post", "read", "count"),
        ),
        Test(
            asks="Does it wait longer for a LIST than for a COUNT, and longest for what is "
            "unknown?",
            excerpt=ORDER,
            predicate=waits_longer("count", "list", "unknown"),
        ),
    ),
    cause="The server tries POST, READ, COUNT, LIST and EXIT in this order, and builds each "
    "expression before it tries it. The first three have groups and repetitions, which take long "
    "to build; the last two are four letters.",
    rival=Rival(
        explanation="With a parser that looks at the first bytes the order is gone, so that it was "
        "the parser's and not that of what is asked for.",
        test=Test(
            asks="Does an unknown request take no longer than a READ, within 5 %, without regular "
            "expressions?",
            excerpt=ORDER,
            predicate=compare(
                Side(measure=latency_of("unknown")).at(forum_parser="prefix", forum_posters=0),
                Side(measure=latency_of("read")).at(forum_parser="prefix", forum_posters=0),
                below(1.05),
            ),
        ),
    ),
)

F7 = Claim(
    id="F7",
    says="A pool of threads, or a queue between producers and consumers, would be more efficient "
    "than a thread for each client.",
    published=(),
    tests=(
        Test(
            asks="Has a loop with a pool a higher goodput than a thread for each client, with 10 "
            "and with 64 clients?",
            excerpt=POOLS,
            predicate=at_each(
                (10, 64),
                lambda level: all_of(
                    *(
                        compare(
                            goodput.at(connections=level, engine=pool),
                            goodput.at(connections=level, engine="threads"),
                            above(1.02),
                        )
                        for pool in ("poll-offload", "any-first")
                    )
                ),
            ),
        ),
    ),
    cause="A pool bounds the memory of many clients. Each request pays for it by a hand-over from "
    "thread to thread, which for requests as cheap as these is most of their cost.",
)

F8 = Claim(
    id="F8",
    says="To take posts first gives readers newer data; to take reads first gives more throughput.",
    published=(),
    tests=(
        Test(
            asks="Are posts answered sooner where they come first than where reads do, with 64 "
            "clients?",
            excerpt=POOLS,
            predicate=compare(
                Side(measure=latency_of("post")).at(connections=64, engine="posts-first"),
                Side(measure=latency_of("post")).at(connections=64, engine="reads-first"),
                below(1 / 1.02),
            ),
        ),
        Test(
            asks="Is the goodput higher where reads come first?",
            excerpt=POOLS,
            predicate=most(goodput.at(connections=64), "reads-first", ("posts-first", "any-first")),
        ),
    ),
    cause="An order takes from one what it gives to the other. The throughput changes with it only "
    "as far as one kind of request is cheaper than the other, which these are not.",
)

F9 = Claim(
    id="F9",
    says="A slower CPU, fewer cores, a debug build or other load lower the throughput; a second "
    "machine for the clients raises it.",
    published=(
        ("3 posters, 3 readers, laboratory PC", "64 546 requests/s in all"),
        ("the same on a laptop", "53 460 requests/s in all"),
    ),
    tests=(),
    cause="Each of these leaves the server less CPU for a request, or more.",
    cannot="it compares machines, and there is one here; debug builds and busy machines are "
    "refused by design, as they say nothing about a server",
)

FORUM = Report(
    letter="F",
    name="A forum, and which requests are served first",
    about="A course report of 2022 measures a discussion forum with a thread for each client, "
    "regular expressions for a parser and one lock around all topics, on Windows, with the clients "
    "on the same machine: posters and readers in closed loops, 1 to 5 of each. Here the same "
    "parser and the same lock are beside others.",
    claims=(F1, F1B, F2, F3, F4, F5, F6, F7, F8, F9),
)
