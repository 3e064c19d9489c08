"""The thesis's claims about what its servers use up, and what limits them.

T13 and T14 are not said in it: they are what its code does and its text leaves out.
"""

from __future__ import annotations

from serverlab.claims.claim import Claim, Test
from serverlab.claims.evidence import Side
from serverlab.claims.holds import Holds
from serverlab.claims.law import Law
from serverlab.claims.predicates import (
    alike,
    all_of,
    at_each,
    compare,
    differs,
    least,
    most,
    proportional,
)
from serverlab.claims.region import above, below
from serverlab.claims.reports.thesis_runs import (
    ENGINES,
    FIVE,
    FIVE_AT_MOST,
    ONE_ACCEPT,
    POOL_AND_BUFFERS,
)
from serverlab.measures import GOODPUT, LEAST_SERVED, MEAN, RSS, SERVER_CPUS

goodput, mean, rss = (Side(measure=measure) for measure in (GOODPUT, MEAN, RSS))

T8 = Claim(
    id="T8",
    says="The servers of one thread use one CPU; eight threads around Asio use most, then the "
    "pool, then a thread for each client.",
    published=(("threads, 8 to 10 000 clients", "10 to 75 % of 8 CPUs"),),
    tests=(
        Test(
            asks="At 1000 connections, do `asio-shared`, the pool, `threads` and `poll` keep fewer "
            "and fewer CPUs busy, in this order?",
            excerpt=FIVE,
            server_cpus=2,
            predicate=all_of(
                *(
                    compare(
                        Side(measure=SERVER_CPUS).at(connections=1000, engine=more),
                        Side(measure=SERVER_CPUS).at(connections=1000, engine=less),
                        above(1.0),
                    )
                    for more, less in (
                        ("asio-shared", "poll-offload"),
                        ("poll-offload", "threads"),
                        ("threads", "poll"),
                    )
                )
            ),
        ),
    ),
    cause="CPUs busy is what a server could take, not what it did with it. What a request costs is "
    "server CPU per request, which the thesis does not give.",
)

T9 = Claim(
    id="T9",
    says="The memory of a thread for each client grows in proportion to the clients and is by far "
    "the most; poll on one thread needs least.",
    published=(),
    tests=(
        Test(
            asks="Has `threads` at least twice the memory of each other engine at 5000 "
            "connections?",
            excerpt=FIVE,
            predicate=most(rss.at(connections=5000), "threads", ENGINES, by=2),
        ),
        Test(
            asks="Is it five times as much at 5000 connections as at 1000, within a factor of 1.5?",
            excerpt=FIVE,
            predicate=proportional(rss.at(engine="threads"), "connections", (1000, 5000), band=1.5),
        ),
        Test(
            asks="Has `poll` the least memory at 5000 connections?",
            excerpt=FIVE,
            predicate=least(rss.at(connections=5000), "poll", ENGINES),
        ),
    ),
    cause="A thread's stack, of which a few pages are touched, and the kernel's own part of it, "
    "which RSS does not show. An event loop keeps some hundred bytes a connection.",
)

T10 = Claim(
    id="T10",
    says="Below 100 clients all servers answer alike; a thread for each has the best throughput, "
    "poll the second.",
    published=(),
    tests=(
        Test(
            asks="Is the mean latency of each engine within a quarter of that of `poll`, at 50 "
            "connections?",
            excerpt=FIVE,
            predicate=alike(mean.at(connections=50), "poll", ENGINES, factor=1.25),
        ),
        Test(
            asks="Has `threads` the highest goodput at 50 connections?",
            excerpt=FIVE,
            predicate=most(goodput.at(connections=50), "threads", ENGINES),
        ),
        Test(
            asks="Has `poll` the highest of the others?",
            excerpt=FIVE,
            predicate=most(
                goodput.at(connections=50),
                "poll",
                ("poll-offload", "asio-callbacks", "asio-shared"),
            ),
        ),
    ),
    cause="The thesis's server had eight CPUs, so that up to eight threads answered at a time. "
    "Where server and threads share one, each request pays for a switch of threads.",
)

T11 = Claim(
    id="T11",
    says="All five servers support 10 000 clients at once.",
    published=(("all five", "10 000 clients"),),
    tests=(
        Test(
            asks="Are 10 000 connections open and answered, with each engine?",
            excerpt=FIVE_AT_MOST,
            predicate=Holds(
                checked=tuple(goodput.at(connections=10000, engine=one) for one in ENGINES)
            ),
        ),
    ),
    cause="What limits connections is descriptors and, with a thread for each, the number of "
    "threads and their memory: limits of a system, not of a model.",
)

T12 = Claim(
    id="T12",
    says="The network was never the limit.",
    published=(("highest throughput", "333 000 requests/s"), ("network at 64 B", "72 MB/s")),
    tests=(
        Test(
            asks="Is the highest published rate, at 64 B, below what the network carried at 64 B?",
            predicate=Law(
                what="the 21.3 MB/s of 333 000 echoes of 64 B a second",
                value=333_000 * 64 / 1e6,
                reference="the 72 MB/s that the thesis measured with iperf3",
                limit=72,
                region=below(1),
            ),
        ),
    ),
    cause="With headers each echo is some 140 B on the wire, so that the true share of the gigabit "
    "was nearer to 40 % than to 17 %: still below it. Loopback has no such limit, so that nothing "
    "is measured here.",
)

T13 = Claim(
    id="T13",
    says="Not said, but in the code: only the Asio servers have socket buffers of 128 B, and that "
    "makes the comparison with the others unfair.",
    published=(),
    tests=(
        Test(
            asks="Do buffers of 128 B change the goodput of echoes of 64 B, by 2 % or more?",
            excerpt=POOL_AND_BUFFERS,
            predicate=at_each(
                (50, 1000),
                lambda level: differs(
                    goodput.at(connections=level, engine="asio-128-byte"),
                    goodput.at(connections=level, engine="asio-automatic"),
                ),
            ),
        ),
    ),
    cause="The kernel raises 128 B to its least, some 2 to 5 kB. A payload of 64 B, one at a time, "
    "fits into either; large or many messages would not.",
)

T14 = Claim(
    id="T14",
    says="Not said, but in the code: the poll server accepts one connection each time it wakes, "
    "and that keeps clients waiting where thousands come.",
    published=(),
    tests=(
        Test(
            asks="Of 4000 clients that come at once, has the least served half as much of the "
            "average, or less, as with a server that accepts up to 64 at a time?",
            excerpt=ONE_ACCEPT,
            predicate=compare(
                Side(measure=LEAST_SERVED).at(engine="poll-one-accept"),
                Side(measure=LEAST_SERVED).at(engine="poll-64-accepts"),
                below(0.5),
            ),
        ),
    ),
    cause="Each accept waits for a scan of all connections and for the answers to those that are "
    "ready, and these ask again at once: with k clients inside, one comes in for each k answers. "
    "The kernel completes the handshake all the same, so that connections look open that no thread "
    "serves. The thesis's load generator made a call on each connection before it began, which hid "
    "it.",
)

LIMITS = (T8, T9, T10, T11, T12, T13, T14)
