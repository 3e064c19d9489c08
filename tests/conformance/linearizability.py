"""Whether there is one order of all operations that explains what each has replied.

Each operation must take effect at one instant between its call and its return. The search is Wing
and Gong's ("Testing and Verifying Concurrent Objects", 1993): of the operations that none before
them has returned ahead of, one is next; try each. What has been tried is remembered, as Lowe does
("Testing for linearizability", 2017): which operations have taken effect, and what they have left.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

State = TypeVar("State", bound=Hashable)
Request = TypeVar("Request")
Reply = TypeVar("Reply")

# What an operation replies in a state, and the state that it leaves.
Step = Callable[[State, Request], tuple[State, Reply]]


@dataclass(frozen=True, slots=True)
class Operation(Generic[Request, Reply]):
    """What a client has asked and heard, and when."""

    request: Request
    called: float
    reply: Reply | None = None
    returned: float = math.inf  # an operation that never returned may have taken effect, or not


@dataclass(frozen=True, slots=True)
class Reached(Generic[State]):
    """How far an order has come: all operations before `first`, and those of a set behind it."""

    first: int
    others: int  # the bit of weight 2**i stands for the operation `first` + i
    state: State

    def has(self, number: int) -> bool:
        """Whether an operation from `first` on has taken effect."""
        return bool(self.others >> (number - self.first) & 1)

    def after(self, number: int, state: State) -> Reached[State]:
        """What is reached when one more operation has taken effect."""
        first, others = self.first, self.others | 1 << (number - self.first)
        while others & 1:
            first, others = first + 1, others >> 1
        return Reached(first, others, state)


def candidates(
    operations: list[Operation[Request, Reply]], reached: Reached[State]
) -> tuple[list[int], float]:
    """The operations that may be next, and when the first of them has returned."""
    found: list[int] = []
    returned = math.inf
    for number in range(reached.first, len(operations)):
        if operations[number].called > returned:
            break
        if not reached.has(number):
            found.append(number)
            returned = min(returned, operations[number].returned)
    return found, returned


def violation(
    history: Iterable[Operation[Request, Reply]], step: Step[State, Request, Reply], initial: State
) -> list[Operation[Request, Reply]]:
    """The operations none of which can be next, where most of the others have an order.

    Empty if all have one: the history is linearizable.
    """
    operations = sorted(history, key=lambda operation: operation.called)
    farthest: list[int] = []
    tried = {Reached(0, 0, initial)}
    stack = list(tried)
    while stack:
        reached = stack.pop()
        numbers, returned = candidates(operations, reached)
        if returned == math.inf:
            return []
        farthest = max(farthest, numbers)
        for number in numbers:
            operation = operations[number]
            state, reply = step(reached.state, operation.request)
            if operation.returned == math.inf or operation.reply == reply:
                following = reached.after(number, state)
                if following not in tried:
                    tried.add(following)
                    stack.append(following)
    return [operations[number] for number in farthest]
