"""The claims of a report on the first project of CSE 511 (Penn State University, 2016).

Its own scatter: with one client its two servers are 18 and 25 ms apart, a factor of 1.39, and it
still finds that they remain the same to the client; with more clients they are within 3 %. Its
slopes between neighbouring bars differ by a factor of 1.48.

Its sessions contain 15 ms of CPU for the start of an interpreter. Among N clients of one machine
these take turns, which pauses do not: K1, which is about growth, is therefore tested without them
and K3, which is about likeness, with them.
"""

from __future__ import annotations

from serverlab.claims.claim import Arm, Cause, Claim, Report, Test
from serverlab.claims.comparison import Comparison
from serverlab.claims.evidence import Side
from serverlab.claims.needs import FOUR_CPUS
from serverlab.claims.predicates import at_each, compare, differs
from serverlab.claims.ratios import Ratios
from serverlab.claims.region import above, below, within
from serverlab.claims.reports.kv511_runs import (
    ASYNC,
    KEPT,
    MESSAGE_CHART,
    MT,
    PAUSES,
    PUBLISHED,
    SESSION_CHART,
    SESSIONS,
    SOCKET_CHART,
    SUITE_CHART,
    TEN_SESSIONS,
    all_done,
    message,
    session,
    socket_open,
)  # fmt: skip
from serverlab.claims.reports.ledgers import THREADS_OR_LOOP
from serverlab.claims.straight import Straight
from serverlab.measures import SERVER_CPU, SWITCHES

cpu = Side(measure=SERVER_CPU)
SAME = {1: 18 / 25, 5: 73 / 72, 20: 310 / 311}  # sessions, by the clients

WITHOUT_PAUSES = (
    "Its two servers and sessions of ten requests, without the start of an interpreter in each."
)
WITH_PAUSES = (
    "Its two servers and sessions of ten requests, of which 15 ms are pauses of the client, for "
    "the 15 ms that its interpreter took."
)

K1 = Claim(
    id="K1",
    section="3",
    says="“The average total time to service a single client's session increased linearly as the "
    "number of clients increased.”",
    published=(("1 client", "18 ms"), ("20 clients", "310 ms")),
    figures=(SESSION_CHART,),
    observation=Arm(
        conditions=f"{WITHOUT_PAUSES} The clients share one CPU, as its interpreters shared "
        "theirs.",
        tests=(
            Test(
                asks="Is the line straight: does each client add as much to the mean session from "
                "10 to 20 as from 1 to 10, within a factor of 1.5?",
                excerpt=SESSIONS,
                predicate=Straight(
                    side=session.at(engine=ASYNC),
                    factor="connections",
                    levels=(1, 10, 20),
                    region=within(1.5),
                    published=((310 - 150) / 10) / ((150 - 18) / 9),
                ),
                region="Slopes of the report's own bars differ by a factor of 1.48.",
            ),
        ),
    ),
    explanation="Linear is a straight line, which need not pass through zero. In the report 15 ms "
    "of CPU for each of N clients on one machine make the slope: 300 of 310 ms. Here the CPUs of "
    "server and clients do.",
    reversal="Clients that do not share a CPU, or a server with more of them than clients.",
    objection="“You took my client's work out.” Its slope is then all of the interpreters. Without "
    "them it is asked whether the servers' part is a line as well.",
)

K2 = Claim(
    id="K2",
    section="3",
    says="“The data for a single session or a full suite of sessions was nearly identical in "
    "trends (only increased in time by roughly 10).”",
    published=(("20 clients, one session", "310 ms"), ("20 clients, all ten", "3.10 s")),
    figures=(SESSION_CHART, SUITE_CHART),
    observation=Arm(
        conditions=f"{WITHOUT_PAUSES} Ten of them a client, until the last client is done.",
        tests=(
            Test(
                asks="Do ten sessions take ten times as long as one, within a quarter, with 20 "
                "clients?",
                excerpt=TEN_SESSIONS,
                predicate=Ratios(
                    comparisons=tuple(
                        Comparison(
                            over=all_done.at(engine=one, connections=20),
                            under=session.at(engine=one, connections=20),
                            region=within(1.25),
                            published=1.0,
                            scale=10,
                        )
                        for one in (ASYNC, MT)
                    )
                ),
                region="“Roughly”: its factors are of averages, ours is of the last client.",
            ),
        ),
    ),
    explanation="Sessions follow one another without a pause, so that their sum is their number "
    "times their mean.",
    reversal="Time between the sessions of a client.",
)

K3 = Claim(
    id="K3",
    section="3",
    says="“The total time that the client experiences for both multithreading and asynchronous "
    "models remain the same – we believe this has to do with the client's own overheads.”",
    published=(
        ("1 client, asynchronous over multithreaded", "18 over 25 ms"),
        ("20 clients, asynchronous over multithreaded", "310 over 311 ms"),
    ),
    figures=(SESSION_CHART,),
    observation=Arm(
        conditions=WITH_PAUSES,
        tests=(
            Test(
                asks="Is the mean session as long with either server, within a factor of 1.4, with "
                "1, 5 and 20 clients?",
                excerpt=PAUSES,
                predicate=at_each(
                    (1, 5, 20),
                    lambda level: compare(
                        session.at(connections=level, engine=ASYNC),
                        session.at(connections=level, engine=MT),
                        within(1.4),
                        published=SAME[int(level)],
                    ),
                ),
                region="Its own servers are a factor of 1.39 apart with one client, and the same "
                "to it.",
            ),
        ),
    ),
    cause=Cause(
        named="“The client's own overheads and context switching, as well as networking "
        "latencies”: not that the servers are alike.",
        suspect="The servers are alike by themselves.",
        arm=Arm(
            conditions=WITHOUT_PAUSES,
            tests=(
                Test(
                    asks="Do the servers differ, by 5 % or more, once the client's own time is "
                    "gone, with 5 and with 20 clients?",
                    excerpt=SESSIONS,
                    predicate=at_each(
                        (5, 20),
                        lambda level: differs(
                            session.at(connections=level, engine=ASYNC),
                            session.at(connections=level, engine=MT),
                            band=1.05,
                        ),
                    ),
                    region="Beyond the 3 % that it found with more than one client.",
                ),
            ),
        ),
    ),
    explanation="15 ms of the client hide what a server takes for ten replies, some hundred "
    "microseconds.",
    reversal="Clients that do nothing of their own.",
    objection="“My clients shared a CPU, yours pause.” Pauses leave the server more idle than "
    "interpreters do on the same machine; that is in favour of likeness, which is what is asked.",
    ledger=THREADS_OR_LOOP,
)

K4 = Claim(
    id="K4",
    section="3",
    says="“The time to service a socket (the time from opening to closing the socket) is nearly "
    "half of the time to service the socket in the multithreaded version.”",
    published=(
        ("20 clients", "600 over 1060 ms"),
        ("5 clients", "125 over 495 ms"),
        ("1 client", "17 over 522 ms"),
    ),
    figures=(SOCKET_CHART,),
    observation=Arm(
        conditions="Its two servers and ten sessions a client, by the servers' own clocks. The "
        "multithreaded one closes a socket whose client has gone when its main thread wakes for "
        "the next client, and the last ones when it is stopped, 5 s after the last session. Each "
        "session waits 15 ms, the time of the interpreter that the report's client starts.",
        tests=(
            Test(
                asks="Does the asynchronous server have a socket open at most 0.6 times as long as "
                "the multithreaded one, with 1, 5 and 20 clients?",
                excerpt=PUBLISHED,
                predicate=at_each(
                    (1, 5, 20),
                    lambda level: compare(
                        socket_open.at(connections=level, engine=ASYNC),
                        socket_open.at(connections=level, engine=MT),
                        below(0.6),
                        published={1: 17 / 522, 5: 125 / 495, 20: 600 / 1060}[int(level)],
                    ),
                ),
                region="“Nearly half”: its own ratios are 0.03, 0.25 and 0.57.",
            ),
        ),
    ),
    cause=Cause(
        named="“The overhead of thread creation and some effect of context switching.”",
        suspect="The multithreaded server made each close only when its main thread woke next: for "
        "the next client, or for the operator's key.",
        arm=Arm(
            conditions=f"{WITHOUT_PAUSES} By the servers' own clocks; each closes a socket at once "
            "when its client has gone.",
            tests=(
                Test(
                    asks="Does the asynchronous server still have a socket open at most 0.6 times "
                    "as long as the multithreaded one, with 5 and with 20 clients?",
                    excerpt=SESSIONS,
                    predicate=at_each(
                        (5, 20),
                        lambda level: compare(
                            socket_open.at(connections=level, engine=ASYNC),
                            socket_open.at(connections=level, engine=MT),
                            below(0.6),
                        ),
                    ),
                    region="As above.",
                ),
                Test(
                    asks="Is a socket open at least a tenth less where no thread is created, with "
                    "20 clients?",
                    excerpt=SESSIONS,
                    predicate=compare(
                        socket_open.at(connections=20, engine=KEPT),
                        socket_open.at(connections=20, engine=MT),
                        below(1 / 1.1),
                    ),
                    region="What creating a thread costs has to be a part of it that shows.",
                ),
            ),
        ),
    ),
    explanation="Its figure has some 500 ms more for each multithreaded socket, whatever the "
    "number of clients, and 522 ms for a socket that carried a session of 25 ms. As its code is "
    "published, the main thread makes a close when it wakes next: a tenth of the sockets, each "
    "client's last ones, stays open until the operator stops the server. Five seconds of that are "
    "500 ms on the average.",
    reversal="A server whose sockets are open for half as long with one loop although both close "
    "at once.",
    objection="“Threads did take longer.” They do, and by less than that: the arm without the "
    "suspect has the figure.",
)

K5 = Claim(
    id="K5",
    section="3",
    says="“Of particular interest is the slightly less time that multithreading takes for 5 "
    "simultaneous clients”, to be explored “across multiple cores”.",
    published=(("5 clients, multithreaded over asynchronous", "72 over 73 ms"),),
    figures=(SESSION_CHART,),
    observation=Arm(
        conditions=WITHOUT_PAUSES,
        tests=(
            Test(
                asks="Is a session shorter with the multithreaded server, with 5 clients?",
                excerpt=SESSIONS,
                needs=FOUR_CPUS,
                predicate=compare(
                    session.at(connections=5, engine=MT),
                    session.at(connections=5, engine=ASYNC),
                    below(1 / 1.01),
                    published=72 / 73,
                ),
            ),
        ),
    ),
    explanation="One millisecond of 73, by a clock that ticks every 1 to 4 ms, in one run.",
    reversal="A verdict needs four CPUs: the report asks for several cores.",
)

K6 = Claim(
    id="K6",
    section="3",
    says="“The average time it takes the server to handle a single message using the asynchronous "
    "model. This data is rough”: 15 to 49 µs, of which a bar is “probably a fluke”.",
    published=(("5 clients", "36 µs"), ("10 clients", "15 µs"), ("20 clients", "49 µs")),
    figures=(MESSAGE_CHART,),
    observation=Arm(
        conditions=f"{WITHOUT_PAUSES} By the server's own clock.",
        tests=(
            Test(
                asks="Does a message take the asynchronous server at most 49 µs, with 5, 10 and 20 "
                "clients?",
                excerpt=SESSIONS,
                predicate=at_each(
                    (5, 10, 20),
                    lambda level: compare(
                        message.at(connections=level, engine=ASYNC), 49e3, below(1)
                    ),
                ),
                region="All that a rough figure of another machine can be held to; it does not "
                "claim that it grows.",
            ),
        ),
    ),
    explanation="The report's clock of that project ticks in milliseconds, so that microseconds "
    "are what few long messages and many of zero make on the average.",
    reversal="A stamp of the server's for each message.",
)

K7 = Claim(
    id="K7",
    section="2, 3",
    says="What sets the multithreaded server apart: “overhead of thread creation and cleanup” and "
    "“overhead of context switching”. “We suspect that this is measuring both.”",
    figures=(SOCKET_CHART,),
    observation=Arm(
        conditions=f"{WITHOUT_PAUSES} Beside them a server whose threads are there before its "
        "clients. By CPU time and switches of a request, which do not depend on how many threads "
        "run at once.",
        tests=(
            Test(
                asks="Does a request cost the server at least a tenth more where threads are made "
                "for each session than where they are kept?",
                excerpt=SESSIONS,
                predicate=compare(
                    cpu.at(connections=20, engine=MT),
                    cpu.at(connections=20, engine=KEPT),
                    above(1.1),
                ),
                region="An overhead of less than a tenth is none that sets servers apart.",
            ),
            Test(
                asks="Are there at least a tenth more context switches for a request than in one "
                "loop?",
                excerpt=SESSIONS,
                predicate=compare(
                    Side(measure=SWITCHES).at(connections=20, engine=KEPT),
                    Side(measure=SWITCHES).at(connections=20, engine=ASYNC),
                    above(1.1),
                ),
            ),
        ),
    ),
    explanation="A thread for a session of ten requests is made and ended every tenth request. "
    "Kept threads leave the switches, which a loop does not have: it finds several clients ready "
    "at each wake-up.",
    reversal="Sessions of so many requests that a thread for each is nothing beside them.",
    objection="“I only suspected it.” So it says; the two overheads are tested as they are named.",
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
