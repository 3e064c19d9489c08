"""Numbers of connections, what became of them, and which number is next."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from serverlab.design.subject import Subject  # noqa: TC001 - likewise
from serverlab.load_result import SCHEMA, Verdict
from serverlab.machine.memory import Memory  # noqa: TC001 - msgspec reads it
from serverlab.running.study import Question
from serverlab.stress.limits import Limit  # noqa: TC001 - likewise

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

FEW = 16  # connections, to begin with: what a server costs without any, nearly
RAISE, RAISE_MANY = 4, 2  # many: MANY and more
MANY = 1000
RATE_WITHOUT_ANY = 1000.0  # connections a second, where none has opened yet
PACES_MAX = 3  # for a number, each half as fast as the one before
OVERFLOWS = {"accept queue", "SYN drops"}  # of the network: connections that no program accepts
FAILURES_MAX = 3  # of numbers that were alive a moment ago
EXPLAINING = {"server", "engine", "machine"}  # whose limits are no matter of a busy moment
BEFORE = "before"  # when nothing of the load was there
TELLING = 150  # connections from which on memory tells something beyond its noise:
TELLING_OF_ALL = 900  # where others of the machine make noise, too


class Asked(Question, frozen=True, kw_only=True):
    """What a stress is asked."""

    subject: Subject
    connections_max: int
    server_limits: dict[str, int]
    server_pid: int | None  # of a server that is there already and on this machine
    generators: int = 0  # on hosts of their own; 0: one, beside the server
    command: str = "stress"


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """A number of connections, and what became of them: a line of trials.jsonl."""

    trial: str
    started_at: str
    connections: int
    opened: int
    alive: int
    errors: dict[str, int]
    verdict: Verdict
    memory: dict[str, Memory]  # BEFORE; "idle": all open; "probed": each was asked once at least
    limits: list[Limit]  # empty if all are alive
    connect_rate_per_s: float = 0  # at which they were to open; 0: as fast as they could
    connect_s: float | None = None  # until all that could open had opened
    overflows: int | None = None  # connections that found an accept queue full; None: not known
    backlog: int | None = None  # of the server's port
    server_pid: int | None = None  # whose counters were read
    schema: int = SCHEMA

    @property
    def holds(self) -> bool:
        """Whether every connection opened, and answered a probe."""
        return self.alive == self.opened == self.connections

    @property
    def is_rushed(self) -> bool:
        """Whether connections may have come faster than the server accepts them.

        One that does not accept at all has another limit: what waits in its queue.
        """
        if self.holds:
            return False
        first = self.limits[0]
        if first.whose == "network":
            return first.name in OVERFLOWS
        return first.name == "unknown" and self.opened < self.connections

    @property
    def opened_per_s(self) -> float | None:
        """How fast connections opened; None if that is not known."""
        return self.opened / self.connect_s if self.connect_s else None


def next_connections(most: int, steps: Sequence[Step]) -> int | None:
    """How many to try: ever more until they do not hold, then as many as were alive at that."""
    if not steps:
        return min(FEW, most)
    for number, tries in attempts(steps).items():
        if not is_settled(tries, steps):
            return number
    highest = max((step.connections for step in steps if step.holds), default=0)
    failed = failures(steps)
    if not failed:
        factor = RAISE_MANY if highest >= MANY else RAISE
        return None if highest >= most else min(factor * highest, most)
    alive = failed[-1].alive
    settles = len(failed) > FAILURES_MAX or not highest < alive < failed[-1].connections
    return None if settles else alive


def pace_per_s(given: float, steps: Sequence[Step]) -> float:
    """How fast the next step is to open its connections; 0: as fast as they can.

    So they are until the server does not keep up: then half as fast as they opened, and half of
    that again. Where it keeps up, twice as many open twice as fast, but never again at a pace that
    was too fast. `given` is the rate that was asked for, 0 if none was.
    """
    pace, too_fast = given, 2 * given if given else math.inf
    for step in steps:
        own = step.connect_rate_per_s
        if step.is_rushed:
            too_fast = min(too_fast, own or math.inf)
            pace = (own or step.opened_per_s or RATE_WITHOUT_ANY) / 2
        elif step.holds and own and not step.overflows and 2 * own < too_fast:
            pace = 2 * own
    return pace


def is_settled(tries: Sequence[Step], steps: Sequence[Step]) -> bool:
    """Whether the steps of one number leave nothing to be tried again.

    One without a reason is tried once more. One in which connections came too fast is, at a slower
    pace, as long as there is one.
    """
    last = tries[-1]
    if last.holds or is_explained(last):
        return True
    if last.is_rushed:
        rushed = Counter(step.connections for step in steps if step.is_rushed)
        return max(rushed.values()) > PACES_MAX
    return sum(not (step.holds or step.is_rushed) for step in tries) > 1


def attempts(steps: Sequence[Step]) -> dict[int, list[Step]]:
    """The steps by their number of connections, in the order in which it came up."""
    by_number: dict[int, list[Step]] = {}
    for step in steps:
        by_number.setdefault(step.connections, []).append(step)
    return by_number


def is_explained(step: Step) -> bool:
    """Whether it is known why it did not hold; else it is tried once more, alone as it may be."""
    return step.limits[0].whose in EXPLAINING


def failures(steps: Sequence[Step]) -> list[Step]:
    """The last steps of numbers that did not hold, and of which it is known why, or never held."""
    return [
        tries[-1]
        for tries in attempts(steps).values()
        if not tries[-1].holds and is_settled(tries, steps)
    ]


def held(steps: Sequence[Step]) -> Step | None:
    """The step with most connections that held."""
    return max(
        (step for step in steps if step.holds), key=lambda step: step.connections, default=None
    )


def accepted_per_s(steps: Sequence[Step]) -> float | None:
    """How many connections a second the server accepted at least.

    Those that may still have been waiting when the last opened do not count.
    """
    rates = [
        (step.connections - step.backlog) / step.connect_s
        for step in steps
        if step.holds and step.connect_s and step.backlog is not None
    ]
    return max((rate for rate in rates if rate > 0), default=None)


def overflowed_per_s(steps: Sequence[Step]) -> float | None:
    """The slowest pace that was too fast for the server; None if there was no such pace."""
    paces = [step.connect_rate_per_s for step in steps if step.is_rushed]
    return min((pace for pace in paces if pace), default=None)


def gave(steps: Sequence[Step]) -> Step | None:
    """The step in which something gave."""
    return next(iter(failures(steps)), None)


def each_bytes(
    steps: Sequence[Step], figure: Callable[[Memory], int], when: str, telling: int = TELLING
) -> float | None:
    """Memory of a connection: what most connections that held took beyond what few did.

    Each of the two is counted from before its own load, as others use memory, too, and change.
    None if there are too few connections for the noise of a machine, or if that is all there is.
    """
    most = held(steps)
    if most is None or most.connections - steps[0].connections < telling:
        return None
    more = [grown_bytes(step, figure, when) for step in (most, steps[0])]
    if more[0] is None or more[1] is None or more[0] <= more[1]:
        return None
    return (more[0] - more[1]) / (most.connections - steps[0].connections)


def grown_bytes(step: Step, figure: Callable[[Memory], int], when: str) -> int | None:
    """What a step has taken; None if it could not be read."""
    if when not in step.memory:
        return None
    return figure(step.memory[when]) - figure(step.memory[BEFORE])
