"""The claims of the thesis on echo servers (Ukrainian Catholic University, 2022)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serverlab.claims.claim import Claim, Report, Rival, Test
from serverlab.claims.evidence import Side
from serverlab.claims.measures import LITTLE
from serverlab.claims.predicates import all_of, compare, grows, least, most
from serverlab.claims.region import above, below, within
from serverlab.claims.reports.thesis_limits import LIMITS
from serverlab.claims.reports.thesis_runs import ENGINES, FIVE, POOL_AND_BUFFERS, THREADED
from serverlab.measures import GOODPUT, MEAN, P90, P99, P99_9

if TYPE_CHECKING:
    from serverlab.claims.ratios import Ratios
    from serverlab.claims.region import Region

goodput, mean, p90, p99, p99_9 = (
    Side(measure=measure) for measure in (GOODPUT, MEAN, P90, P99, P99_9)
)

T1 = Claim(
    id="T1",
    says="From 2000 clients on, one thread with poll serves most; from 250 to 2000, eight threads "
    "around Asio do.",
    published=(("poll, 10 000 clients", "333 000 requests/s"),),
    tests=(
        Test(
            asks="Has `poll` the highest goodput at 5000 connections?",
            excerpt=FIVE,
            predicate=most(goodput.at(connections=5000), "poll", ENGINES),
        ),
        Test(
            asks="Has `asio-shared` the highest goodput at 1000 connections, with CPUs for its "
            "threads?",
            excerpt=FIVE,
            server_cpus=2,
            predicate=most(goodput.at(connections=1000), "asio-shared", ENGINES),
        ),
    ),
    cause="poll scans all connections at each wake-up, which costs little while nearly all of "
    "them are ready, as they are in a closed loop; it is no property of many clients as such. That "
    "several threads gain anything needs CPUs that they can run on.",
)

T2 = Claim(
    id="T2",
    says="One thread around Asio is the worst of the five above 2000 clients, in throughput, mean "
    "latency, p90 and p99.9.",
    published=(),
    tests=(
        Test(
            asks="Is `asio-callbacks` behind each of the others at 5000 connections?",
            excerpt=FIVE,
            predicate=all_of(
                *(
                    compare(
                        side.at(connections=5000, engine="asio-callbacks"),
                        side.at(connections=5000, engine=other),
                        region,
                    )
                    for side, region in (
                        (goodput, below(1 / 1.02)),
                        (mean, above(1.02)),
                        (p90, above(1.02)),
                        (p99_9, above(1.02)),
                    )
                    for other in ENGINES
                    if other != "asio-callbacks"
                )
            ),
        ),
    ),
    cause="In its code Asio alone had socket buffers of 128 B (T13), and its one thread competes "
    "with engines that had eight CPUs. Mean and p90 of a closed loop follow from the throughput "
    "(T4) and are no findings of their own.",
)


def woken(connections: int, region: Region) -> Ratios:
    """The thesis's pool, woken instead of looked after by a timer, over itself."""
    return compare(
        goodput.at(connections=connections, engine="pool-woken"),
        goodput.at(connections=connections, engine="pool-as-published"),
        region,
    )


T3 = Claim(
    id="T3",
    says="The pool behind poll has the lowest throughput of the five up to 2000 clients.",
    published=(),
    tests=(
        Test(
            asks="Has the thesis's `poll-offload` the lowest goodput at 50 connections?",
            excerpt=FIVE,
            predicate=least(goodput.at(connections=50), "poll-offload", ENGINES),
        ),
        Test(
            asks="Has it at 1000?",
            excerpt=FIVE,
            predicate=least(goodput.at(connections=1000), "poll-offload", ENGINES),
        ),
    ),
    cause="A connection that has been served is back in the set only at the next call of poll, "
    "which the thesis's server makes every millisecond unless another connection is ready; and an "
    "echo is two jobs, each with a hand-over.",
    rival=Rival(
        explanation="The timer, not the pool, costs the throughput of few connections: the same "
        "pool, woken when one comes back, serves more. Among many one is always ready, so "
        "that the timer never waits.",
        test=Test(
            asks="Does the same pool serve at least a tenth more once it is woken, with 50 "
            "connections, and not with 1000?",
            excerpt=POOL_AND_BUFFERS,
            predicate=all_of(woken(50, above(1.1)), woken(1000, below(1.1))),
        ),
    ),
)

T4 = Claim(
    id="T4",
    says="Mean latency grows steadily with the number of clients, much alike for all servers but "
    "Asio on one thread.",
    published=(),
    tests=(
        Test(
            asks="Does the mean latency of each engine grow from 50 to 1000 to 5000 connections?",
            excerpt=FIVE,
            predicate=all_of(
                *(grows(mean.at(engine=one), "connections", (50, 1000, 5000)) for one in ENGINES)
            ),
        ),
    ),
    cause="A closed loop always has as many requests under way as it has clients. So by Little's "
    "law the mean latency is clients ÷ throughput, and a throughput that hardly changes makes a "
    "latency that grows in proportion to the clients, whatever the server does.",
    rival=Rival(
        explanation="It is Little's law, and no finding about servers: a request is in flight for "
        "connections ÷ goodput, on the average.",
        test=Test(
            asks="Is the mean time in flight connections ÷ goodput, within 5 %, for all engines at "
            "all levels, over which it grows a hundredfold?",
            excerpt=FIVE,
            predicate=all_of(
                *(
                    compare(
                        Side(measure=LITTLE).at(engine=one, connections=level), 1.0, within(1.05)
                    )
                    for one in ENGINES
                    for level in (50, 1000, 5000)
                )
            ),
        ),
    ),
)

T5 = Claim(
    id="T5",
    says="From 100 to 2000 clients a thread for each has the best p90; at 5000 it is nearly the "
    "worst.",
    published=(),
    tests=(
        Test(
            asks="Has `threads` the lowest p90 at 1000 connections?",
            excerpt=FIVE,
            predicate=least(p90.at(connections=1000), "threads", ENGINES),
        ),
        Test(
            asks="Has it a higher p90 than `poll`, the pool and `asio-shared` at 5000?",
            excerpt=FIVE,
            predicate=most(
                p90.at(connections=5000), "threads", ("poll", "poll-offload", "asio-shared")
            ),
        ),
    ),
    cause="Threads that wait for a CPU are served in the scheduler's order, not in that of their "
    "requests: half of the clients are quicker than the mean, some much slower. In a closed loop "
    "the p90 is a matter of that order alone, as the mean is given by the rate (T4).",
)

T6 = Claim(
    id="T6",
    says="From 5000 clients on, one request in a hundred takes more than 200 ms with any server of "
    "several threads; those of one thread stay stable, poll best.",
    published=(("threads, pool, asio-shared, p99", "above 200 ms"),),
    tests=(
        Test(
            asks="Has each server of several threads a higher p99 than `poll` at 5000 connections?",
            excerpt=FIVE,
            predicate=all_of(
                *(
                    compare(
                        p99.at(connections=5000, engine=one),
                        p99.at(connections=5000, engine="poll"),
                        above(1.02),
                    )
                    for one in THREADED
                )
            ),
        ),
        Test(
            asks="Has `poll` a lower p99 than `asio-callbacks`?",
            excerpt=FIVE,
            predicate=least(p99.at(connections=5000), "poll", ("asio-callbacks",)),
        ),
    ),
    cause="poll goes round its connections in their order, so that in a closed loop each "
    "waits about as long. Threads, and callbacks that several threads take, lose that order. The "
    "200 ms are a bucket of the thesis's load generator, whose buckets are a tenth to a quarter "
    "wide.",
)

T7 = Claim(
    id="T7",
    says="poll on one thread has the most stable p99.9 up to 10 000 clients.",
    published=(("asio-callbacks, p99.9", "above 800 ms"),),
    tests=(
        Test(
            asks="Has `poll` the lowest p99.9 at 5000 connections?",
            excerpt=FIVE,
            predicate=least(p99_9.at(connections=5000), "poll", ENGINES),
        ),
    ),
    cause="As T6: one scan in a fixed order. An answer that is late beyond that comes from outside "
    "of the server, from a scheduler or a retransmission.",
)

THESIS = Report(
    letter="T",
    name="Five echo servers",
    about="A bachelor's thesis of 2022 compares five echo servers in C++ on a laptop with 8 "
    "logical CPUs: a thread for each client, poll on one thread, poll with a pool, and Asio on one "
    "thread and on eight. Its load is Fortio's closed loop of 64 B from three machines, with 8 to "
    "10 000 connections. Here its servers are rebuilt as its code had them.",
    claims=(T1, T2, T3, T4, T5, T6, T7, *LIMITS),
)
