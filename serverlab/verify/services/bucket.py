"""Bucket: a delay is added to a bucket. With the five tests of the hand-out (Duke ECE 568, 2020).

A server that is asked may have been used before, so that totals count from what they are. Each
request of the hand-out's tests has a connection of its own, as in the hand-out. Of its thousands of
requests some dozens are made here, because a delay may be of seconds. Such a server may reply to
one request a connection, and serve one connection after the other.
"""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from serverlab.verify.asked import reuses_connections
from serverlab.verify.exchange import Exchange, then_ends, then_half_close
from serverlab.verify.peer import MismatchError, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from serverlab.verify.peer import Peer

BUCKETS = 32  # as in the hand-out
DIGITS_MAX = 20  # of a total
SLOW_S = 120.0  # where a delay of 1 is a second
WRONG = b"Request format is incorrect!\n"
SEED = 1


def ask(peer: Peer, delay: int, bucket: int) -> int:
    """Send a request; the total that is the reply. Raises MismatchError if it is no number."""
    peer.send(f"{delay},{bucket}\n".encode())
    line = peer.expect_line()
    if not line.isdigit() or len(line) > DIGITS_MAX:
        raise MismatchError(f"sent {shown(peer.sent)}, expected a number, received {shown(line)}")
    return int(line)


def ask_afresh(peer: Peer, delay: int, bucket: int) -> int:
    """The same on a connection of its own."""
    with peer.another() as own:
        return ask(own, delay, bucket)


def expect_total(peer: Peer, delay: int, bucket: int, before: int) -> int:
    """A request on a connection of its own that adds its delay to what was there."""
    with peer.another() as own:
        total = ask(own, delay, bucket)
        if total != before + delay:
            raise MismatchError(
                f"sent {shown(own.sent)}, expected {before + delay}, received {total}"
            )
    return total


def added(requests: Sequence[tuple[int, int]]) -> Callable[[Peer], None]:
    """Requests one after the other, each of which adds its delay."""

    def run(peer: Peer) -> None:
        peer.close()
        totals: dict[int, int] = {}
        for delay, bucket in requests:
            before = totals.get(bucket)
            if before is None:
                before = ask_afresh(peer, 0, bucket)
            totals[bucket] = expect_total(peer, delay, bucket, before)

    return run


def at_once(count: int, among: int) -> Callable[[Peer], None]:
    """Requests at the same time, of which no delay is lost."""

    def run(peer: Peer) -> None:
        peer.close()
        drawn = random.Random(SEED)
        before = [ask_afresh(peer, 0, bucket) for bucket in range(among)]
        buckets = [drawn.randrange(among) for _ in range(count)]
        with ThreadPoolExecutor(count) as clients:
            list(clients.map(lambda bucket: ask_afresh(peer, 1, bucket), buckets))
        for bucket in range(among):
            expect_total(peer, 0, bucket, before[bucket] + buckets.count(bucket))

    return run


def several(peer: Peer) -> None:
    """A connection carries several requests, also at once."""
    before = ask(peer, 0, 0)
    if (total := ask(peer, 1, 0)) != before + 1:
        raise MismatchError(f"sent {shown(peer.sent)}, expected {before + 1}, received {total}")
    peer.send(b"0,0\n" * 3)
    peer.expect(f"{total}\n".encode() * 3)


def in_pieces(peer: Peer) -> None:
    """A request that comes byte by byte is one."""
    peer.close()
    before = ask_afresh(peer, 0, 0)
    with peer.another() as own:
        own.send(b"1,0\n", piece_bytes=1)
        own.expect(f"{before + 1}\n".encode())


def half_closes(peer: Peer) -> None:
    """The replies to what came before a half-close come, and then the end."""
    total = ask(peer, 0, 0)
    then_half_close(b"0,0\n" * 3, f"{total}\n".encode() * 3)(peer)


def exchanges(load: Mapping[str, str]) -> list[Exchange]:
    """What a bucket server does; the load says how many buckets it has to have."""
    drawn = random.Random(SEED)
    buckets = int(load.get("buckets", BUCKETS))
    among = min(buckets, BUCKETS)
    scattered = [(3 if place < 4 else 0, drawn.randrange(among)) for place in range(40)]
    return [
        Exchange(name="hand-out 0: a delay is added", run=added([(3, 5 % among)]), limit_s=SLOW_S),
        Exchange(
            name="hand-out 1: one bucket, one after the other",
            run=added([(delay, 12 % among) for delay in [0, 1, 2, 3, 4, *[0] * 40]]),
            limit_s=SLOW_S,
        ),
        Exchange(
            name="hand-out 2: buckets at random, one after the other",
            run=added(scattered),
            limit_s=SLOW_S,
        ),
        Exchange(
            name="hand-out 3: delays of 0 to 2",
            run=added([(place % 3, place % among) for place in range(20)]),
            limit_s=SLOW_S,
        ),
        Exchange(
            name="hand-out 4: no delay is lost at once", run=at_once(50, among), limit_s=SLOW_S
        ),
        Exchange(name="the last bucket is there", run=added([(1, buckets - 1)]), limit_s=SLOW_S),
        Exchange(
            name="a connection carries several requests",
            run=several,
            required=reuses_connections(load),
            limit_s=SLOW_S,
        ),
        Exchange(name="a request byte by byte is one", run=in_pieces, limit_s=SLOW_S),
        Exchange(
            name="after a half-close the replies come, and then the end",
            run=half_closes,
            required=False,
        ),
        Exchange(
            name="a sign is an error, and the end",
            run=then_ends(b"3,+5\n", WRONG),
            required=False,
        ),
        Exchange(
            name="a bucket that is not there is an error, and the end",
            run=then_ends(b"3,99999\n", b"Invalid Bucket Index: 99999\n"),
            required=False,
        ),
    ]
