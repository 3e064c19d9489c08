"""Whatever many clients are told about a few keys could have been told to them one by one.

The checker of histories comes first: it accepts good ones and refuses bad ones.
"""

from __future__ import annotations

import random
import threading
import time
from itertools import pairwise
from typing import BinaryIO, TypeAlias

import pytest

from tests.conformance.linearizability import Operation, violation
from tests.conformance.peers import connected
from tests.conformance.server import Server, serving

pytestmark = pytest.mark.service("kv-resp")

Words = tuple[str, ...]
Heard: TypeAlias = "Operation[Words, str]"


def step(value: str | None, request: Words) -> tuple[str | None, str]:
    """What a store with one key does: the value after a command, and the reply."""
    command, words = request[0], request[2:]
    found = "(nil)" if value is None else value
    if command == "SET":
        return words[0], "OK"
    if command == "GETSET":
        return words[0], found
    if command == "APPEND":
        longer = (value or "") + words[0]
        return longer, str(len(longer))
    if command == "DEL":
        return None, str(int(value is not None))
    if command == "INCR":
        number = str(int(value or 0) + 1)
        return number, number
    assert command == "GET"
    return value, found


def said(request: str, reply: str | None, called: float, returned: float = float("inf")) -> Heard:
    """An operation on the key k."""
    command, *words = request.split()
    return Operation((command, "k", *words), called, reply, returned)


GOOD: dict[str, list[Heard]] = {
    "nothing": [],
    "one after the other": [
        said("GET", "(nil)", 0, 1), said("SET a", "OK", 2, 3), said("GET", "a", 4, 5),
    ],
    "a get during a set finds the old value": [
        said("SET a", "OK", 0, 9), said("GET", "(nil)", 1, 2),
    ],
    "a get during a set finds the new value": [said("SET a", "OK", 0, 9), said("GET", "a", 1, 2)],
    "two sets at once, either of which may be the later": [
        said("SET a", "OK", 0, 5), said("SET b", "OK", 1, 4), said("GET", "a", 6, 7),
    ],
    "a set that never returned is seen": [said("SET a", None, 0), said("GET", "a", 50, 51)],
    "a set that never returned is not seen": [said("SET a", None, 0), said("GET", "(nil)", 5, 6)],
    "a set that never returned is seen late": [
        said("SET a", None, 0), said("GET", "(nil)", 5, 6), said("GET", "a", 7, 8),
    ],
    "increments in another order than their calls": [
        said("INCR", "2", 0, 9), said("INCR", "1", 1, 8), said("INCR", "3", 2, 7),
    ],
    "operations that touch": [said("SET a", "OK", 0, 1), said("GET", "(nil)", 1, 2)],
    "exchanges at once": [
        said("GETSET a", "b", 0, 9), said("GETSET b", "(nil)", 0, 9), said("GET", "a", 10, 11),
    ],
}  # fmt: skip

BAD: dict[str, list[Heard]] = {
    "a value that was never written": [said("GET", "a", 0, 1)],
    "a value before it was written": [said("GET", "a", 0, 1), said("SET a", "OK", 2, 3)],
    "a value that was overwritten": [
        said("SET a", "OK", 0, 1), said("SET b", "OK", 2, 3), said("GET", "a", 4, 5),
    ],
    "a value that was lost": [said("SET a", "OK", 0, 1), said("GET", "(nil)", 2, 3)],
    "a new value and then the old one, during a set": [
        said("SET a", "OK", 0, 9), said("GET", "a", 1, 2), said("GET", "(nil)", 3, 4),
    ],
    "two readers that see two sets in two orders": [
        said("SET a", "OK", 0, 9), said("SET b", "OK", 0, 9), said("GET", "a", 1, 2),
        said("GET", "b", 3, 4), said("GET", "a", 5, 6),
    ],
    "an increment that was lost": [said("INCR", "1", 0, 9), said("INCR", "1", 0, 9)],
    "two deletions of one value": [
        said("SET a", "OK", 0, 1), said("DEL", "1", 2, 9), said("DEL", "1", 2, 9),
    ],
    "a set that never returned is seen and then is not": [
        said("SET a", None, 0), said("GET", "a", 5, 6), said("GET", "(nil)", 7, 8),
    ],
    "exchanges that both find nothing": [
        said("GETSET a", "(nil)", 0, 9), said("GETSET b", "(nil)", 0, 9),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", GOOD)
def test_the_checker_accepts_a_good_history(name: str) -> None:
    assert violation(GOOD[name], step, None) == []


@pytest.mark.parametrize("name", BAD)
def test_the_checker_refuses_a_bad_history(name: str) -> None:
    assert violation(BAD[name], step, None) != []


def made_up(seed: int, count: int) -> list[Heard]:
    """A history of operations that took effect one by one, each within its call."""
    chance = random.Random(seed)
    value: str | None = None
    history: list[Heard] = []
    for instant in range(count):
        is_set = chance.random() < 0.5
        request: Words = ("SET", "k", str(instant)) if is_set else ("GET", "k")
        value, reply = step(value, request)
        early, late = chance.uniform(0, 2), chance.uniform(0, 2)
        history.append(Operation(request, instant - early, reply, instant + late))
    return history


@pytest.mark.parametrize("seed", range(20))
def test_the_checker_accepts_what_was_made_in_order_and_refuses_what_was_spoilt(seed: int) -> None:
    history = made_up(seed, 200)
    assert violation(history, step, None) == []
    last = max(operation.returned for operation in history)
    history.append(Operation(("GET", "k"), last + 1, "(nil)", last + 2))
    assert violation(history, step, None) != []


KEYS: dict[str, list[str]] = {
    "counter": ["INCR", "INCR", "GET", "DEL"],
    "text": ["SET", "GET", "GETSET", "APPEND", "DEL"],
    "register": ["SET", "GET"],
}
NEEDS_A_VALUE = {"SET", "GETSET", "APPEND"}
CLIENTS = 6
CONNECTIONS = 3  # of each client, all of which it asks before it listens to the first
ROUNDS = 80


def read_reply(stream: BinaryIO) -> str:
    """The next reply, as redis-cli prints it."""
    line = stream.readline().decode().strip()
    if line == "$-1":
        return "(nil)"
    if line.startswith("$"):
        return stream.readline().decode().strip()
    assert line[0] in "+:", line
    return line[1:]


def client(server: Server, name: int, history: list[Heard]) -> None:
    """Ask for random things on several connections at once; note what was heard, and when."""
    chance = random.Random(name)
    with connected(server, CONNECTIONS) as peers:
        streams = [peer.makefile("rb") for peer in peers]
        for turn in range(ROUNDS):
            asked = []
            for number, peer in enumerate(peers):
                key = chance.choice(list(KEYS))
                command = chance.choice(KEYS[key])
                value = (f"{name}.{turn}.{number};",) if command in NEEDS_A_VALUE else ()
                words = (command, key, *value)
                asked.append((words, time.monotonic()))
                peer.sendall(f"{' '.join(words)}\r\n".encode())
            for stream, (words, called) in zip(streams, asked, strict=True):
                reply = read_reply(stream)
                history.append(Operation(words, called, reply, time.monotonic()))
        for stream in streams:
            stream.close()


@pytest.mark.parametrize("lock", ["mutex", "shared"])
def test_what_many_clients_hear_has_one_order_for_each_key(engine: str, lock: str) -> None:
    histories: list[list[Heard]] = [[] for _ in range(CLIENTS)]
    with serving(engine, "--service=kv-resp", f"--kv-lock={lock}") as server:
        threads = [
            threading.Thread(target=client, args=(server, name, history))
            for name, history in enumerate(histories)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    history = [operation for operations in histories for operation in operations]
    assert len(history) == CLIENTS * CONNECTIONS * ROUNDS
    for key in KEYS:
        of_key = [operation for operation in history if operation.request[1] == key]
        of_key.sort(key=lambda operation: operation.called)
        overlapping = sum(first.returned > second.called for first, second in pairwise(of_key))
        assert overlapping > 0, "nothing happened at once"
        assert violation(of_key, step, None) == []
