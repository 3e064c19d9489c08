"""kv-json: a key-value store behind JSON objects. Replies are compared as JSON."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import msgspec

from serverlab.verify.exchange import Exchange, turns
from serverlab.verify.peer import MismatchError, shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from serverlab.verify.peer import Peer


def key() -> str:
    """A key that is not there yet."""
    return str(random.SystemRandom().randrange(10**15, 10**16))


def ask(kind: str, name: str, value: str) -> bytes:
    """A request."""
    return msgspec.json.encode({"key": name, "type": kind, "value": value})


def expect_object(peer: Peer, expected: dict[str, Any]) -> None:
    """The next reply is this object, in any order and with any blanks."""
    text = b""
    while True:
        more = peer.receive_some()
        text += more
        try:
            got = msgspec.json.decode(text)
        except msgspec.DecodeError:
            if more:
                continue
            got = None
        if got != expected:
            wanted = msgspec.json.encode(expected)
            what = shown(text) if text else "the end of the connection"
            raise MismatchError(
                f"sent {shown(peer.sent)}, expected {shown(wanted)}, received {what}"
            )
        return


def reply(code: int, name: str, kind: str, value: str) -> dict[str, Any]:
    """A reply."""
    return {"code": code, "key": name, "type": kind, "value": value}


def sets_and_gets(peer: Peer) -> None:
    """What is set can be got, by the same client and by another."""
    name = key()
    peer.send(ask("GET", name, ""))
    expect_object(peer, reply(404, name, "GET", ""))
    for value in ("13", "a longer value"):
        peer.send(ask("POST", name, value))
        expect_object(peer, reply(200, name, "POST", value))
        peer.send(ask("GET", name, ""))
        expect_object(peer, reply(200, name, "GET", value))
    with peer.another() as other:
        other.send(ask("GET", name, ""))
        expect_object(other, reply(200, name, "GET", "a longer value"))


def pieces(peer: Peer) -> None:
    """A request that comes byte by byte is one."""
    name = key()
    peer.send(ask("POST", name, "1"), piece_bytes=1)
    expect_object(peer, reply(200, name, "POST", "1"))


def exchanges(load: Mapping[str, str]) -> list[Exchange]:
    """What such a store does."""
    del load
    name = key()
    stored = b'{"code":200,"key":"%b","type":"POST","value":"1"}' % name.encode()
    got = b'{"code":200,"key":"%b","type":"GET","value":"1"}' % name.encode()
    request = ask("POST", name, "1") + ask("GET", name, "") * 10
    return [
        Exchange(name="what is set can be got", run=sets_and_gets),
        Exchange(name="a request byte by byte is one", run=pieces),
        Exchange(
            name="replies come in the order of requests at once",
            run=turns((request, stored + got * 10)),
        ),
        Exchange(
            name="an unknown type gets 400, and the connection goes on",
            run=turns(
                (ask("PUT", name, "1"), b'{"code":400,"key":"","type":"INVALID","value":""}'),
                (ask("POST", name, "1"), stored),
            ),
            required=False,
        ),
    ]
