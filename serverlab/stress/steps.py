"""Numbers of connections, what became of them, and which number is next."""

from __future__ import annotations

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
    schema: int = SCHEMA

    @property
    def holds(self) -> bool:
        """Whether every connection opened, and answered a probe."""
        return self.alive == self.opened == self.connections


def next_connections(most: int, steps: Sequence[Step]) -> int | None:
    """How many to try: ever more until they do not hold, then as many as were alive at that."""
    if not steps:
        return min(FEW, most)
    for number, tries in attempts(steps).items():
        if len(tries) == 1 and not tries[0].holds and not is_explained(tries[0]):
            return number
    highest = max((step.connections for step in steps if step.holds), default=0)
    failed = failures(steps)
    if not failed:
        factor = RAISE_MANY if highest >= MANY else RAISE
        return None if highest >= most else min(factor * highest, most)
    alive = failed[-1].alive
    settles = len(failed) > FAILURES_MAX or not highest < alive < failed[-1].connections
    return None if settles else alive


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
    """The numbers that did not hold, and of which it is known why, or which never held."""
    return [
        tries[-1]
        for tries in attempts(steps).values()
        if not tries[-1].holds and (len(tries) > 1 or is_explained(tries[-1]))
    ]


def held(steps: Sequence[Step]) -> Step | None:
    """The step with most connections that held."""
    return max(
        (step for step in steps if step.holds), key=lambda step: step.connections, default=None
    )


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
