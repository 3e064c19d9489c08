"""The claims of a report on the second assignment of COMP 8005 (BCIT, 2018)."""

from __future__ import annotations

from serverlab.claims.claim import Claim, Report, Rival, Test
from serverlab.claims.evidence import Side
from serverlab.claims.excerpt import Excerpt
from serverlab.claims.holds import Holds
from serverlab.claims.law import Law
from serverlab.claims.predicates import alike, all_of, at_each, compare, least
from serverlab.claims.region import above, below
from serverlab.measures import GOODPUT, MEAN, MOST_SERVED

CLIENTS_2000 = Excerpt(
    name="comp8005",
    file="comp8005/as-published.toml",
    window_s=3,
    shortest_s=2,
    blocks=7,
)
EARLY = Excerpt(
    name="comp8005-early-clients",
    file="claims/early-clients.toml",
    window_s=3,
    shortest_s=2,
    blocks=3,
)
TRIGGERS = Excerpt(
    name="comp8005-level-or-edge",
    file="claims/level-or-edge.toml",
    window_s=3,
    shortest_s=1,
    blocks=7,
)
MANY = Excerpt(
    name="comp8005-many-clients",
    file="comp8005/most-clients.toml",
    levels={"engine": ("threads", "poll", "epoll-edge"), "connections": (12000, 16000)},
    window_s=2,
    shortest_s=1,
    blocks=1,
)

goodput, mean, most_served = (Side(measure=measure) for measure in (GOODPUT, MEAN, MOST_SERVED))

C1 = Claim(
    id="C1",
    says="At 2000 clients threads, poll and epoll answer about as many requests, in about the same "
    "time.",
    published=(
        ("threads", "1226 requests a client, 18.46 ms"),
        ("poll", "1328 requests a client, 18.04 ms"),
        ("epoll", "1311 requests a client, 18.02 ms"),
    ),
    tests=(
        Test(
            asks="Is the goodput of `threads` and `poll` within a tenth of that of `epoll-edge`?",
            excerpt=CLIENTS_2000,
            predicate=alike(goodput, "epoll-edge", ("threads", "poll"), factor=1.1),
        ),
    ),
    cause="2000 clients with 1226 to 1328 echoes of 1000 B in 20 s are 123 to 133 MB/s: all that a "
    "gigabit link carries. The report measured its link, and what waits for a link is alike.",
    rival=Rival(
        explanation="The link was full: the published rates are those of a gigabit link.",
        test=Test(
            asks="Is the highest published rate at least nine tenths of what a gigabit link "
            "carries?",
            predicate=Law(
                what="the 126 MB/s of 2000 clients with 1328 echoes of 1000 B in 21 s",
                value=2000 * 1328 * 1000 / 21 / 1e6,
                reference="the 125 MB/s of a gigabit link",
                limit=125,
                region=above(0.9),
            ),
        ),
    ),
)

C2 = Claim(
    id="C2",
    says="epoll, being edge-triggered, shares the server evenly: from threads to poll to epoll the "
    "most served client has less and less over the others.",
    published=(
        ("threads, most over average", "13.1"),
        ("poll, most over average", "4.7"),
        ("epoll, most over average", "2.2"),
        ("most over least", "31.8, 12.9 and 5.6"),
    ),
    tests=(
        Test(
            asks="Does the most served connection have less over the average with `poll` than with "
            "`threads`, and with `epoll-edge` than with `poll`?",
            excerpt=CLIENTS_2000,
            predicate=all_of(
                compare(
                    most_served.at(engine="poll"), most_served.at(engine="threads"),
                    below(1 / 1.02), published=(6185 / 1328) / (16033 / 1226),
                ),
                compare(
                    most_served.at(engine="epoll-edge"), most_served.at(engine="poll"),
                    below(1 / 1.02), published=(2927 / 1311) / (6185 / 1328),
                ),
            ),
        ),
        Test(
            asks="Is `epoll-edge` more even than `epoll-level`, the same loop told while it is so?",
            excerpt=CLIENTS_2000,
            predicate=compare(
                most_served.at(engine="epoll-edge"),
                most_served.at(engine="epoll-level"),
                below(1 / 1.02),
            ),
        ),
    ),
    cause="The report's epoll server wrote each client's requests into another client's place, so "
    "that its spread is not what clients got. And no client waited for the others to be connected "
    "(C3). An event loop goes round its clients, whichever way it is told of them.",
    rival=Rival(
        explanation="What was uneven was the start: where all clients begin together, any of the "
        "three is even, and the trigger makes no difference.",
        test=Test(
            asks="With a common start, is the most served connection within half of the average, "
            "for `poll`, `epoll-level` and `epoll-edge`?",
            excerpt=CLIENTS_2000,
            predicate=all_of(
                *(
                    compare(most_served.at(engine=one), 1.0, below(1.5))
                    for one in ("poll", "epoll-level", "epoll-edge")
                )
            ),
        ),
    ),
)  # fmt: skip

C3 = Claim(
    id="C3",
    says="The servers favour the clients that connect first.",
    published=(("threads, most over average", "13.1"), ("poll, most over average", "4.7")),
    tests=(
        Test(
            asks="Does the most served connection get at least twice the average where all begin "
            "together, with `threads` and with `poll`?",
            excerpt=CLIENTS_2000,
            predicate=all_of(
                *(
                    compare(most_served.at(engine=one), 1.0, above(2), published=published)
                    for one, published in (("threads", 16033 / 1226), ("poll", 6185 / 1328))
                )
            ),
        ),
    ),
    cause="Each client of the report began as soon as it was connected. The first ones had the "
    "server to themselves while 2000 connected: it was idle for them, it did not favour them. Its "
    "poll server accepts one client each time round, so that the last ones came in late (T14).",
    rival=Rival(
        explanation="It is the lack of a start barrier: where clients join one after the other, "
        "the first have far more than the average, with every engine.",
        test=Test(
            asks="Has the most served connection at least twice the average where clients join "
            "over the whole window?",
            excerpt=EARLY,
            predicate=all_of(
                *(
                    compare(most_served.at(engine=one), 1.0, above(2))
                    for one in ("threads", "poll", "epoll-edge")
                )
            ),
        ),
    ),
)

C4 = Claim(
    id="C4",
    says="Threads hold fewest clients, poll more, epoll most.",
    published=(("threads", "4000"), ("poll", "11 936"), ("epoll", "17 773")),
    tests=(
        Test(
            asks="Is it so that `threads` does not hold 12 000 connections, and `poll` not 16 000?",
            excerpt=MANY,
            predicate=Holds(
                checked=(
                    goodput.at(engine="threads", connections=12000),
                    goodput.at(engine="poll", connections=16000),
                ),
                is_held=False,
            ),
        ),
    ),
    cause="The threads were limited by the laboratory's 4900 threads a user, poll and epoll by "
    "client machines with 4000 each and an accept queue of 100. With limits raised and a queue "
    "that is deep enough, each model holds as many as there are descriptors.",
)

C5 = Claim(
    id="C5",
    says="poll cannot hold more than 8300 clients at once, epoll no more than 13 200.",
    published=(("poll, peak", "8287 at once"), ("epoll, peak", "13 184 at once")),
    tests=(
        Test(
            asks="Is it so that `poll` does not hold 12 000 connections at once, and `epoll-edge` "
            "not 16 000?",
            excerpt=MANY,
            predicate=Holds(
                checked=(
                    goodput.at(engine="poll", connections=12000),
                    goodput.at(engine="epoll-edge", connections=16000),
                ),
                is_held=False,
            ),
        ),
    ),
    cause="Clients left after 20 s while others still connected, so that those counted at one time "
    "were never all of them. The peak is that of arrivals and departures, not of a server.",
)

C6 = Claim(
    id="C6",
    says="epoll is quicker because it is edge-triggered.",
    published=(),
    tests=(
        Test(
            asks="Has `epoll-edge` a higher goodput than `epoll-level`, by 2 % or more?",
            excerpt=TRIGGERS,
            predicate=at_each(
                (64, 2000),
                lambda level: compare(
                    goodput.at(connections=level, engine="epoll-edge"),
                    goodput.at(connections=level, engine="epoll-level"),
                    above(1.02),
                ),
            ),
        ),
    ),
    cause="The report explains it by the interrupts of a bus, which have nothing to do with it. A "
    "trigger decides how often one is told, and a server that receives once for each event is told "
    "as often either way.",
)

C7 = Claim(
    id="C7",
    says="poll answers some 0.4 ms sooner than threads, on the average.",
    published=(("threads", "18.46 ms"), ("poll", "18.04 ms")),
    tests=(
        Test(
            asks="Has `poll` a lower mean latency than `threads` at 2000 connections?",
            excerpt=CLIENTS_2000,
            predicate=least(mean, "poll", ("threads",)),
        ),
    ),
    cause="In a closed loop it is the throughput once more (T4): 2000 clients ÷ rate. The report's "
    "2 % are within what two runs of the same server differ by.",
)

COMP8005 = Report(
    letter="C",
    name="Threads, poll and epoll",
    about="A course report of 2018 has 2000 clients send 1000 B and await their echo, each for 20 "
    "s from its own connecting on, over a laboratory's network. Its servers are a thread for each "
    "client, poll, and epoll, which it calls edge-triggered. Then it raises the clients until "
    "errors begin.",
    claims=(C1, C2, C3, C4, C5, C6, C7),
)
