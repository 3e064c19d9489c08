"""Servers under a mix of good and hostile clients for a long time: `make soak MINUTES=30`.

A server of every engine, each with a service of its own, runs from the beginning to the end. For a
quarter of the time peers of tests/hostile attack one server after the other, as fast as they can;
then all of them in a random order, which the seed fixes. Good clients expect every reply.

At the end a line a server says what it has served, how its memory grew after the first quarter, as
a slope with its 95 % interval, and its descriptors and threads at the first and the last look. The
status is 1 if a good client missed a reply, if a server did not end in order, if descriptors or
threads are left, or if the whole interval of a slope lies above what is allowed.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from scipy.stats import linregress, t

from serverlab.machine import sampler
from tests.conformance.peers import connected, reset, send_until_blocked, some_bytes
from tests.conformance.programs import engine_row, engines, refusal, services
from tests.conformance.server import Server, serving
from tests.hostile.good_client import EXCHANGES, is_answered
from tests.hostile.vanishing import vanish

LOOK_S = 20.0
IDLE_S = 2.0  # else the connections of peers that vanished would stay
WARM_UP = 0.25  # of the time
SLOPE_MAX_KIB_PER_MIN = 64.0
CROWD = 100
GOOD_ROUNDS = 20
SETTLING_S = 0.5
ENDING_S = 3 * IDLE_S  # until connections are ended that peers keep for nothing


@dataclass(slots=True)
class Soaked:
    """A server, and what was seen of it."""

    engine: str
    service: str
    server: Server
    attacks: int = 0
    replies: int = 0
    looks: list[tuple[float, sampler.Sample]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def flood_connections(one: Soaked, chance: random.Random) -> None:
    """Connect and close at once."""
    for _ in range(chance.randrange(1, 10)):
        with connected(one.server, CROWD):
            pass


def ends_idle(engine: str) -> bool:
    """Whether its servers end connections on which nothing happens."""
    return "idle-timeout" not in engine_row(engine).unsupported_settings


def leave_in_a_request(one: Soaked, chance: random.Random) -> None:
    """Leave after a part of a request, by FIN or reset, or vanish."""
    request = EXCHANGES[one.service].request
    with connected(one.server, CROWD // 2) as peers:
        for peer in peers:
            peer.sendall(request[: chance.randrange(len(request))])
            leave = chance.choice(
                [lambda _: None, reset, *([vanish] if ends_idle(one.engine) else [])]
            )
            leave(peer)


def read_nothing(one: Soaked, chance: random.Random) -> None:
    """Ask for much and read no reply."""
    request = EXCHANGES[one.service].request
    with one.server.connect(buffer_bytes=1 << 16) as peer:
        send_until_blocked(peer, request * (chance.randrange(1_000_000) // len(request)))


def send_nonsense(one: Soaked, chance: random.Random) -> None:
    """Send what no protocol has."""
    with one.server.connect() as peer, contextlib.suppress(ConnectionError):
        send_until_blocked(peer, some_bytes(chance.randrange(300_000), seed=chance.randrange(100)))


def pipeline(one: Soaked, chance: random.Random) -> None:
    """Ask a thousand things at once, and read all replies."""
    asked = EXCHANGES[one.service]
    for _ in range(chance.randrange(1, 5)):
        with one.server.connect() as peer:
            peer.sendall(asked.request * 1000)
            left = len(asked.reply) * 1000
            while left > 0:
                left -= len(peer.recv(1 << 16))


Attack = Callable[[Soaked, random.Random], None]
BY_ONE_PEER: list[Attack] = [read_nothing, send_nonsense, pipeline]
ATTACKS: list[Attack] = [flood_connections, leave_in_a_request, *BY_ONE_PEER]
PEERS_IN_TURN = 10  # of one attack while warming up, so that each of 200 workers meets some


def ask(one: Soaked) -> None:
    """Be a good client."""
    with one.server.connect() as peer:
        for _ in range(GOOD_ROUNDS):
            if not is_answered(peer, one.service):
                one.faults.append("a good client had a wrong reply")
                return
            one.replies += 1


def look(chosen: list[Soaked], began_s: float) -> None:
    """Note what each server holds when all have settled."""
    time.sleep(SETTLING_S)
    for one in chosen:
        one.looks.append((time.monotonic() - began_s, sampler.sample(one.server.pid)))


def warm_up(one: Soaked, chance: random.Random, for_s: float) -> None:
    """Attack a server without a pause.

    Servers keep the memory that their busiest moment needed. That is a level and no slope, so that
    moment comes first.
    """
    began_s = time.monotonic()
    while time.monotonic() - began_s < for_s:
        for attack in [*ATTACKS, *BY_ONE_PEER * (PEERS_IN_TURN - 1)]:
            turn(one, chance, attack)


def turn(one: Soaked, chance: random.Random, attack: Attack) -> None:
    """One attack, with a good client before and after it."""
    try:
        ask(one)
        attack(one, chance)
        one.attacks += 1
        ask(one)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is said and counts
        one.faults.append(f"{attack.__name__}: {error!r}")


def slope_kib_per_min(one: Soaked) -> tuple[float, float, float]:
    """How memory grows with time: the estimate, and its interval."""
    minutes = [at_s / 60 for at_s, _ in one.looks]
    fit = linregress(minutes, [sample.rss_bytes / 1024 for _, sample in one.looks])
    deviation = 0.0 if math.isnan(fit.stderr) else fit.stderr  # of memory that never changed
    reach = float(t.ppf(0.975, max(1, len(one.looks) - 2))) * deviation
    return fit.slope, fit.slope - reach, fit.slope + reach


def line_of(one: Soaked) -> tuple[str, bool]:
    """What came of it in a line, and whether it is as it should be."""
    slope, low, high = slope_kib_per_min(one)
    first, last = one.looks[0][1], one.looks[-1][1]
    left = last.descriptors > first.descriptors or last.threads > first.threads
    text = (
        f"{one.engine:16} {one.service:8} {one.attacks:5} attacks {one.replies:7} replies  "
        f"{last.rss_bytes / 2**20:6.1f} MiB, {slope:+8.2f} [{low:+.2f}, {high:+.2f}] KiB/min  "
        f"{first.descriptors}-{last.descriptors} descriptors {first.threads}-{last.threads} threads"
    )
    is_right = not one.faults and not left and low <= SLOPE_MAX_KIB_PER_MIN
    for fault in one.faults[:3]:
        text += f"\n    {fault}"
    return text, is_right


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def soak(minutes: float, seed: int) -> bool:
    """Attack all engines for so long; whether all held."""
    chance = random.Random(seed)
    say(f"seed {seed}, {minutes:g} minutes")
    with contextlib.ExitStack() as stack:
        chosen = []
        for number, engine in enumerate(engines()):
            if engine_row(engine).missing_requirement:
                say(f"{engine}: {engine_row(engine).missing_requirement}")
                continue
            able = [service for service in services() if not refusal(engine, service)]
            service = able[number % len(able)]
            settings = [f"--service={service}"]
            if ends_idle(engine):
                settings.append(f"--idle-timeout={IDLE_S}s")
            server = stack.enter_context(serving(engine, *settings, connections=2 * CROWD))
            chosen.append(Soaked(engine, service, server))
        for one in chosen:
            warm_up(one, chance, 60 * minutes * WARM_UP / len(chosen))
        time.sleep(ENDING_S)
        began_s = time.monotonic()
        next_look_s = 0.0
        while (at_s := time.monotonic() - began_s) < 60 * minutes * (1 - WARM_UP):
            if at_s >= next_look_s:
                look(chosen, began_s)
                next_look_s = time.monotonic() - began_s + LOOK_S
            turn(chance.choice(chosen), chance, chance.choice(ATTACKS))
        time.sleep(ENDING_S)
        look(chosen, began_s)
        lines = [line_of(one) for one in chosen]
    for text, _ in lines:
        say(text)
    return all(is_right for _, is_right in lines)


def main() -> int:
    """Parse the arguments, soak, and say what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    return 0 if soak(given.minutes, given.seed) else 1


if __name__ == "__main__":
    sys.exit(main())
