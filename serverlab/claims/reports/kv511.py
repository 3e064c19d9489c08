"""The claims of a report on the first project of CSE 511 (Penn State University, 2016)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serverlab.claims.claim import Claim, Report, Rival, Test
from serverlab.claims.evidence import Side
from serverlab.claims.excerpt import Excerpt
from serverlab.claims.law import Law
from serverlab.claims.measures import SESSIONS_IN_PLACE
from serverlab.claims.predicates import all_of, at_each, compare, grows, proportional
from serverlab.claims.region import above, below, within
from serverlab.measures import SERVER_CPU, SESSION_P50, SWITCHES

if TYPE_CHECKING:
    from serverlab.quantities import Level

SESSIONS = Excerpt(
    name="kv511",
    file="claims/kv-sessions.toml",
    window_s=2,
    shortest_s=1,
    blocks=7,
)
ASYNC, MT, KEPT = "asynchronous", "multithreaded", "threads-kept"

SAME: dict[Level, float] = {5: 73 / 72, 20: 310 / 311}  # sessions, by the clients
HALF: dict[Level, float] = {1: 17 / 522, 5: 125 / 495, 20: 600 / 1060}  # sockets

session, cpu = Side(measure=SESSION_P50), Side(measure=SERVER_CPU)

K1 = Claim(
    id="K1",
    says="The time of a session grows linearly with the client threads.",
    published=(("1 client", "18 ms"), ("20 clients", "310 ms")),
    tests=(
        Test(
            asks="Is a session 20 times as long with 20 clients as with 1, within a quarter?",
            excerpt=SESSIONS,
            predicate=proportional(
                session.at(engine=ASYNC),
                "connections",
                (1, 20),
                band=1.25,
                published=310 / 18 / 20,
            ),
        ),
    ),
    cause="The report's timed session contains the start of a Python interpreter, some 15 ms of "
    "CPU on the one machine of all clients: N clients take N times as long whatever the server "
    "does. A session of a few system calls leaves idle time with one client, which more clients "
    "use up first.",
    rival=Rival(
        explanation="It is the client's own process start: 15.5 ms a client account for the whole "
        "slope.",
        test=Test(
            asks="Are 15 ms for each of 20 clients at least nine tenths of the published session?",
            predicate=Law(
                what="the 300 ms of 20 starts of 15 ms each",
                value=300,
                reference="the 310 ms of a session among 20 clients",
                limit=310,
                region=above(0.9),
            ),
        ),
    ),
)

K2 = Claim(
    id="K2",
    says="All ten sessions of a client take ten times as long as one.",
    published=(("20 clients, one session", "310 ms"), ("20 clients, all ten", "3.10 s")),
    tests=(
        Test(
            asks="Is a client's time filled by its sessions, one after the other, within 5 %?",
            excerpt=SESSIONS,
            predicate=all_of(
                *(
                    compare(
                        Side(measure=SESSIONS_IN_PLACE).at(engine=one, connections=20),
                        1.0,
                        within(1.05),
                        published=1.0,
                    )
                    for one in (ASYNC, MT)
                )
            ),
        ),
    ),
    cause="Sessions follow one another without a pause, so that their sum is their number times "
    "their mean. It is arithmetic.",
)

K3 = Claim(
    id="K3",
    says="To the client both servers look the same.",
    published=(
        ("20 clients, asynchronous over multithreaded", "310 over 311 ms"),
        ("10 clients, asynchronous over multithreaded", "150 over 152 ms"),
    ),
    tests=(
        Test(
            asks="Is a session as long with either server, within 5 %, with 5 and 20 clients?",
            excerpt=SESSIONS,
            predicate=at_each(
                (5, 20),
                lambda level: compare(
                    session.at(connections=level, engine=ASYNC),
                    session.at(connections=level, engine=MT),
                    within(1.05),
                    published=SAME[level],
                ),
            ),
        ),
    ),
    cause="15 ms for the start of an interpreter hide what a server takes for ten answers, some "
    "hundred microseconds. Here requests are drawn beforehand and nothing is started within a "
    "session, so that what is left is the server's.",
    rival=Rival(
        explanation="What clients saw alike was their own work: a session here, without it, takes "
        "a small part of the published one.",
        test=Test(
            asks="Does a session among 20 clients take less than 31 ms, a tenth of what is "
            "published?",
            excerpt=SESSIONS,
            predicate=all_of(
                *(
                    compare(session.at(connections=20, engine=one), 310e6, below(0.1))
                    for one in (ASYNC, MT)
                )
            ),
        ),
    ),
)

K4 = Claim(
    id="K4",
    says="From open to close the asynchronous server has a socket about half as long as the "
    "multithreaded one.",
    published=(
        ("20 clients", "600 over 1060 ms"),
        ("1 client", "17 over 522 ms"),
    ),
    tests=(
        Test(
            asks="Is a connection open at most 0.6 times as long with the asynchronous server, by "
            "the clock of the client, which closes it?",
            excerpt=SESSIONS,
            predicate=at_each(
                (1, 5, 20),
                lambda level: compare(
                    session.at(connections=level, engine=ASYNC),
                    session.at(connections=level, engine=MT),
                    below(0.6),
                    published=HALF[level],
                ),
            ),
        ),
        Test(
            asks="Can the published 522 ms of a socket be, where a session took its client 25 ms?",
            predicate=Law(
                what="the 522 ms of a socket of the multithreaded server",
                value=522,
                reference="the 25 ms of the session that it carried",
                limit=25,
                region=below(1.1),
            ),
        ),
    ),
    cause="The multithreaded server wrote down the close only when its main thread woke next, for "
    "the next client or for the operator's key. The figure is the time between two events of "
    "another thread. Here a session ends for both servers at the client's close.",
)

K5 = Claim(
    id="K5",
    says="With five clients the multithreaded server is slightly quicker.",
    published=(("5 clients, multithreaded over asynchronous", "72 over 73 ms"),),
    tests=(
        Test(
            asks="Is a session shorter with the multithreaded server, with 5 clients?",
            excerpt=SESSIONS,
            predicate=compare(
                session.at(connections=5, engine=MT),
                session.at(connections=5, engine=ASYNC),
                below(1 / 1.01),
                published=72 / 73,
            ),
        ),
    ),
    cause="One millisecond of 73, by a clock that ticks every 1 to 4 ms, in one run.",
)

K6 = Claim(
    id="K6",
    says="The asynchronous server takes 15 to 49 µs for a message, and more with more clients.",
    published=(("5 clients", "36 µs"), ("20 clients", "49 µs")),
    tests=(
        Test(
            asks="Does the server's CPU time for a request grow from 1 to 5 to 20 clients?",
            excerpt=SESSIONS,
            predicate=grows(cpu.at(engine=ASYNC), "connections", (1, 5, 20)),
        ),
    ),
    cause="The report's clock of that project ticks in milliseconds, so that microseconds are what "
    "few long messages and many of zero make on the average. What a request costs falls with more "
    "clients: one wake-up finds several of them ready.",
)

K7 = Claim(
    id="K7",
    says="What sets the multithreaded server apart is making and ending threads, and switching "
    "between them.",
    published=(),
    tests=(
        Test(
            asks="Does a request cost the server at least a tenth more where threads are made for "
            "each session than where they are kept?",
            excerpt=SESSIONS,
            predicate=compare(
                cpu.at(connections=20, engine=MT), cpu.at(connections=20, engine=KEPT), above(1.1)
            ),
        ),
        Test(
            asks="Are there more context switches for a request than in one loop?",
            excerpt=SESSIONS,
            predicate=compare(
                Side(measure=SWITCHES).at(connections=20, engine=KEPT),
                Side(measure=SWITCHES).at(connections=20, engine=ASYNC),
                above(1.1),
            ),
        ),
    ),
    cause="A thread for a session of ten requests is made and ended every tenth request. Kept "
    "threads leave the switches, which a loop does not have: it finds several clients ready at "
    "each wake-up.",
)

KV511 = Report(
    letter="K",
    name="A key-value store, seen from both ends",
    about="A course report of 2016 compares a thread for each connection with select on one "
    "thread, behind a small key-value store in JSON. 1 to 20 client threads of one machine make "
    "ten sessions of ten requests each; each session starts a Python interpreter after connecting, "
    "to draw its requests.",
    claims=(K1, K2, K3, K4, K5, K6, K7),
)
