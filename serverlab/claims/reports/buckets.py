"""The claims of a report on the scalability homework of ECE 568 (Duke University, 2020).

It is repeated at a tenth of its size: 100 clients for 1000, delays of 0.1 s for 1 s. By Little's
law the bounds stay what they were, and so does the wait for a CPU beside the delay. On one CPU its
rows of one core are what is published.

Its own scatter: threads created beforehand, 4 cores, 1 to 3 s, 2048 buckets are there three times,
with 450.0, 457.2 and 463.8 requests/s: 3 %. Its bucket counts are 6.6 % apart, and it calls that
not much of an impact.
"""

from __future__ import annotations

from serverlab.claims.claim import Arm, Cause, Claim, Report, Test
from serverlab.claims.law import Law
from serverlab.claims.needs import FOUR_CPUS
from serverlab.claims.predicates import all_of, compare, grows, unmoved
from serverlab.claims.region import above, below
from serverlab.claims.reports.buckets_runs import (
    CLIENTS,
    CORES,
    CORES_CHART,
    COUNTS,
    COUNTS_CHART,
    DELAYS,
    DELAYS_CHART,
    STRATEGIES,
    goodput,
)  # fmt: skip
from serverlab.claims.reports.ledgers import THREAD_EACH

BOUND_PER_S = 28_270 / 300  # whole replies in 300 s: a little below 1000 ÷ 10.5 s
TENTH = (
    "At a tenth of its size: 100 clients for 1000, delays of 0.1 s for 1 s, one core for the "
    "server; busy waiting, a connection for each request, an accept queue of 10."
)

B1 = Claim(
    id="B1",
    section="2, part 1",
    says="“The number of cores used by server has a positive impact on the throughput.”",
    published=(
        ("created beforehand, 1 to 4 cores", "301.6 to 457.2 requests/s"),
        ("created for each request, 1 to 4 cores", "230.6 to 331.3 requests/s"),
    ),
    figures=(CORES_CHART,),
    observation=Arm(
        conditions="As published, with 20 s for 300.",
        tests=(
            Test(
                asks="Does the goodput grow from 1 to 2 to 4 CPUs, with either strategy?",
                excerpt=CORES,
                needs=FOUR_CPUS,
                predicate=all_of(
                    *(
                        grows(goodput.at(engine=one), "cpus", ("0", "0-1", "0-3"))
                        for one in ("pre-create", "per-create")
                    )
                ),
            ),
        ),
    ),
    explanation="A delay is wall time: 1000 clients with a mean of 2 s get at most 500 replies a "
    "second on any number of cores, and the published 457 are 91 % of that. What more cores "
    "shorten is how long a thread whose delay is over waits for its turn among a thousand that "
    "spin.",
    reversal="A verdict needs four CPUs for the server.",
)

B2 = Claim(
    id="B2",
    section="2, part 2",
    says="“Under the same testing condition, pre-request-create can always out-perform "
    "per-request-create strategy regarding the server throughput.”",
    published=(
        ("delays of 1 to 3 s, 1 core", "301.55 over 230.60 requests/s"),
        ("delays of 1 to 20 s, 4 cores", "184.96 over 188.57 requests/s"),
    ),
    figures=(CORES_CHART,),
    observation=Arm(
        conditions=TENTH,
        tests=(
            Test(
                asks="Have threads created beforehand the higher goodput, by 3 % or more?",
                excerpt=STRATEGIES,
                predicate=compare(
                    goodput.at(engine="pre"),
                    goodput.at(engine="per"),
                    above(1.03),
                    published=301.55 / 230.6,
                ),
                region="Three rows of the same condition are 3 % apart in its tables.",
            ),
        ),
    ),
    explanation="See B3: what accepts decides. A thousand threads that wait in accept themselves "
    "take a connection whenever one of them runs; one thread that accepts has to get its turn "
    "among a thousand that spin. “Always” has an exception in its own table, by 2 %, in a row that "
    "cannot be (B8).",
    reversal="A scheduler that lets an accepting thread wait for longer: other kernels do, and "
    "containers on another machine may.",
    objection="“With 1000 threads it was a third.” A tenth of the threads wait a tenth as long "
    "for their turn, and so do the delays: the share of the wait is kept. The ratio of its row of "
    "one core is drawn beside ours.",
)

B3 = Claim(
    id="B3",
    section="2, part 2",
    says="“This is due to the fact that per-request-create strategy does not re-use a thread …, "
    "hence has a larger overhead for creating a new thread for every received request.”",
    published=(("requests/s that need a thread each", "230.6"),),
    figures=(CORES_CHART,),
    cause=Cause(
        named="Creating a thread for each request.",
        suspect="One thread accepts, and has to get its turn among all that spin.",
        arm=Arm(
            conditions="Work that is CPU time for busy waiting, a hundred times shorter, and an "
            "accept queue of 4096: threads are created as often, and none spins.",
            tests=(
                Test(
                    asks="Do threads created beforehand still serve at least a tenth more?",
                    excerpt=STRATEGIES,
                    predicate=compare(
                        goodput.at(engine="pre-works"),
                        goodput.at(engine="per-works"),
                        above(1.1),
                        published=301.55 / 230.6,
                    ),
                    region="It has to explain the published third.",
                ),
            ),
        ),
    ),
    explanation="231 threads a second, at tens of microseconds each, are about a hundredth of a "
    "core, beside a difference of a third. What else differs is which threads accept.",
    reversal="Threads that take a millisecond to create.",
    objection="“With 1000 threads creating one takes longer.” Then a third of a core for 231 a "
    "second would be 1.3 ms each; Linux takes some 20 µs.",
    ledger=THREAD_EACH,
)

B4 = Claim(
    id="B4",
    section="2, part 3",
    says="“The throughput of the server sees a decrease as the delay count variation increases”, "
    "because the average delay does.",
    published=(
        ("created beforehand, 1 to 20 over 1 to 3 s", "0.411"),
        ("created for each request", "0.569"),
    ),
    figures=(DELAYS_CHART,),
    observation=Arm(
        conditions=TENTH,
        tests=(
            Test(
                asks="Is the goodput lower with delays of 1 to 20 than of 1 to 3, by 3 % or more, "
                "with either strategy?",
                excerpt=DELAYS,
                predicate=all_of(
                    *(
                        compare(
                            goodput.at(engine=one, bucket_delay="1-20"),
                            goodput.at(engine=one, bucket_delay="1-3"),
                            below(1 / 1.03),
                            published=published,
                        )
                        for one, published in (("pre", 184.96 / 449.99), ("per", 188.57 / 331.28))
                    )
                ),
            ),
        ),
    ),
    cause=Cause(
        named="The average of the delays.",
        suspect="Their spread, which grows as well.",
        arm=Arm(
            conditions=f"{TENTH} Delays of 10 to 11 have the average of 1 to 20 and none of its "
            "spread.",
            tests=(
                Test(
                    asks="Is the goodput as low with delays of 10 to 11 as with 1 to 20, within "
                    "5 %?",
                    excerpt=DELAYS,
                    predicate=unmoved(
                        goodput.at(engine="pre"), "bucket-delay", ("10-11", "1-20"), band=1.05
                    ),
                ),
            ),
        ),
    ),
    explanation="Each client waits for its reply, so that clients ÷ mean delay is the most there "
    "can be. The average of 1 to 20 is 10.5, not 10.",
    reversal="None in a closed loop: it is Little's law.",
)

B5 = Claim(
    id="B5",
    section="2, part 3",
    says="“Considering from the aspect of [the] delay count alone, it is believed that the "
    "variation in it will not affect the throughput of the server in either a positive or a "
    "negative way.”",
    observation=Arm(
        conditions=f"{TENTH} Not measured in the report.",
        tests=(
            Test(
                asks="Is the goodput the same with delays of 2 and of 1 to 3, and of 10 to 11 and "
                "of 1 to 20, within 5 %?",
                excerpt=DELAYS,
                predicate=all_of(
                    unmoved(goodput.at(engine="pre"), "bucket-delay", ("2", "1-3"), band=1.05),
                    unmoved(goodput.at(engine="pre"), "bucket-delay", ("10-11", "1-20"), band=1.05),
                ),
                region="Half as much again as its rows of the same condition are apart.",
            ),
        ),
    ),
    explanation="By Little's law the rate of clients that wait for their replies follows from the "
    "mean alone, as long as none waits for anything else.",
    reversal="Clients that do not wait for their replies: an open loop queues more where delays "
    "vary.",
    objection="“Each request runs in its own thread.” On one core threads that spin also wait for "
    "one another; if that wait grew with the spread, the answer would be no.",
)

B6 = Claim(
    id="B6",
    section="2, part 4",
    says="“The bucket size does not have much of an impact on the server's throughput.”",
    published=(
        ("created beforehand, 32 to 2048 buckets", "437.8 to 466.7 requests/s"),
        ("created for each request, 32 to 2048 buckets", "324.7 to 326.2 requests/s"),
    ),
    figures=(COUNTS_CHART,),
    observation=Arm(
        conditions=TENTH,
        tests=(
            Test(
                asks="Is the goodput the same with 32, 128, 512 and 2048 buckets, within 7 %, with "
                "either strategy?",
                excerpt=COUNTS,
                predicate=all_of(
                    *(
                        unmoved(
                            goodput.at(engine=one), "buckets", (32, 128, 512, 2048), band=1.07
                        )
                        for one in ("pre", "per")
                    )
                ),
                region="“Not much” are 6.6 % in its own table.",
            ),
        ),
    ),
    explanation="A bucket is an atomic integer: an addition takes nanoseconds, 500 times a second.",
    reversal="So many cores, and so short a delay, that threads meet at a bucket.",
    objection="“Ours ran on four cores.” An addition every 2 ms does not meet another on any "
    "number of cores; what differs on one core is how long threads wait for it, whatever they add.",
)  # fmt: skip

B7 = Claim(
    id="B7",
    section="1",
    says="“All tests done during this project were proved to be under the condition that the "
    "client has fully saturated the server.”",
    published=(
        ("1000 clients, 1 core", "301.6 requests/s, of 500 possible"),
        ("1000 clients, 4 cores", "457.2 requests/s, of 500 possible"),
    ),
    figures=(CORES_CHART,),
    observation=Arm(
        conditions=f"{TENTH} Its accept queue is 4096 here, so that twice the clients can come.",
        tests=(
            Test(
                asks="Do twice as many clients get no more replies, within 5 %?",
                excerpt=CLIENTS,
                predicate=compare(
                    goodput.at(connections=200), goodput.at(connections=100), below(1.05)
                ),
            ),
        ),
    ),
    explanation="Near its bound of clients ÷ mean delay, a rate is limited by the clients: more of "
    "them raise it, until the server's CPU is really busy. With 4 cores the report is within 9 % "
    "of that bound; with one it is not.",
    reversal="More cores: with four, the published rates are near the bound of the clients.",
    objection="“We raised the clients until the rate stopped rising.” On one core it may well have "
    "stopped there, which is what is asked here; of four cores this says nothing.",
)

B8 = Claim(
    id="B8",
    section="1, data points 8 and 10",
    says="1000 clients with delays of 1 to 20 s get 184.96 and 188.57 requests/s.",
    published=(
        ("created beforehand, 1 to 20 s", "184.96 requests/s"),
        ("created for each request, 1 to 20 s", "188.57 requests/s"),
    ),
    figures=(DELAYS_CHART,),
    arithmetic=Law(
        asks="Can 1000 clients that wait 10.5 s on the average get 185 replies a second?",
        what="the 184.96 requests/s of threads created beforehand",
        value=184.96,
        reference="the 94.2 requests/s that Little's law allows 1000 clients in 300 s",
        limit=BOUND_PER_S,
        region=below(1),
    ),
    explanation="Each client waits for its reply, so that 1000 of them have at most 1000 ÷ 10.5 s. "
    "The published rate is twice that, and fits 2000 clients: the row is not of the set-up that it "
    "names.",
    reversal="Another number of clients, or other delays, than the row names.",
    objection="“We did measure it.” Surely, with some set-up; a row of 1000 clients that wait for "
    "each reply cannot have it.",
)

BUCKETS = Report(
    letter="B",
    name="Busy waiting by the thousand",
    about="A course report of 2020 serves requests that wait busily for some seconds of wall time, "
    "with threads created beforehand or for each request, on 1 to 4 cores. 1000 clients open a "
    "connection for each request. Here all is a tenth of that, 100 clients and delays of 0.1 s, "
    "which leaves rates and bounds as they were.",
    claims=(B1, B2, B3, B4, B5, B6, B7, B8),
)
