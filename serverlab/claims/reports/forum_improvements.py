"""What the forum report expects of another parser, of a pool and of a queue: its future work."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from serverlab.claims.claim import Arm, Cause, Claim, Test
from serverlab.claims.evidence import Side
from serverlab.claims.needs import FOUR_CPUS
from serverlab.claims.predicates import all_of, at_each, compare, most
from serverlab.claims.region import above, below
from serverlab.claims.reports.forum_runs import AS_PUBLISHED, ORDER, PARSER_AND_LOCK, POOLS
from serverlab.measures import GOODPUT, latency_of

if TYPE_CHECKING:
    from serverlab.claims.ratios import Ratios

goodput = Side(measure=GOODPUT)

F5 = Claim(
    id="F5",
    section="Future Server Improvements",
    says="If the parser were “only checking certain characters at the start of the request … then "
    "the performance will likely be greatly improved”.",
    observation=Arm(
        conditions=f"{AS_PUBLISHED} Beside it the parser that the report proposes.",
        tests=(
            Test(
                asks="Is the goodput at least 1.5 times as high with a parser that looks at the "
                "first bytes?",
                excerpt=PARSER_AND_LOCK,
                predicate=compare(
                    goodput.at(forum_parser="prefix"), goodput.at(forum_parser="regex"), above(1.5)
                ),
                region="“Greatly” is read as half as much again.",
            ),
        ),
    ),
    explanation="std::regex compiles an expression in some ten microseconds, several times what "
    "the kernel takes to carry the request.",
    reversal="A library whose expressions cost next to nothing to build.",
)


def latency(kind: str, parser: str) -> Side:
    """Of a request that a client alone sends."""
    side = Side(measure=latency_of(kind))
    return side.at(forum_parser=parser, forum_posters=int(kind == "post"))


def no_sooner(*chain: str) -> Ratios:
    """No kind of request is replied to sooner than the one before it."""
    waits = [latency(kind, "regex") for kind in chain]
    return all_of(
        *(compare(later, sooner, above(1 / 1.02)) for sooner, later in itertools.pairwise(waits))
    )


F6 = Claim(
    id="F6",
    section="Future Server Improvements",
    says="“The requests which are checked later are going to be negatively impacted by the fact "
    "that several regex matches occur.”",
    observation=Arm(
        conditions=f"{AS_PUBLISHED} One client alone, so that no other request is in the way.",
        tests=(
            Test(
                asks="Does a client wait at least a tenth longer for what is tried last than to "
                "POST, which is tried first?",
                excerpt=ORDER,
                predicate=compare(
                    latency("unknown", "regex"), latency("post", "regex"), above(1.1)
                ),
                region="It says that later ones are slower, and not that each step is.",
            ),
            Test(
                asks="Is none of READ, COUNT, LIST and what is unknown sooner than the one before?",
                excerpt=ORDER,
                predicate=no_sooner("post", "read", "count", "list", "unknown"),
                region="Within the 2 % that two runs of the same differ by.",
            ),
        ),
    ),
    cause=Cause(
        named="The expressions that are tried before.",
        suspect="Another kind of request may take longer to reply to, whatever the parser.",
        arm=Arm(
            conditions="The same requests, with a parser that looks at the first bytes.",
            tests=(
                Test(
                    asks="Is what is unknown replied to as soon as a READ, within 5 %?",
                    excerpt=ORDER,
                    predicate=compare(
                        latency("unknown", "prefix"), latency("read", "prefix"), below(1.05)
                    ),
                ),
            ),
        ),
    ),
    explanation="The server tries POST, READ, COUNT, LIST and EXIT in this order, and builds each "
    "expression before it tries it. The first three have groups and repetitions, which take long "
    "to build; the last two are four letters, and add next to nothing.",
    reversal="Expressions that are built once.",
    objection="“With my library each match costs more.” The order would be the same, its steps "
    "others: they are asked only not to go down.",
)

F7 = Claim(
    id="F7",
    section="Future Server Improvements",
    says="“A thread pool for individual requests would also make it more efficient”; so would “the "
    "consumer producer pattern”.",
    observation=Arm(
        conditions=f"{AS_PUBLISHED} Beside it loops with a pool of four threads and a queue.",
        tests=(
            Test(
                asks="Has a loop with a pool a higher goodput than a thread for each client, with "
                "10 and with 64 clients?",
                excerpt=POOLS,
                needs=FOUR_CPUS,
                predicate=at_each(
                    (10, 64),
                    lambda level: all_of(
                        *(
                            most(goodput.at(connections=level), pool, ("threads",))
                            for pool in ("poll-offload", "any-first")
                        )
                    ),
                ),
            ),
        ),
    ),
    explanation="A pool bounds the memory of many clients. Each request pays for it by a hand-over "
    "from thread to thread.",
    reversal="A verdict needs four CPUs: on one, a pool has nothing to run on beside its loop.",
)

F8 = Claim(
    id="F8",
    section="Future Server Improvements",
    says="“If you prioritise post requests then the server would be more accurate, but "
    "prioritising read requests may improve efficiency.”",
    observation=Arm(
        conditions=f"{AS_PUBLISHED} Behind a pool of four threads whose queue takes posts first, "
        "reads first, or neither. Accurate is read as: a post is replied to sooner.",
        tests=(
            Test(
                asks="Are posts replied to sooner where they come first than where reads do, with "
                "64 clients?",
                excerpt=POOLS,
                needs=FOUR_CPUS,
                predicate=compare(
                    Side(measure=latency_of("post")).at(connections=64, engine="posts-first"),
                    Side(measure=latency_of("post")).at(connections=64, engine="reads-first"),
                    below(1 / 1.02),
                ),
            ),
            Test(
                asks="Is the goodput higher where reads come first?",
                excerpt=POOLS,
                needs=FOUR_CPUS,
                predicate=most(
                    goodput.at(connections=64), "reads-first", ("posts-first", "any-first")
                ),
            ),
        ),
    ),
    explanation="An order takes from one what it gives to the other. The throughput changes with "
    "it only as far as reads run at once while no post holds the lock.",
    reversal="A verdict needs four CPUs: on one, no two reads run at once.",
)

IMPROVEMENTS = (F5, F6, F7, F8)
