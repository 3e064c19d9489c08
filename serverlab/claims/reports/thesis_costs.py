"""The thesis's claims about what its servers use up, what limits them, and what others found.

T13 and T14 are not said in it: they are what its code does and its text leaves out.
"""

from __future__ import annotations

from serverlab.claims.claim import Arm, Cause, Claim, Origin, Test
from serverlab.claims.evidence import Side
from serverlab.claims.holds import Holds
from serverlab.claims.law import Law
from serverlab.claims.needs import EIGHT_CPUS, FOUR_CPUS, Needs
from serverlab.claims.predicates import (
    alike,
    all_of,
    at_each,
    compare,
    differs,
    least,
    most,
    proportional,
)  # fmt: skip
from serverlab.claims.region import above, below
from serverlab.claims.reports.thesis_figures import CPU_FIGURE, MEMORY, P90_FIGURE, THROUGHPUT
from serverlab.claims.reports.thesis_runs import (
    AS_PUBLISHED,
    ENGINES,
    FIVE,
    FIVE_AT_MOST,
    ONE_ACCEPT,
    ONE_THREAD,
    ONE_THREADED,
)  # fmt: skip
from serverlab.measures import (
    GOODPUT,
    LEAST_SERVED,
    P90,
    RSS,
    SERVER_CPU,
    SERVER_CPUS,
    SWITCHES,
)  # fmt: skip

goodput, p90, rss, cpu, cpus, switches = (
    Side(measure=measure) for measure in (GOODPUT, P90, RSS, SERVER_CPU, SERVER_CPUS, SWITCHES)
)

T8 = Claim(
    id="T8",
    section="4.3.3",
    says="One thread has “the lowest CPU usage”; in the middle is “the synchronous multithreaded "
    "version”; Asio on eight threads and the pool “consume much more CPU time than others”.",
    published=(("threads, 8 to 10 000 clients", "10 to 75 % of 8 CPUs"),),
    figures=(CPU_FIGURE,),
    observation=Arm(
        conditions=AS_PUBLISHED,
        tests=(
            Test(
                asks="At 1000 connections, do `asio-shared` and the pool keep more CPUs busy than "
                "`threads`, and `threads` more than `poll`?",
                excerpt=FIVE,
                needs=EIGHT_CPUS,
                predicate=all_of(
                    *(
                        compare(
                            cpus.at(connections=1000, engine=more),
                            cpus.at(connections=1000, engine=less),
                            above(1.02),
                        )
                        for more, less in (
                            ("asio-shared", "threads"),
                            ("poll-offload", "threads"),
                            ("threads", "poll"),
                        )
                    )
                ),
            ),
        ),
    ),
    explanation="CPUs busy is what a server could take, not what it did with it. What a request "
    "costs is server CPU per request, which the thesis does not give.",
    reversal="A verdict needs eight CPUs for the server, and clients that leave some of it idle: "
    "where all CPUs are always busy, every server of several threads uses as many.",
)

T9 = Claim(
    id="T9",
    section="4.3.4, 5.1",
    says="“Memory usage grows linearly with the connected clients”, and a thread for each "
    "“consumes significantly more memory for each connection than all other”; poll "
    "“is the most memory efficient”.",
    figures=(MEMORY,),
    observation=Arm(
        conditions=AS_PUBLISHED,
        tests=(
            Test(
                asks="Has `threads` at least twice the memory of each other engine at 5000 "
                "connections?",
                excerpt=FIVE,
                predicate=most(rss.at(connections=5000), "threads", ENGINES, by=2),
                region="“Significantly more”: a bar twice as high is that in any chart.",
            ),
            Test(
                asks="Is it five times as much at 5000 connections as at 1000, within a factor of "
                "1.5?",
                excerpt=FIVE,
                predicate=proportional(
                    rss.at(engine="threads"), "connections", (1000, 5000), band=1.5
                ),
                region="A straight line need not pass through zero: a process has memory without "
                "clients.",
            ),
            Test(
                asks="Has `poll` the least memory at 5000 connections?",
                excerpt=FIVE,
                predicate=least(rss.at(connections=5000), "poll", ENGINES),
            ),
        ),
    ),
    explanation="A thread's stack, of which a few pages are touched, and the kernel's own part of "
    "it, which RSS does not show. An event loop keeps some hundred bytes a connection.",
    reversal="A library whose threads touch less of their stacks than a loop keeps for a "
    "connection.",
    objection="“My figure is of all memory, the kernel's too.” The thesis does not say which it "
    "logged; what is drawn here is the server's own resident set.",
)

T10 = Claim(
    id="T10",
    section="4.3.2, 5.1",
    says="With less than 100 clients “the latency is quite similar among all implementations”; a "
    "thread for each “shows the best throughput results on average”, poll “second-best”.",
    figures=(THROUGHPUT, P90_FIGURE),
    observation=Arm(
        conditions=AS_PUBLISHED,
        tests=(
            Test(
                asks="Is the p90 of each within half of that of `poll`, at 50 connections?",
                excerpt=FIVE,
                needs=FOUR_CPUS,
                predicate=alike(p90.at(connections=50), "poll", ENGINES, factor=1.5),
            ),
            Test(
                asks="Has `threads` the highest goodput at 50 connections, and `poll` the highest "
                "of the others?",
                excerpt=FIVE,
                needs=FOUR_CPUS,
                predicate=all_of(
                    most(goodput.at(connections=50), "threads", ENGINES),
                    most(
                        goodput.at(connections=50),
                        "poll",
                        ("poll-offload", "asio-callbacks", "asio-shared"),
                    ),
                ),
            ),
        ),
    ),
    explanation="The thesis's server had eight CPUs, so that up to eight threads answered at a "
    "time. Where server and threads share one, each request pays for a switch of threads.",
    reversal="A verdict needs four CPUs: what a thread for each gains is that they run at once.",
)

T11 = Claim(
    id="T11",
    section="5.1",
    says="“The maximum supported simultaneous connection number is up to 10000”, by all five.",
    published=(("all five", "10 000 clients"),),
    observation=Arm(
        conditions=AS_PUBLISHED,
        tests=(
            Test(
                asks="Are 10 000 connections open and answered, with each engine?",
                excerpt=FIVE_AT_MOST,
                predicate=Holds(
                    checked=tuple(goodput.at(connections=10000, engine=one) for one in ENGINES)
                ),
            ),
        ),
    ),
    explanation="What limits connections is descriptors and, with a thread for each, the number of "
    "threads and their memory: limits of a system, not of a model.",
    reversal="A limit on threads or descriptors below 10 000.",
    objection="“Each was answered in mine.” Here a connection counts that is open and does not "
    "fail; some may wait for longer than a window of two seconds, on one CPU for eight.",
)

T12 = Claim(
    id="T12",
    section="3.2.3",
    says="“We will not get close to those limits” of the network: 72 MB/s at 64 B.",
    published=(("highest throughput", "333 000 requests/s"), ("network at 64 B", "72 MB/s")),
    observation=Arm(
        conditions="Its echoes of 64 B over a link of a gigabit.",
        cannot="It needs two machines and a gigabit network, where iperf3 measures its limit; here "
        "all goes over loopback.",
    ),
    arithmetic=Law(
        asks="Is the highest published rate, at 64 B, below what the network carried at 64 B?",
        what="the 21.3 MB/s of 333 000 echoes of 64 B a second",
        value=333_000 * 64 / 1e6,
        reference="the 72 MB/s that the thesis measured with iperf3",
        limit=72,
        region=below(1),
    ),
    explanation="With headers each echo is some 140 B on the wire, so that the true share of the "
    "gigabit was nearer to 40 % than to 17 %: still below it.",
    reversal="A link that carries less than 22 MB/s at 64 B.",
)

T13 = Claim(
    id="T13",
    section="code of boost_asio",
    origin=Origin.CODE,
    says="Only the Asio servers set socket buffers of 128 B: that makes the comparison with the "
    "others unfair.",
    observation=Arm(
        conditions=ONE_THREADED,
        tests=(
            Test(
                asks="Do buffers of 128 B change the goodput of echoes of 64 B, by 2 % or more?",
                excerpt=ONE_THREAD,
                predicate=at_each(
                    (50, 1000),
                    lambda level: differs(
                        goodput.at(connections=level, engine="asio-128-byte"),
                        goodput.at(connections=level, engine="asio-automatic"),
                    ),
                ),
            ),
        ),
    ),
    explanation="The kernel raises 128 B to its least, some 2 to 5 kB. A payload of 64 B, one at a "
    "time, fits into either; large or many messages would not.",
    reversal="Messages of more than 2 kB, or several at a time.",
    objection="“Then why did I set them?” For 64 B they are harmless. The claim is ours, from the "
    "code, and it is the reproach that is not reproduced: the comparison was fair.",
)

T14 = Claim(
    id="T14",
    section="code of simple",
    origin=Origin.CODE,
    says="The poll server accepts one connection each time it wakes: that keeps clients waiting "
    "where thousands come.",
    observation=Arm(
        conditions="4000 clients that come at once, as many as an accept queue holds. The thesis's "
        "load generator made a call on each connection before it began, which hid it.",
        tests=(
            Test(
                asks="Has the least served client half as much of the average, or less, as with a "
                "server that accepts up to 64 at a time?",
                excerpt=ONE_ACCEPT,
                predicate=compare(
                    Side(measure=LEAST_SERVED).at(engine="poll-one-accept"),
                    Side(measure=LEAST_SERVED).at(engine="poll-64-accepts"),
                    below(0.5),
                ),
            ),
        ),
    ),
    explanation="Each accept waits for a scan of all connections and for the replies to those that "
    "are ready, and these ask again at once: with k clients inside, one comes in for each k "
    "replies.",
    reversal="Clients that connect more slowly than the server goes round.",
)

T15 = Claim(
    id="T15",
    section="2.1",
    says="The synchronous model is “less efficient because of context switches”.",
    observation=Arm(
        conditions=f"{AS_PUBLISHED} Efficient is read as CPU time of the server for a request, "
        "which does not depend on how many threads run at once.",
        tests=(
            Test(
                asks="Does a request cost `threads` more CPU time than `asio-callbacks`, at 1000 "
                "connections?",
                excerpt=FIVE,
                predicate=compare(
                    cpu.at(connections=1000, engine="threads"),
                    cpu.at(connections=1000, engine="asio-callbacks"),
                    above(1.02),
                ),
            ),
        ),
    ),
    cause=Cause(
        named="Context switches.",
        suspect="A thread for each client makes fewer system calls than an event loop, and "
        "switches in its own receive: the cost may be elsewhere.",
        arm=Arm(
            conditions="The same trials, by their switches.",
            tests=(
                Test(
                    asks="Has a request at least twice the context switches with `threads`?",
                    excerpt=FIVE,
                    predicate=compare(
                        switches.at(connections=1000, engine="threads"),
                        switches.at(connections=1000, engine="asio-callbacks"),
                        above(2),
                    ),
                    region="Less than twice as many could not be called the cause.",
                ),
            ),
        ),
    ),
    explanation="A thread sleeps in its receive until its own client's next request: one switch "
    "for each. A loop that finds many ready does not sleep between them.",
    reversal="Loads so light that a loop, too, sleeps before each request.",
    objection="“I quote two other theses.” Both are about servers in Java with many clients; the "
    "sentence is tested as it stands.",
)

T17 = Claim(
    id="T17",
    section="2.2",
    says="“Hybrid solutions, which can give from 10 to 90 percent higher throughput compared to "
    "pure asynchronous.”",
    published=(("hybrid over pure asynchronous", "1.1 to 1.9"),),
    figures=(THROUGHPUT,),
    observation=Arm(
        conditions=f"{ONE_THREADED} “Can give”: at the most clients, where the thesis has hybrid "
        "first.",
        tests=(
            Test(
                asks="Has `poll` at least 1.1 times the goodput of Asio on one thread, at 2500?",
                excerpt=ONE_THREAD,
                predicate=compare(
                    goodput.at(connections=2500, engine="poll"),
                    goodput.at(connections=2500, engine="asio-128-byte"),
                    above(1.1),
                ),
                region="The lower end of what is quoted.",
            ),
        ),
    ),
    cause=Cause(
        named="The hybrid of synchronous calls and asynchronous waiting.",
        suspect="The small socket buffers that Asio alone had.",
        arm=Arm(
            conditions="The same, Asio with the kernel's own buffers.",
            tests=(
                Test(
                    asks="Has `poll` still at least 1.1 times the goodput?",
                    excerpt=ONE_THREAD,
                    predicate=compare(
                        goodput.at(connections=2500, engine="poll"),
                        goodput.at(connections=2500, engine="asio-automatic"),
                        above(1.1),
                    ),
                ),
            ),
        ),
    ),
    explanation="It is quoted from work on servers in Java with a pool. One event there passes "
    "several handlers; here both servers reply within one turn of a loop.",
    reversal="A service whose requests pass several handlers.",
    objection="“It is Zhang's result, of other servers.” True: what is tested is whether it holds "
    "of these, for which it is quoted.",
)

T18 = Claim(
    id="T18",
    section="4.3.3",
    says="Beyond 200 clients “the asynchronous, multithreaded version consumes 10 percent more CPU "
    "than the hybrid synchronous threaded”.",
    published=(("asio-shared over the pool", "10 points of 8 CPUs"),),
    figures=(CPU_FIGURE,),
    observation=Arm(
        conditions=AS_PUBLISHED,
        tests=(
            Test(
                asks="Does `asio-shared` keep more CPUs busy than the pool, at 1000 connections?",
                excerpt=FIVE,
                needs=Needs(server_cpus=8),
                predicate=compare(
                    cpus.at(connections=1000, engine="asio-shared"),
                    cpus.at(connections=1000, engine="poll-offload"),
                    above(1.02),
                ),
            ),
        ),
    ),
    explanation="The pool's workers wait for its timer, eight threads around Asio do not.",
    reversal="A verdict needs eight CPUs for the server, and clients that leave some of it idle.",
)

COSTS = (T8, T9, T10, T11, T12, T13, T14, T15, T17, T18)
