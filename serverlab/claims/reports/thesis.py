"""The claims of the thesis on echo servers (Ukrainian Catholic University, 2022).

Its server had four cores, eight logical CPUs, and three of its five servers are of eight threads or
more: what compares these with one thread is not tested below four CPUs. A border of 2 % is that of
the smallest difference that its text makes something of.
"""

from __future__ import annotations

from serverlab.claims.claim import Arm, Cause, Claim, Report, Test
from serverlab.claims.evidence import Side
from serverlab.claims.measures import TAIL
from serverlab.claims.needs import FOUR_CPUS
from serverlab.claims.predicates import alike, all_of, at_each, compare, falls, grows, least, most
from serverlab.claims.region import above, below
from serverlab.claims.reports.ledgers import POOL_TIMER
from serverlab.claims.reports.thesis_costs import COSTS
from serverlab.claims.reports.thesis_figures import (
    AVERAGE,
    P90_FIGURE,
    P99_9_FIGURE,
    P99_FIGURE,
    THROUGHPUT,
)  # fmt: skip
from serverlab.claims.reports.thesis_runs import (
    AS_PUBLISHED,
    ENGINES,
    FIVE,
    FIXED_RATE,
    ONE_THREAD,
    ONE_THREADED,
    POOL,
    TAILS,
    THREADED,
)  # fmt: skip
from serverlab.measures import GOODPUT, MEAN, P90, P99, P99_9

goodput, mean, p90, p99, p99_9 = (
    Side(measure=measure) for measure in (GOODPUT, MEAN, P90, P99, P99_9)
)
ASIO, BARE_ASIO = "asio-128-byte", "asio-automatic"

T1 = Claim(
    id="T1",
    section="4.3.1",
    says="“Single-threaded hybrid synchronous and asynchronous multithreaded implementations have "
    "the best results in terms of throughput.” The asynchronous one is better from 250 to 2000 "
    "clients, the synchronous one from 2000 on.",
    published=(("poll, 10 000 clients", "333 000 requests/s"),),
    figures=(THROUGHPUT,),
    observation=Arm(
        conditions=AS_PUBLISHED,
        tests=(
            Test(
                asks="Has `poll` a higher goodput than Asio on one thread, at 2500 connections?",
                excerpt=ONE_THREAD,
                predicate=most(goodput.at(connections=2500), "poll", (ASIO,)),
            ),
            Test(
                asks="Has `poll` a higher goodput than each server of several threads at 5000?",
                excerpt=FIVE,
                needs=FOUR_CPUS,
                predicate=most(goodput.at(connections=5000), "poll", THREADED),
            ),
            Test(
                asks="Has `asio-shared` the highest goodput at 1000 connections?",
                excerpt=FIVE,
                needs=FOUR_CPUS,
                predicate=most(goodput.at(connections=1000), "asio-shared", ENGINES),
            ),
        ),
    ),
    explanation="poll scans all connections at each wake-up, which costs little while nearly all "
    "of them are ready, as they are in a closed loop. That several threads gain anything needs "
    "CPUs that they can run on.",
    reversal="Four CPUs or more for the server, on which the three servers of several threads can "
    "win.",
    objection="“On my eight CPUs the three others had seven CPUs more.” True, so that only the "
    "comparison of the two servers of one thread is judged on fewer than four.",
)

T2 = Claim(
    id="T2",
    section="4.3.1, 4.3.2",
    says="“The asynchronous single-threaded version shows the worst results when the number of "
    "connections goes over 2000”; its latency “grows much faster than other implementations”.",
    published=(("asio on one thread, p99.9", "above 800 ms"),),
    figures=(THROUGHPUT, AVERAGE, P90_FIGURE),
    observation=Arm(
        conditions=ONE_THREADED,
        tests=(
            Test(
                asks="Is Asio on one thread behind `poll` at 2500 connections, in goodput and in "
                "mean latency?",
                excerpt=ONE_THREAD,
                predicate=all_of(
                    compare(
                        goodput.at(connections=2500, engine=ASIO),
                        goodput.at(connections=2500, engine="poll"),
                        below(1 / 1.02),
                    ),
                    compare(
                        mean.at(connections=2500, engine=ASIO),
                        mean.at(connections=2500, engine="poll"),
                        above(1.02),
                    ),
                ),
            ),
            Test(
                asks="Is it behind the servers of several threads at 5000, in goodput, p90 and "
                "p99.9?",
                excerpt=FIVE,
                needs=FOUR_CPUS,
                predicate=all_of(
                    *(
                        compare(
                            side.at(connections=5000, engine="asio-callbacks"),
                            side.at(connections=5000, engine=other),
                            region,
                        )
                        for side, region in (
                            (goodput, below(1 / 1.02)), (p90, above(1.02)), (p99_9, above(1.02))
                        )
                        for other in THREADED
                    )
                ),
            ),
        ),
    ),
    cause=Cause(
        named="The thesis names none and concludes about models: asynchronous, on one thread.",
        suspect="In its code the Asio servers alone have socket buffers of 128 B.",
        arm=Arm(
            conditions="The same two servers, Asio with the kernel's own buffers.",
            tests=(
                Test(
                    asks="Is Asio still behind `poll` at 2500 connections, in goodput?",
                    excerpt=ONE_THREAD,
                    predicate=compare(
                        goodput.at(connections=2500, engine=BARE_ASIO),
                        goodput.at(connections=2500, engine="poll"),
                        below(1 / 1.02),
                    ),
                ),
            ),
        ),
    ),
    explanation="Both run on one CPU. poll receives from all that are ready after one call; Asio "
    "tries each receive before it waits, makes two handlers for an echo, and asks epoll again. In "
    "a closed loop mean and p90 follow from the throughput (T4).",
    reversal="A machine on which a scan of 2500 descriptors costs more than the handlers of Asio.",
    objection="“My clients came over a network, from three machines.” Then each wake-up finds "
    "fewer connections ready than over loopback, and poll scans as many: that is in poll's "
    "disfavour, and the ratio here is at its most favourable to the claim.",
)  # fmt: skip

T3 = Claim(
    id="T3",
    section="4.3.1",
    says="“The hybrid synchronous multithreaded implementation shows the lowest results from the "
    "lowest connection number to 2000. Starting from 5000 connections, it has average values.”",
    figures=(THROUGHPUT,),
    observation=Arm(
        conditions=AS_PUBLISHED,
        tests=(
            Test(
                asks="Has the thesis's `poll-offload` the lowest goodput at 50 and at 1000?",
                excerpt=FIVE,
                needs=FOUR_CPUS,
                predicate=at_each(
                    (50, 1000),
                    lambda level: least(goodput.at(connections=level), "poll-offload", ENGINES),
                ),
            ),
        ),
    ),
    cause=Cause(
        named="The thesis names none: a pool behind poll is “not worth that effort”.",
        suspect="The pool looks for connections that come back once a millisecond, by a timer.",
        arm=Arm(
            conditions="The same pool, woken by the connection that comes back.",
            tests=(
                Test(
                    asks="Does the woken pool stay within a tenth of the published one, at 50?",
                    excerpt=POOL,
                    needs=FOUR_CPUS,
                    predicate=compare(
                        goodput.at(connections=50, engine="pool-woken"),
                        goodput.at(connections=50, engine="pool-as-published"),
                        below(1.1),
                    ),
                    region="Less than a tenth would leave the pool the last of five.",
                ),
            ),
        ),
    ),
    explanation="A connection that has been served is back in the set only at the next call of "
    "poll, which the thesis's server makes every millisecond unless another connection is ready; "
    "and an echo is two jobs, each with a hand-over.",
    reversal="A verdict needs four CPUs, on which the workers of the pool run beside the loop.",
    ledger=POOL_TIMER,
)

T4 = Claim(
    id="T4",
    section="4.3.2",
    says="“All except single-threaded asynchronous implementation have similar results and "
    "constant stable growth in latency.”",
    figures=(AVERAGE,),
    observation=Arm(
        conditions=AS_PUBLISHED,
        tests=(
            Test(
                asks="Does the mean latency of each of these four grow from 50 to 1000 to 5000 "
                "connections?",
                excerpt=FIVE,
                predicate=all_of(
                    *(
                        grows(mean.at(engine=one), "connections", (50, 1000, 5000))
                        for one in ("poll", *THREADED)
                    )
                ),
            ),
            Test(
                asks="Are those of several threads within half of that of `poll`, at 1000?",
                excerpt=FIVE,
                needs=FOUR_CPUS,
                predicate=alike(mean.at(connections=1000), "poll", THREADED, factor=1.5),
                region="“Relatively small” differences, on an axis of hundreds of milliseconds.",
            ),
        ),
    ),
    cause=Cause(
        named="It is given as a property of the servers: latency in respect to clients.",
        suspect="The closed loop: as many requests are under way as there are clients, so that by "
        "Little's law latency is clients ÷ throughput, whatever serves them.",
        arm=Arm(
            conditions="A schedule issues 8000 requests/s, whatever the number of clients; 25 and "
            "2500 of them.",
            tests=(
                Test(
                    asks="Does the mean latency of each still grow tenfold for a hundredfold of "
                    "clients?",
                    excerpt=FIXED_RATE,
                    predicate=all_of(
                        *(
                            compare(
                                mean.at(connections=2500, engine=one),
                                mean.at(connections=25, engine=one),
                                above(10),
                            )
                            for one in ("threads", "poll", "asio-callbacks")
                        )
                    ),
                    region="A closed loop makes it a hundredfold: less than a tenth of that is "
                    "not what the figure shows.",
                ),
            ),
        ),
    ),
    explanation="A closed loop always has as many requests under way as it has clients. A "
    "throughput that hardly changes makes a latency that grows in proportion to them.",
    reversal="A server whose latency grows as much at a fixed rate.",
    objection="“Users do wait for replies, so a closed loop is real.” For ten users; ten thousand "
    "do not slow down together because a server does. The observation stands; it is no finding "
    "about servers.",
)

T5 = Claim(
    id="T5",
    section="4.3.2, percentile 90",
    says="“From 100 to 2000 connections, the synchronous version demonstrates better results”; at "
    "5000 it “takes the next to last place”.",
    figures=(P90_FIGURE,),
    observation=Arm(
        conditions=AS_PUBLISHED,
        tests=(
            Test(
                asks="Has `threads` the lowest p90 at 1000 connections?",
                excerpt=FIVE,
                needs=FOUR_CPUS,
                predicate=least(p90.at(connections=1000), "threads", ENGINES),
            ),
            Test(
                asks="Has it a higher p90 than `poll`, the pool and `asio-shared` at 5000?",
                excerpt=FIVE,
                needs=FOUR_CPUS,
                predicate=most(
                    p90.at(connections=5000), "threads", ("poll", "poll-offload", "asio-shared")
                ),
            ),
        ),
    ),
    explanation="Threads that wait for a CPU are served in the scheduler's order, not in that of "
    "their requests. The thesis supposes a better dispatcher and fewer system calls.",
    reversal="A verdict needs four CPUs: how many threads run at once decides who waits.",
)

T6 = Claim(
    id="T6",
    section="4.3.2, percentile 99",
    says="“All threaded implementations have 1 percent of responses with latency over 200 "
    "milliseconds when they have 5000 or more clients. Other two implementations have stable "
    "results.”",
    published=(("threads, pool, asio-shared, p99", "above 200 ms"),),
    figures=(P99_FIGURE,),
    observation=Arm(
        conditions=AS_PUBLISHED,
        tests=(
            Test(
                asks="Has each server of several threads a higher p99 than both of one thread, at "
                "5000 connections?",
                excerpt=TAILS,
                needs=FOUR_CPUS,
                predicate=all_of(
                    *(
                        most(
                            p99.at(connections=5000), one, ("poll", "asio-callbacks")
                        )
                        for one in THREADED
                    )
                ),
            ),
        ),
    ),
    explanation="poll goes round its connections in their order. Threads, and callbacks that "
    "several threads take, lose that order. The 200 ms are a bucket of the thesis's load "
    "generator, whose buckets are a tenth to a quarter wide.",
    reversal="A verdict needs four CPUs: on one, threads wait for one another, in the claim's "
    "favour.",
)  # fmt: skip

T7 = Claim(
    id="T7",
    section="4.3.2, percentile 99.9",
    says="“The hybrid synchronous single-threaded version is the most stable in the range up to "
    "10000 connections.”",
    published=(("asio on one thread, p99.9", "above 800 ms"),),
    figures=(P99_9_FIGURE,),
    observation=Arm(
        conditions=f"{AS_PUBLISHED} Stable is read as near to its own median: p99.9 over p50.",
        tests=(
            Test(
                asks="Has `poll` the lowest p99.9 over its p50, at 5000 and at 10 000 connections?",
                excerpt=TAILS,
                needs=FOUR_CPUS,
                predicate=at_each(
                    (5000, 10000),
                    lambda level: least(Side(measure=TAIL).at(connections=level), "poll", ENGINES),
                ),
            ),
        ),
    ),
    explanation="As T6: one scan in a fixed order. A reply that is late beyond that comes from "
    "outside of the server, from a scheduler or a retransmission.",
    reversal="A verdict needs four CPUs, as T6.",
)

T16 = Claim(
    id="T16",
    section="4.3.1",
    says="“As numbers of connections goes higher – greater than 2000, this version [a thread for "
    "each client] has a descending dynamic in terms of throughput.”",
    figures=(THROUGHPUT,),
    observation=Arm(
        conditions=AS_PUBLISHED,
        tests=(
            Test(
                asks="Does the goodput of `threads` fall from 1000 to 5000 connections?",
                excerpt=FIVE,
                needs=FOUR_CPUS,
                predicate=falls(goodput.at(engine="threads"), "connections", (1000, 5000)),
            ),
        ),
    ),
    explanation="More threads than CPUs wait for one another; with more CPUs the throughput first "
    "rises until they are busy, which is what the descent is from.",
    reversal="A verdict needs four CPUs: one is busy from the first clients on.",
)

THESIS = Report(
    letter="T",
    name="Five echo servers",
    about="A bachelor's thesis of 2022 compares five echo servers in C++ on a laptop with 8 "
    "logical CPUs: a thread for each client, poll on one thread, poll with a pool, and Asio on one "
    "thread and on eight. Its load is Fortio's closed loop of 64 B from three machines, with 8 to "
    "10 000 connections. Here its servers are rebuilt as its code had them.",
    claims=(T1, T2, T3, T4, T5, T6, T7, *COSTS, T16),
)
