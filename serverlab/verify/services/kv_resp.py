"""kv-resp: a key-value store behind the Redis protocol."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from serverlab.verify.asked import size_bytes
from serverlab.verify.exchange import Exchange, pipelined, then_half_close, turns

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from serverlab.verify.peer import Peer

LARGE_BYTES = 256 << 10


def key() -> bytes:
    """A key that is not there yet."""
    return f"verify:{random.SystemRandom().randrange(2**48):x}".encode()


def call(*words: bytes) -> bytes:
    """A request: an array of bulk strings."""
    return b"*%d\r\n" % len(words) + b"".join(bulk(word) for word in words)


def bulk(text: bytes) -> bytes:
    """A bulk string."""
    return b"$%d\r\n%b\r\n" % (len(text), text)


def sets_and_gets(peer: Peer) -> None:
    """What is set can be got, whatever its bytes are."""
    name, value = key(), bytes(range(256))
    turns(
        (call(b"GET", name), b"$-1\r\n"),
        (call(b"SET", name, value), b"+OK\r\n"),
        (call(b"GET", name), bulk(value)),
    )(peer)
    with peer.another() as other:
        turns((call(b"GET", name), bulk(value)), (call(b"DEL", name), b":1\r\n"))(other)


def pieces(peer: Peer) -> None:
    """A request that comes byte by byte is one."""
    name = key()
    turns((call(b"SET", name, b"1"), b"+OK\r\n"), piece_bytes=1)(peer)
    turns((call(b"DEL", name), b":1\r\n"))(peer)


def at_once(peer: Peer) -> None:
    """Replies come in the order of the requests."""
    name = key()
    counts = [(call(b"INCR", name), b":%d\r\n" % place) for place in range(1, 101)]
    pipelined(*counts, (call(b"DEL", name), b":1\r\n"))(peer)


def of_size(count: int) -> Callable[[Peer], None]:
    """A value of so many bytes is kept."""

    def run(peer: Peer) -> None:
        name, value = key(), b"v" * count
        turns(
            (call(b"SET", name, value), b"+OK\r\n"),
            (call(b"GET", name), bulk(value)),
            (call(b"DEL", name), b":1\r\n"),
        )(peer)

    return run


def counters(peer: Peer) -> None:
    """INCR counts, and is refused of what is no number."""
    name = key()
    turns(
        (call(b"SET", name, b"41"), b"+OK\r\n"),
        (call(b"INCR", name), b":42\r\n"),
        (call(b"SET", name, b"x"), b"+OK\r\n"),
        (call(b"INCR", name), b"-ERR value is not an integer or out of range\r\n"),
        (call(b"DEL", name), b":1\r\n"),
    )(peer)


def refuses(peer: Peer) -> None:
    """What is no request gets an error, and then the end."""
    peer.send(b"*1\r\n$x\r\n")
    peer.expect(b"-ERR Protocol error")
    peer.expect_line()
    peer.expect_end()


def exchanges(load: Mapping[str, str]) -> list[Exchange]:
    """What such a store does; the load says how long its values are."""
    value_bytes = size_bytes(load.get("kv-value", "64"))
    more = [] if value_bytes <= LARGE_BYTES else [value_bytes]
    few = b"-ERR wrong number of arguments for 'get' command\r\n"
    return [
        Exchange(name="PING gets PONG", run=turns((call(b"PING"), b"+PONG\r\n"))),
        Exchange(name="what is set can be got, whatever its bytes", run=sets_and_gets),
        Exchange(name="a request byte by byte is one", run=pieces),
        Exchange(name="replies come in the order of requests at once", run=at_once),
        Exchange(name="a value of 256 KiB is kept", run=of_size(LARGE_BYTES)),
        *[Exchange(name=f"a value of {one} B is kept", run=of_size(one)) for one in more],
        Exchange(
            name="after a half-close the replies come, and then the end",
            run=then_half_close(call(b"PING") * 3, b"+PONG\r\n" * 3),
            required=False,
        ),
        Exchange(name="INCR counts numbers alone", run=counters, required=False),
        Exchange(
            name="a line of words is a request",
            run=turns((b"PING\r\n", b"+PONG\r\n")),
            required=False,
        ),
        Exchange(
            name="a missing argument is an error", run=turns((call(b"GET"), few)), required=False
        ),
        Exchange(name="a protocol error is an error, and the end", run=refuses, required=False),
    ]
