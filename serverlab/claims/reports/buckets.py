"""The claims of a report on the scalability homework of ECE 568 (Duke University, 2020).

It is repeated at a tenth of its size: 100 clients for 1000, delays of 0.1 s for 1 s. By Little's
law the bounds stay what they were, and so does the wait for a CPU beside the delay.
"""

from __future__ import annotations

from serverlab.claims.claim import Claim, Report, Rival, Test
from serverlab.claims.evidence import Side
from serverlab.claims.excerpt import Excerpt
from serverlab.claims.law import Law
from serverlab.claims.predicates import all_of, compare, grows, unmoved
from serverlab.claims.region import above, below
from serverlab.measures import GOODPUT

STRATEGIES = Excerpt(
    name="bucket-strategies",
    file="claims/bucket-strategies.toml",
    window_s=6,
    shortest_s=3,
    blocks=5,
    ending_s=1,
)
DELAYS = Excerpt(
    name="bucket-delays",
    file="claims/bucket-delays.toml",
    window_s=8,
    shortest_s=5,
    blocks=5,
    ending_s=2,
)
COUNTS = Excerpt(
    name="bucket-counts",
    file="claims/bucket-counts.toml",
    window_s=4,
    shortest_s=2,
    blocks=7,
    ending_s=0.5,
)
CLIENTS = Excerpt(
    name="bucket-clients",
    file="claims/bucket-clients.toml",
    window_s=4,
    shortest_s=2,
    blocks=7,
    ending_s=0.7,
)
CORES = Excerpt(
    name="bucket-cores",
    file="buckets/cores.toml",
    levels={"cpus": ("0", "0-1")},
    window_s=20,
    shortest_s=12,
    blocks=3,
    ending_s=3,
)

BOUND_PER_S = 28_270 / 300  # whole answers in 300 s: a little below 1000 ÷ 10.5 s

goodput = Side(measure=GOODPUT)

B1 = Claim(
    id="B1",
    says="Throughput grows with the cores of the server.",
    published=(
        ("made beforehand, 1 to 4 cores", "301.6 to 457.2 requests/s"),
        ("made for each request, 1 to 4 cores", "230.6 to 331.3 requests/s"),
    ),
    tests=(
        Test(
            asks="Is the goodput higher on 2 CPUs than on 1, with either strategy?",
            excerpt=CORES,
            server_cpus=2,
            predicate=all_of(
                *(
                    grows(goodput.at(engine=one), "cpus", ("0", "0-1"))
                    for one in ("pre-create", "per-create")
                )
            ),
        ),
    ),
    cause="A delay is wall time: 1000 clients with a mean of 2 s get at most 500 answers a second "
    "on any number of cores, and the published 457 are 91 % of that. What more cores shorten is "
    "how long a thread whose delay is over waits for its turn among a thousand that spin.",
)

B2 = Claim(
    id="B2",
    says="Threads made beforehand always serve more than threads made for each request.",
    published=(
        ("delays of 1 to 3 s, 4 cores", "449.99 over 331.28 requests/s"),
        ("delays of 1 to 20 s, 4 cores", "184.96 over 188.57 requests/s"),
    ),
    tests=(
        Test(
            asks="Have threads made beforehand the higher goodput, by 2 % or more, as published: "
            "busy waiting, an accept queue of 10?",
            excerpt=STRATEGIES,
            predicate=compare(
                goodput.at(engine="pre"),
                goodput.at(engine="per"),
                above(1.02),
                published=449.99 / 331.28,
            ),
        ),
        Test(
            asks="Have they in each row of the report's own table?",
            predicate=Law(
                what="the 184.96 requests/s of threads made beforehand, at 1 to 20 s",
                value=184.96,
                reference="the 188.57 requests/s of threads made for each request",
                limit=188.57,
                region=above(1),
            ),
        ),
    ),
    cause="See B3: what accepts decides. A thousand threads that wait in accept themselves take a "
    "connection whenever one of them runs; one thread that accepts has to get its turn among a "
    "thousand that spin.",
)

B3 = Claim(
    id="B3",
    says="They serve more because a thread need not be made for each request.",
    published=(("requests/s that need a thread each", "331.28"),),
    tests=(
        Test(
            asks="Do they still serve at least a tenth more where requests use CPU time instead of "
            "waiting busily, and threads are made as often?",
            excerpt=STRATEGIES,
            predicate=compare(
                goodput.at(engine="pre-works"),
                goodput.at(engine="per-works"),
                above(1.1),
                published=449.99 / 331.28,
            ),
        ),
    ),
    cause="331 threads a second, at tens of microseconds each, are about a hundredth of a core, "
    "beside a difference of a third. What else differs is which threads accept: one thread has to "
    "get its turn among all that spin. Whether it also matters that an accept queue of 10 "
    "overflows meanwhile, so that clients try again a second later, is the rival's question.",
    rival=Rival(
        explanation="It is the accept queue of 10: with a deeper one, threads made for each "
        "request gain, though as many have to be made.",
        test=Test(
            asks="Do threads made for each request serve at least 5 % more with a deep accept "
            "queue?",
            excerpt=STRATEGIES,
            predicate=compare(
                goodput.at(engine="per-deep-queue"), goodput.at(engine="per"), above(1.05)
            ),
        ),
    ),
)

B4 = Claim(
    id="B4",
    says="Delays of 1 to 20 s lower the throughput to 185 requests/s, as their mean is higher.",
    published=(
        ("made beforehand, 1 to 20 s", "184.96 requests/s"),
        ("made for each request, 1 to 20 s", "188.57 requests/s"),
    ),
    tests=(
        Test(
            asks="Can 1000 clients that wait 10.5 s on the average get 185 answers a second?",
            predicate=Law(
                what="the 184.96 requests/s of threads made beforehand",
                value=184.96,
                reference="the 94.2 requests/s that Little's law allows 1000 clients",
                limit=BOUND_PER_S,
                region=below(1),
            ),
        ),
        Test(
            asks="Is the goodput lower with delays of 1 to 20 than of 1 to 3?",
            excerpt=DELAYS,
            predicate=compare(
                goodput.at(bucket_delay="1-20"),
                goodput.at(bucket_delay="1-3"),
                below(1 / 1.02),
                published=184.96 / 449.99,
            ),
        ),
    ),
    cause="That a longer mean lowers the rate is true, and the mean of 1 to 20 is 10.5. But each "
    "client waits for its answer, so that 1000 of them have at most 1000 ÷ 10.5 s. The published "
    "rate is twice that, and fits 2000 clients: the row is not of the set-up that it names.",
    rival=Rival(
        explanation="Clients that wait for their answers keep the law: what is measured here stays "
        "below clients ÷ mean delay, whatever the delays.",
        test=Test(
            asks="Do 100 clients stay below 500 requests/s with a mean delay of 0.2 s, and below "
            "95.2 with one of 1.05 s?",
            excerpt=DELAYS,
            predicate=all_of(
                *(
                    compare(goodput.at(bucket_delay=delay), 100 / mean_s, below(1.02))
                    for delay, mean_s in (("2", 0.2), ("1-3", 0.2), ("10-11", 1.05), ("1-20", 1.05))
                )
            ),
        ),
    ),
)

B5 = Claim(
    id="B5",
    says="The spread of the delays alone, at the same mean, does not change the throughput.",
    published=(),
    tests=(
        Test(
            asks="Is the goodput the same with delays of 2 and of 1 to 3, and of 10 to 11 and of 1 "
            "to 20, within 5 %?",
            excerpt=DELAYS,
            predicate=all_of(
                unmoved(goodput, "bucket-delay", ("2", "1-3"), band=1.05),
                unmoved(goodput, "bucket-delay", ("10-11", "1-20"), band=1.05),
            ),
        ),
    ),
    cause="By Little's law the rate of clients that wait for their answers follows from the mean "
    "alone, as long as none waits for anything else.",
)

B6 = Claim(
    id="B6",
    says="The number of buckets does not change the throughput.",
    published=(
        ("made beforehand, 32 to 2048 buckets", "437.8 to 466.7 requests/s"),
        ("made for each request, 32 to 2048 buckets", "324.7 to 326.2 requests/s"),
    ),
    tests=(
        Test(
            asks="Is the goodput the same with 32 and with 2048 buckets, within 5 %?",
            excerpt=COUNTS,
            predicate=unmoved(goodput, "buckets", (32, 2048), band=1.05),
        ),
    ),
    cause="A bucket is an atomic integer: an addition takes nanoseconds, 500 times a second.",
)

B7 = Claim(
    id="B7",
    says="The clients saturate the server: more of them would not get more.",
    published=(("1000 clients, delays of 1 to 3 s", "457.2 requests/s, of 500 possible"),),
    tests=(
        Test(
            asks="Do twice as many clients get no more answers, within 5 %?",
            excerpt=CLIENTS,
            predicate=compare(
                goodput.at(connections=200), goodput.at(connections=100), below(1.05)
            ),
        ),
    ),
    cause="Near its bound of clients ÷ mean delay, a rate is limited by the clients: more of them "
    "raise it, until the server's CPU is really busy. That a rate stops rising shows saturation "
    "only below that bound.",
)

BUCKETS = Report(
    letter="B",
    name="Busy waiting by the thousand",
    about="A course report of 2020 serves requests that wait busily for some seconds of wall time, "
    "with threads made beforehand or for each request, on 1 to 4 cores. 1000 clients open a "
    "connection for each request. Here all is a tenth of that, 100 clients and delays of 0.1 s, "
    "which leaves rates and bounds as they were.",
    claims=(B1, B2, B3, B4, B5, B6, B7),
)
