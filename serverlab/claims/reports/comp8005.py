"""The claims of a report on the second assignment of COMP 8005 (BCIT, 2018).

Its own scatter: it calls 1328 and 1311 requests a client roughly the same, and 1328 and 1226 a
small increase. What is alike is therefore within 5 %. Of its evenness it has a single run a server.
The 20 s of each client began with its own connecting: so do those of the arm as published, for 5 s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from serverlab.claims.claim import Arm, Cause, Claim, Report, Test
from serverlab.claims.early import Early
from serverlab.claims.evidence import Side
from serverlab.claims.holds import Holds
from serverlab.claims.needs import FOUR_CPUS, Needs
from serverlab.claims.predicates import alike, all_of, at_each, compare, least
from serverlab.claims.region import above, below
from serverlab.claims.reports.comp8005_runs import (
    CHARTS,
    MANY,
    OWN_START,
    TOGETHER,
    TRIGGERS,
    UNPACED,
    most_served,
)  # fmt: skip
from serverlab.measures import GOODPUT, MEAN

if TYPE_CHECKING:
    from serverlab.claims.ratios import Ratios

goodput, mean = Side(measure=GOODPUT), Side(measure=MEAN)

SERVERS = (
    "Its servers with an accept queue of 100, 2000 clients, echoes of 1000 B; over loopback for a "
    "laboratory's network, seconds for 20 s."
)
BY_THEMSELVES = f"{SERVERS} Each client begins by itself and leaves after its own 5 s."

C1 = Claim(
    id="C1",
    section="Asynchronous Server (epoll)",
    says="“The average num of requests and average server response time [were] roughly the same "
    "between the epoll and poll server.”",
    published=(
        ("poll", "1328 requests a client, 18.04 ms"),
        ("epoll", "1311 requests a client, 18.02 ms"),
    ),
    figures=CHARTS,
    observation=Arm(
        conditions=f"{SERVERS} A common start, which averages do not depend on.",
        tests=(
            Test(
                asks="Are goodput and mean latency of `poll` within 5 % of those of `epoll-edge`?",
                excerpt=TRIGGERS,
                predicate=all_of(
                    *(
                        alike(side.at(connections=2000), "epoll-edge", ("poll",), factor=1.05)
                        for side in (goodput, mean)
                    )
                ),
                region="The report calls 1.3 % roughly the same, and 8 % an increase.",
            ),
        ),
    ),
    explanation="2000 clients with 1226 to 1328 echoes of 1000 B in 20 s are 123 to 133 MB/s: as "
    "much as a gigabit link carries. If its link was full, it measured that, and what waits for a "
    "link is alike. Loopback has no such limit.",
    reversal="A gigabit link between clients and server, which makes any two servers alike.",
    objection="“Over my network they were the same.” They were, to 1.3 %, at what is all of a "
    "gigabit (the report does not say what its link was). Without a link in the way two servers "
    "need not be.",
)


def less_and_less() -> Ratios:
    """From threads to poll to epoll the most served client has less over the average."""
    return all_of(
        compare(
            most_served.at(engine="poll"),
            most_served.at(engine="threads"),
            below(1 / 1.1),
            published=(6185 / 1328) / (16033 / 1226),
        ),
        compare(
            most_served.at(engine="epoll-edge"),
            most_served.at(engine="poll"),
            below(1 / 1.1),
            published=(2927 / 1311) / (6185 / 1328),
        ),
    )


FEW = (
    "“A few” is read as a hundredth, 20 of 2000, and “the threshold” that all others fall around "
    "as the client in the middle; to be favoured and to hog is more than half as much again."
)


def first_few() -> Early:
    """The clients that connect first have half as much again as the one in the middle."""
    return Early(
        checked=tuple(most_served.at(engine=one) for one in ("threads", "poll")),
        region=above(1.5),
    )


C2 = Claim(
    id="C2",
    section="Asynchronous Server (epoll)",
    says="“The low high range kept shrinking along the way. Epoll is a lot more efficient when it "
    "comes to allocating resource evenly among connect clients.”",
    published=(
        ("threads, most over average", "13.1"),
        ("poll, most over average", "4.7"),
        ("epoll, most over average", "2.2"),
        ("least to most", "504 to 16033, 480 to 6185, 521 to 2927"),
    ),
    figures=CHARTS,
    observation=Arm(
        conditions=BY_THEMSELVES,
        tests=(
            Test(
                asks="Has the most served client less over the average with `poll` than with "
                "`threads`, and with `epoll-edge` than with `poll`, by a tenth?",
                excerpt=OWN_START,
                predicate=less_and_less(),
                region="Each published step is a halving or more: a tenth is a small part.",
            ),
        ),
    ),
    cause=Cause(
        named="The servers' models share unlike among clients.",
        suspect="No common start: who connected early had the server to itself.",
        arm=Arm(
            conditions=f"{SERVERS} All clients begin together.",
            tests=(
                Test(
                    asks="Has the most served client less over the average with `poll` than with "
                    "`threads`, and with `epoll-edge` than with `poll`, by a tenth?",
                    excerpt=TOGETHER,
                    predicate=less_and_less(),
                    region="Each published step is a halving or more: a tenth is a small part.",
                ),
            ),
        ),
    ),
    explanation="The report's epoll server, as its code is published, wrote each client's requests "
    "into another client's place, so that its spread is not what clients got. An event loop goes "
    "round its clients, whichever way it is told of them.",
    reversal="A step that is left when all begin together.",
    objection="“My clients had no common start, and nor have users.” That is the other arm. Here "
    "it is asked whether the servers made the difference, as the sentence says.",
)

C3 = Claim(
    id="C3",
    section="Multi-Threaded Server",
    says="“Only a few clients … surpassed 5000 requests whereas all other processed client "
    "requests fall around the threshold … This means that the initial client connections are "
    "favored and hog up the server resources for a time being” (threads), and poll “is still "
    "favoring the initial first connections”.",
    published=(("threads, most over average", "13.1"), ("poll, most over average", "4.7")),
    figures=CHARTS,
    observation=Arm(
        conditions=BY_THEMSELVES,
        tests=(
            Test(
                asks="Has the first hundredth of the clients to connect half as much again as the "
                "client in the middle, with `threads` and with `poll`?",
                excerpt=OWN_START,
                predicate=first_few(),
                region=FEW,
            ),
        ),
    ),
    cause=Cause(
        named="The servers favour them: “no priority options are implemented”, yet some hog.",
        suspect="No common start: the first clients ran alone while 2000 connected.",
        arm=Arm(
            conditions=f"{SERVERS} All clients begin together, so that nobody is first.",
            tests=(
                Test(
                    asks="Has the first hundredth of the clients to connect still half as much "
                    "again as the client in the middle, with `threads` and with `poll`?",
                    excerpt=TOGETHER,
                    predicate=first_few(),
                    region=FEW,
                ),
            ),
        ),
    ),
    explanation="Each client of the report began as soon as it was connected. The first ones had "
    "the server to themselves while 2000 connected: it was idle for them. Its poll server accepts "
    "one client each time round, so that the last ones came in late (T14).",
    reversal="A server that serves the first clients more when all are there from the start.",
    objection="“They were favoured, by whatever it was.” Yes, and the observation says so; the "
    "sentence has the server do it.",
)

C4 = Claim(
    id="C4",
    section="Stress Test, Conclusion",
    says="“Epoll can handle more client connections”: at most 4000 with threads, 11 936 with poll, "
    "17 773 with epoll, “then errors would start occurring”.",
    published=(("threads", "4000"), ("poll", "11 936"), ("epoll", "17 773")),
    observation=Arm(
        conditions="An accept queue of 100 and clients that connect as fast as they can, for 20 s, "
        "from one machine for up to five. All have to be connected before they begin. What ended "
        "its threads, a limit of 4900 in its laboratory, is not set here and not asked about.",
        tests=(
            Test(
                asks="Does `poll` fail to hold 16 000 clients, all connected within 20 s?",
                excerpt=UNPACED,
                predicate=Holds(
                    checked=(goodput.at(engine="poll", connections=16000),), is_held=False
                ),
            ),
            Test(
                asks="Does `epoll-edge` hold as many?",
                excerpt=UNPACED,
                predicate=Holds(checked=(goodput.at(engine="epoll-edge", connections=16000),)),
            ),
        ),
    ),
    cause=Cause(
        named="The model: threads, level-triggered poll, edge-triggered epoll.",
        suspect="An accept queue of 100, and the laboratory's limits of threads and of clients a "
        "machine.",
        arm=Arm(
            conditions="An accept queue of 4096, and 2000 connections a second.",
            tests=(
                Test(
                    asks="Is it so that `threads` does not hold 12 000 clients, and `poll` not "
                    "16 000?",
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
        ),
    ),
    explanation="Its threads were limited by 4900 a user, poll and epoll by client machines with "
    "4000 each and an accept queue of 100. With limits raised and a queue that is deep enough, "
    "each model holds as many as there are descriptors.",
    reversal="A model that fails below the limits of descriptors and threads.",
    objection="“In my laboratory threads ended at 4900.” So they do wherever that limit is set. It "
    "is a setting of the system, which the report itself names.",
)

C5 = Claim(
    id="C5",
    section="Stress Test",
    says="“The max number of client connections my multi-threaded [poll] server could handle at "
    "one point … is 8287”, epoll 13 184.",
    published=(("poll, peak", "8287 at once"), ("epoll, peak", "13 184 at once")),
    observation=Arm(
        conditions="An accept queue of 100 and clients that connect as fast as they can, for 20 s; "
        "all have to be connected before they begin, so that none has left when the last comes.",
        tests=(
            Test(
                asks="Does `poll` fail to hold 12 000 at once, all connected within 20 s?",
                excerpt=UNPACED,
                predicate=Holds(
                    checked=(goodput.at(engine="poll", connections=12000),), is_held=False
                ),
            ),
            Test(
                asks="Does `epoll-edge` fail to hold 16 000, of 20 000 that five machines send?",
                excerpt=UNPACED,
                needs=Needs(machines=5, has_network=True),
                predicate=Holds(
                    checked=(goodput.at(engine="epoll-edge", connections=16000),), is_held=False
                ),
            ),
        ),
    ),
    cause=Cause(
        named="What the server could handle.",
        suspect="Clients left after 20 s while others still connected through a queue of 100.",
        arm=Arm(
            conditions="An accept queue of 4096, 2000 connections a second, and nobody leaves.",
            tests=(
                Test(
                    asks="Is it so that `poll` does not hold 12 000 at once, and `epoll-edge` not "
                    "16 000?",
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
        ),
    ),
    explanation="Clients left after 20 s while others still connected, so that those counted at "
    "one time were never all of them. The peak is that of arrivals and departures, not of a "
    "server.",
    reversal="A server that cannot hold them when none leaves.",
    objection="“I counted what was established.” Correctly; the count is of a moment in which some "
    "had left and some had not come.",
)

C6 = Claim(
    id="C6",
    section="Conclusion",
    says="What makes epoll “so much more efficient? The answer is in the difference between level "
    "triggered and edge triggered.” It holds more clients and evens out resources.",
    cause=Cause(
        named="Edge-triggered events.",
        suspect="epoll itself, whichever way it is told.",
        arm=Arm(
            conditions="The same loop, told by level and by edge; 2000 clients that begin "
            "together, and 16 000 that connect in an accept queue of 4096.",
            tests=(
                Test(
                    asks="Is `epoll-edge` more even than `epoll-level`, by a tenth: the most "
                    "served client over the average?",
                    excerpt=TOGETHER,
                    predicate=compare(
                        most_served.at(engine="epoll-edge"),
                        most_served.at(engine="epoll-level"),
                        below(1 / 1.1),
                    ),
                ),
                Test(
                    asks="Has it a higher goodput, by 2 %, with 64 or with 2000 clients?",
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
                Test(
                    asks="Does `epoll-level` fail to hold 16 000 clients?",
                    excerpt=MANY,
                    predicate=Holds(
                        checked=(goodput.at(engine="epoll-level", connections=16000),),
                        is_held=False,
                    ),
                ),
            ),
        ),
    ),
    explanation="The report explains it by the interrupts of a bus, which have nothing to do with "
    "it. A trigger decides how often one is told, and a server that receives once for each event "
    "is told as often either way.",
    reversal="A loop that, told by level, is less even, slower or holds fewer.",
    objection="“epoll was better than poll.” Whether it was is C2 and C4. Here it is asked what "
    "the trigger has to do with it, by two loops that differ in nothing else.",
)

C7 = Claim(
    id="C7",
    section="Multiplexed Server (poll)",
    says="poll “processed about 100 more client requests on average and was about 0.5 of a "
    "millisecond faster at responding” than threads.",
    published=(
        ("threads", "1226 requests a client, 18.46 ms"),
        ("poll", "1328 requests a client, 18.04 ms"),
    ),
    figures=CHARTS,
    observation=Arm(
        conditions=SERVERS,
        tests=(
            Test(
                asks="Has `poll` a lower mean latency than `threads`?",
                excerpt=TOGETHER,
                needs=FOUR_CPUS,
                predicate=least(mean, "poll", ("threads",)),
            ),
        ),
    ),
    explanation="In a closed loop it is the throughput once more (T4): 2000 clients ÷ rate. The "
    "report's 2 % of latency are less than what two runs of the same server differ by.",
    reversal="A verdict needs four CPUs: its threads could run on all of its machine's, and its "
    "poll on one.",
)

COMP8005 = Report(
    letter="C",
    name="Threads, poll and epoll",
    about="A course report of 2018 has 2000 clients send 1000 B and await their echo, each for 20 "
    "s from its own connecting on, over a network. Its servers are a thread for each client, poll, "
    "and epoll, which it calls edge-triggered. Then it raises the clients until errors begin.",
    claims=(C1, C2, C3, C4, C5, C6, C7),
)
