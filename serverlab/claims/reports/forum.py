"""The claims of the report on a forum server (Sheffield Hallam University, 2022).

Its own scatter: ten runs of the same mix are 3 to 6 % apart, and two mixes of as many clients up to
2 %. A border of a claim of no effect is therefore 5 %. It measured requests per thread throughout,
and calls that the server's throughput: F1 has both.
"""

from __future__ import annotations

from serverlab.claims.claim import Arm, Cause, Claim, Origin, Report, Test
from serverlab.claims.evidence import Side
from serverlab.claims.law import Law
from serverlab.claims.needs import FOUR_CPUS
from serverlab.claims.predicates import at_each, compare, falls, unmoved
from serverlab.claims.region import above, below
from serverlab.claims.reports.forum_improvements import IMPROVEMENTS
from serverlab.claims.reports.forum_runs import (
    AS_PUBLISHED,
    BY_KIND,
    CLIENTS,
    FOUR,
    OVERALL,
    PARSER_AND_LOCK,
    THREADS,
    THREE,
    each,
    posts,
    reads,
)
from serverlab.claims.reports.ledgers import LOCK_OR_PARSER
from serverlab.measures import BOTH_CPU, GOODPUT

goodput, both_cpu = Side(measure=GOODPUT), Side(measure=BOTH_CPU)

F1 = Claim(
    id="F1",
    section="Analysis and Interpretation of Data",
    says="“As the number of threads increases, the number of requests per second that the server "
    "can process becomes lower”; “the performance of each thread is drastically increased” with "
    "few.",
    published=(
        ("2 threads", "19 895 requests/s each, 39 791 in all"),
        ("10 threads", "6837 requests/s each, 68 369 in all"),
    ),
    figures=(OVERALL,),
    observation=Arm(
        conditions=AS_PUBLISHED,
        tests=(
            Test(
                asks="Does the goodput of each client fall from 2 clients to 4, 6 and 10?",
                excerpt=CLIENTS,
                predicate=falls(each, "connections", THREADS),
            ),
        ),
    ),
    cause=Cause(
        named="“The more threads that exist, the more work the CPU scheduler will have to do, "
        "which slows down execution.”",
        suspect="Clients share what CPUs there are, without any further work.",
        arm=Arm(
            conditions="The same trials, by the CPU time of a request, server and clients "
            "together: work of the scheduler is in it, sharing is not.",
            tests=(
                Test(
                    asks="Does a request cost at least a tenth more CPU time with 10 clients than "
                    "with 2?",
                    excerpt=CLIENTS,
                    predicate=compare(
                        both_cpu.at(connections=10), both_cpu.at(connections=2), above(1.1)
                    ),
                    region="Each client's rate falls to a third: a cost that does not rise by a "
                    "tenth cannot make that.",
                ),
            ),
        ),
    ),
    arithmetic=Law(
        asks="Does the server process fewer requests with 10 threads than with 2, in its table?",
        what="the 68 369 requests/s of 10 threads",
        value=68_369,
        reference="the 39 791 requests/s of 2 threads",
        limit=39_791,
        region=below(1 / 1.02),
    ),
    explanation="Clients share what the server has. What each gets falls; what the server "
    "processes rises until the CPUs are busy, and then stays. The report measured the one and "
    "wrote the other.",
    reversal="The sentence holds of each thread, which is what its graphs show.",
    objection="“I defined throughput per thread.” Its graphs do, and the observation is judged so. "
    "The sentence is about what the server can process, and its table has 1.72 times as much of "
    "that.",
)

F2 = Claim(
    id="F2",
    section="Analysis and Interpretation of Data",
    says="“In every single one of my tests, the average number of read requests was always lower "
    "than the number of post requests.”",
    published=(("1 reader over 1 poster", "0.998"), ("5 readers over 5 posters", "0.964")),
    figures=(BY_KIND,),
    observation=Arm(
        conditions=AS_PUBLISHED,
        tests=(
            Test(
                asks="Do readers get fewer replies than as many posters, with 2, 4, 6 and 10 "
                "clients?",
                excerpt=CLIENTS,
                predicate=at_each(
                    THREADS,
                    lambda level: compare(
                        reads.at(connections=level),
                        posts.at(connections=level),
                        below(0.998),
                        published={2: 0.998, 4: 0.964, 6: 0.965, 10: 0.964}[int(level)],
                    ),
                ),
                region="The smallest of its differences is 0.2 %, and the report counts it.",
            ),
        ),
    ),
    explanation="The server tries the expression of POST first and builds each anew for each "
    "request: a READ pays for two expressions, a POST for one. How much that is depends on the "
    "library: here a READ takes twice as long, in the report some 4 %.",
    reversal="A library whose expressions cost next to nothing to build.",
)

F3 = Claim(
    id="F3",
    section="Analysis and Interpretation of Data",
    says="“Post requests … fully lock the thread … it means that the reader thread must simply "
    "wait; I think this is the reason why” there are fewer reads (F2).",
    figures=(BY_KIND,),
    cause=Cause(
        named="The lock, which a post holds alone.",
        suspect="The order of its parser: READ is tried after POST.",
        arm=Arm(
            conditions="Its server and its lock, with a parser that looks at the first bytes.",
            tests=(
                Test(
                    asks="Do readers still get fewer replies than posters, by 2 %?",
                    excerpt=PARSER_AND_LOCK,
                    needs=FOUR_CPUS,
                    predicate=compare(
                        reads.at(forum_parser="prefix"),
                        posts.at(forum_parser="prefix"),
                        below(1 / 1.02),
                    ),
                ),
            ),
        ),
    ),
    explanation="If the lock were the cause, it would remain the cause under a quicker parser, all "
    "the more as posts then come quicker.",
    reversal="A verdict needs four CPUs: on one, a thread that holds the lock and a thread that "
    "waits for it never run at once, so that a lock is hardly ever contended.",
    ledger=LOCK_OR_PARSER,
)

F4 = Claim(
    id="F4",
    section="tables of 3 and of 4 threads",
    origin=Origin.DERIVED,
    says="Of the same number of clients it hardly matters how many post and how many read. (The "
    "report has the tables and does not say so.)",
    published=(
        ("1 poster, 2 readers over 2 posters, 1 reader", "1.008"),
        ("1 poster, 3 readers over 3 posters, 1 reader", "1.019"),
    ),
    figures=(OVERALL,),
    observation=Arm(
        conditions=AS_PUBLISHED,
        tests=(
            Test(
                asks="Is the goodput of 3 clients the same, within 5 %, whether 1 or 2 of them "
                "post?",
                excerpt=THREE,
                predicate=unmoved(goodput, "forum-posters", (1, 2), band=1.05),
                region="Single runs of one mix are up to 6 % apart in its tables.",
            ),
            Test(
                asks="Is that of 4 clients, whether 1, 2 or 3 of them post?",
                excerpt=FOUR,
                predicate=unmoved(goodput, "forum-posters", (1, 2, 3), band=1.05),
            ),
        ),
    ),
    explanation="A READ has two expressions built, a POST one (F2). Where building them is most of "
    "a request, as with libstdc++, posters in place of readers raise the sum.",
    reversal="A library whose expressions cost next to nothing to build.",
    objection="“I never said so.” True, which is why it is counted apart; the tables have it.",
    ledger=LOCK_OR_PARSER,
)

F9 = Claim(
    id="F9",
    section="Investigation Into Factors That Influence Throughput",
    says="“A computer with a slower processor … with less cores will perform worse”; so will other "
    "load and a debug build. “Two separate machines is also another way to improve the "
    "performance.”",
    published=(
        ("3 posters, 3 readers, laboratory PC", "64 546 requests/s in all"),
        ("the same on a laptop", "53 460 requests/s in all"),
    ),
    observation=Arm(
        conditions="Its server on two machines of different speed, and on one with the clients "
        "on another.",
        cannot="It needs a second machine with another CPU, and a network to it; here there is "
        "one. Debug builds and busy machines are refused, as they say nothing about a server.",
    ),
    explanation="Each of these leaves the server less CPU for a request, or more.",
    reversal="A second machine.",
)

F10 = Claim(
    id="F10",
    section="code of the parser",
    origin=Origin.CODE,
    says="The parser tries POST before READ and builds both expressions for each READ: that alone "
    "makes readers lag.",
    figures=(BY_KIND,),
    observation=Arm(
        conditions="Its server and its lock, with a parser that looks at the first bytes. On one "
        "CPU for the server, where a lock is hardly ever contended: it says nothing of the lock.",
        tests=(
            Test(
                asks="Do readers then get as many replies as posters, within 2 % or more?",
                excerpt=PARSER_AND_LOCK,
                predicate=compare(
                    reads.at(forum_parser="prefix"),
                    posts.at(forum_parser="prefix"),
                    above(1 / 1.02),
                ),
            ),
        ),
    ),
    explanation="What goes with the parser was the parser's. On several CPUs the lock may add to "
    "it (F3).",
    reversal="Posters whose messages are so long that storing them outweighs the parser.",
)

FORUM = Report(
    letter="F",
    name="A forum, and which requests are served first",
    about="A course report of 2022 measures a discussion forum with a thread for each client, "
    "regular expressions for a parser and one lock around all topics, on Windows, with the clients "
    "on the same machine: posters and readers in closed loops, 1 to 5 of each. Here the same "
    "parser and the same lock are beside others.",
    claims=(F1, F2, F3, F4, *IMPROVEMENTS, F9, F10),
)
