"""Forum: topics and their messages. With the transcript of the course's own verifier.

A server that is asked may hold topics already, so that those here are new ones.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from serverlab.verify.exchange import Exchange, pipelined, turns
from serverlab.verify.peer import MismatchError, shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from serverlab.verify.peer import Peer

LENGTH_MAX = 140


def topic() -> bytes:
    """The name of a topic that is not there yet."""
    return f"@verify{random.SystemRandom().randrange(2**48):x}".encode()


def transcript(peer: Peer) -> None:
    """The requests of the course's ProtocolVerifier, in its order."""
    abc, other = topic(), topic()
    turns(
        (b"COUNT" + abc + b"\n", b"0\n"),
        (b"READ" + other + b"#1\n", b"\n"),
        (b"POST" + abc + b"#qwerty\n", b"0\n"),
    )(peer)
    expect_topics(peer, {abc}, {other})
    turns(
        (b"COUNT" + abc + b"\n", b"1\n"),
        (b"READ" + abc + b"#0\n", b"qwerty\n"),
        (b"READ" + abc + b"#1\n", b"\n"),
        (b"POST" + abc + b"#asdfg\n", b"1\n"),
        (b"COUNT" + abc + b"\n", b"2\n"),
        (b"COUNT" + other + b"\n", b"0\n"),
        (b"READ" + abc + b"#1\n", b"asdfg\n"),
        (b"POST" + other + b"#zxcvb\n", b"0\n"),
    )(peer)
    expect_topics(peer, {abc, other}, set())
    turns((b"READ" + other + b"#0\n", b"zxcvb\n"))(peer)


def expect_topics(peer: Peer, there: set[bytes], absent: set[bytes]) -> None:
    """LIST names some topics, each once, and others not."""
    peer.send(b"LIST\n")
    line = peer.expect_line()
    names = [b"@" + name for name in line.replace(b"#@", b"\n").removeprefix(b"@").split(b"\n")]
    if any(names.count(name) != 1 for name in there) or not absent.isdisjoint(names):
        wanted = b" and ".join(sorted(there))
        raise MismatchError(
            f'sent "LIST", expected each of {shown(wanted)} once, received {shown(line)}'
        )


def several_ends(peer: Peer) -> None:
    """A reply ends as its request did."""
    name = topic()
    for place, end in enumerate((b"\n", b"\r\n", b"\0")):
        peer.send(b"POST" + name + b"#x" + end)
        peer.expect(f"{place}".encode() + end)


def pieces(peer: Peer) -> None:
    """A request that comes byte by byte is one."""
    name = topic()
    peer.send(b"POST" + name + b"#abc\n", piece_bytes=1)
    peer.expect(b"0\n")


def at_once(peer: Peer) -> None:
    """Replies come in the order of the requests."""
    name = topic()
    posts = [(b"POST" + name + b"#%d\n" % place, b"%d\n" % place) for place in range(50)]
    reads = [(b"READ" + name + b"#%d\n" % place, b"%d\n" % place) for place in range(50)]
    pipelined(*posts, *reads)(peer)


def cut(peer: Peer) -> None:
    """A message has at most 140 bytes."""
    name, text = topic(), b"m" * (LENGTH_MAX + 60)
    turns(
        (b"POST" + name + b"#" + text + b"\n", b"0\n"),
        (b"READ" + name + b"#0\n", text[:LENGTH_MAX] + b"\n"),
    )(peer)


def seen_by_others(peer: Peer) -> None:
    """What one client posts, another reads."""
    name = topic()
    turns((b"POST" + name + b"#shared\n", b"0\n"))(peer)
    with peer.another() as other:
        turns((b"READ" + name + b"#0\n", b"shared\n"))(other)


def exits(peer: Peer) -> None:
    """EXIT gets its reply, and then the end of the connection."""
    peer.send(b"EXIT\n")
    peer.expect(b"TERMINATING\n")
    peer.expect_end()


def exchanges(load: Mapping[str, str]) -> list[Exchange]:
    """What a forum does."""
    del load
    return [
        Exchange(name="the course's transcript", run=transcript),
        Exchange(name="what one client posts, another reads", run=seen_by_others),
        Exchange(name="replies come in the order of requests at once", run=at_once),
        Exchange(name="a request byte by byte is one", run=pieces),
        Exchange(
            name="a reply ends as its request: LF, CR LF or NUL", run=several_ends, required=False
        ),
        Exchange(name="a message is cut after 140 bytes", run=cut, required=False),
        Exchange(
            name="an unknown request gets a blank line",
            run=turns((b"Unknown\n", b"\n"), (b"READ@#\n", b"\n")),
            required=False,
        ),
        Exchange(name="EXIT gets TERMINATING, and the end", run=exits, required=False),
    ]
