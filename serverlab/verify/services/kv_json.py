"""kv-json: a key-value store behind JSON objects."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import msgspec

from serverlab.verify.asked import size_bytes
from serverlab.verify.exchange import Exchange, then_ends, then_half_close, turns
from serverlab.verify.peer import MismatchError, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from serverlab.verify.peer import Peer

REPLY_BYTES_MAX = 4096  # a request has 512, and a reply a code besides
INVALID = b'{"code":400,"key":"","type":"INVALID","value":""}'


def key() -> str:
    """A key that is not there yet."""
    return str(random.SystemRandom().randrange(10**15, 10**16))


def ask(kind: str, name: str | int, value: str | int) -> bytes:
    """A request."""
    return msgspec.json.encode({"key": name, "type": kind, "value": value})


def reply(code: int, name: str, kind: str, value: str) -> dict[str, Any]:
    """A reply."""
    return {"code": code, "key": name, "type": kind, "value": value}


def object_bytes(kept: bytes) -> int:
    """How many bytes the first object has, with the blanks before it; 0 if it is not whole."""
    text = kept.decode("latin-1")  # a character a byte
    begin = len(text) - len(text.lstrip())
    try:
        end: int = json.JSONDecoder().raw_decode(text, begin)[1]
    except (ValueError, RecursionError):
        return 0
    return end


def expect_object(peer: Peer, expected: dict[str, Any]) -> None:
    """The next reply is this object, in any order and with any blanks."""
    wanted = msgspec.json.encode(expected)
    got = peer.receive_until(object_bytes, wanted, REPLY_BYTES_MAX)
    if json.loads(got.decode("latin-1")) != expected:
        raise MismatchError(
            f"sent {shown(peer.sent)}, expected {shown(wanted)}, received {shown(got)}"
        )


def sets_and_gets(value_bytes: int) -> Callable[[Peer], None]:
    """What is set can be got, by the same client and by another."""

    def run(peer: Peer) -> None:
        name, longer = key(), "v" * value_bytes
        peer.send(ask("GET", name, ""))
        expect_object(peer, reply(404, name, "GET", ""))
        for value in ("13", longer):
            peer.send(ask("POST", name, value))
            expect_object(peer, reply(200, name, "POST", value))
            peer.send(ask("GET", name, ""))
            expect_object(peer, reply(200, name, "GET", value))
        with peer.another() as other:
            other.send(ask("GET", name, ""))
            expect_object(other, reply(200, name, "GET", longer))

    return run


def pieces(peer: Peer) -> None:
    """A request that comes byte by byte is one."""
    name = key()
    peer.send(ask("POST", name, "1"), piece_bytes=1)
    expect_object(peer, reply(200, name, "POST", "1"))


def at_once(peer: Peer) -> None:
    """Replies come in the order of the requests."""
    name, values = key(), [str(place) for place in range(10)]
    peer.send(b"".join(ask("POST", name, value) + ask("GET", name, "") for value in values))
    for value in values:
        expect_object(peer, reply(200, name, "POST", value))
        expect_object(peer, reply(200, name, "GET", value))


def digits(peer: Peer) -> None:
    """Integers stand for their digits."""
    name = key()
    peer.send(ask("POST", int(name), 13) + ask("GET", name, ""))
    expect_object(peer, reply(200, name, "POST", "13"))
    expect_object(peer, reply(200, name, "GET", "13"))


def exchanges(load: Mapping[str, str]) -> list[Exchange]:
    """What such a store does; the load says how long its values are."""
    name = key()
    stored = msgspec.json.encode(reply(200, name, "POST", "1"))
    request = ask("POST", name, "1")
    value_bytes = size_bytes(load.get("kv-value", "64"))
    return [
        Exchange(name="what is set can be got", run=sets_and_gets(value_bytes)),
        Exchange(
            name="a reply has no blanks, and its names in alphabetical order",
            run=turns((request, stored)),
        ),
        Exchange(name="a request byte by byte is one", run=pieces),
        Exchange(name="replies come in the order of requests at once", run=at_once),
        Exchange(name="integers stand for their digits", run=digits, required=False),
        Exchange(
            name="after a half-close the replies come, and then the end",
            run=then_half_close(request * 3, stored * 3),
            required=False,
        ),
        Exchange(
            name="an unknown type gets 400, and the connection goes on",
            run=turns((ask("PUT", name, "1"), INVALID), (request, stored)),
            required=False,
        ),
        Exchange(
            name="what is no object gets 400, and the end",
            run=then_ends(b"no object\n", INVALID),
            required=False,
        ),
    ]
