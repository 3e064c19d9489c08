"""Forum: topics and their messages. With the transcript of the course's own verifier.

A server that is asked may hold topics already, so that those here are new ones. Lines end as those
of the load do: with NUL if it says nothing else, as the course's programs have it.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.verify.asked import size_bytes
from serverlab.verify.exchange import Exchange, then_ends, then_half_close, turns
from serverlab.verify.peer import MismatchError, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from serverlab.verify.peer import Peer

LENGTH_MAX = 140
LONG_LINE_BYTES = 60_000
ENDS = {"nul": b"\0", "lf": b"\n", "crlf": b"\r\n"}


def topic() -> bytes:
    """The name of a topic that is not there yet."""
    return f"@verify{random.SystemRandom().randrange(2**48):x}".encode()


@dataclass(frozen=True, slots=True)
class Forum:
    """What a forum does whose lines have a certain end."""

    end: bytes

    def turns(self, *pairs: tuple[bytes, bytes]) -> Callable[[Peer], None]:
        """Requests, each with its reply, one after the other; none has its end yet."""
        return turns(*((request + self.end, reply + self.end) for request, reply in pairs))

    def lines(self, *texts: bytes) -> bytes:
        """Texts, each with its end."""
        return b"".join(text + self.end for text in texts)

    def transcript(self, peer: Peer) -> None:
        """The requests of the course's ProtocolVerifier, in its order."""
        abc, other = topic(), topic()
        self.turns(
            (b"COUNT" + abc, b"0"),
            (b"READ" + other + b"#1", b""),
            (b"POST" + abc + b"#qwerty", b"0"),
        )(peer)
        self.expect_topics(peer, {abc}, {other})
        self.turns(
            (b"COUNT" + abc, b"1"),
            (b"READ" + abc + b"#0", b"qwerty"),
            (b"READ" + abc + b"#1", b""),
            (b"POST" + abc + b"#asdfg", b"1"),
            (b"COUNT" + abc, b"2"),
            (b"COUNT" + other, b"0"),
            (b"READ" + abc + b"#1", b"asdfg"),
            (b"POST" + other + b"#zxcvb", b"0"),
        )(peer)
        self.expect_topics(peer, {abc, other}, set())
        self.turns((b"READ" + other + b"#0", b"zxcvb"))(peer)

    def expect_topics(self, peer: Peer, there: set[bytes], absent: set[bytes]) -> None:
        """LIST names some topics, each once, and others not."""
        peer.send(b"LIST" + self.end)
        line = peer.expect_line(self.end)
        names = [b"@" + name for name in line.replace(b"#@", b"\n").removeprefix(b"@").split(b"\n")]
        if any(names.count(name) != 1 for name in there) or not absent.isdisjoint(names):
            wanted = b" and ".join(sorted(there))
            raise MismatchError(
                f'sent "LIST", expected each of {shown(wanted)} once, received {shown(line)}'
            )

    def pieces(self, peer: Peer) -> None:
        """A request that comes byte by byte is one."""
        peer.send(b"POST" + topic() + b"#abc" + self.end, piece_bytes=1)
        peer.expect(b"0" + self.end)

    def at_once(self, peer: Peer) -> None:
        """Replies come in the order of the requests."""
        name, places = topic(), [b"%d" % place for place in range(50)]
        posts = self.lines(*(b"POST" + name + b"#" + place for place in places))
        reads = self.lines(*(b"READ" + name + b"#" + place for place in places))
        turns((posts + reads, self.lines(*places, *places)))(peer)

    def seen_by_others(self, peer: Peer) -> None:
        """What one client posts, another reads."""
        name = topic()
        self.turns((b"POST" + name + b"#shared", b"0"))(peer)
        with peer.another() as other:
            self.turns((b"READ" + name + b"#0", b"shared"))(other)

    def cut(self, peer: Peer) -> None:
        """A message has at most 140 bytes."""
        self.keeps_beginning_of(peer, LENGTH_MAX + 60)

    def long_line(self, peer: Peer) -> None:
        """A long line is one request."""
        self.keeps_beginning_of(peer, LONG_LINE_BYTES)

    def keeps_beginning_of(self, peer: Peer, message_bytes: int) -> None:
        """The server keeps what a message may have of one that is longer."""
        name, text = topic(), b"m" * message_bytes
        self.turns(
            (b"POST" + name + b"#" + text, b"0"),
            (b"READ" + name + b"#0", text[:LENGTH_MAX]),
        )(peer)

    def half_closes(self, peer: Peer) -> None:
        """The replies to what came before a half-close come, and then the end."""
        name = topic()
        requests = self.lines(b"POST" + name + b"#x", b"READ" + name + b"#0")
        then_half_close(requests, self.lines(b"0", b"x"))(peer)


def several_ends(peer: Peer) -> None:
    """A reply ends as its request did."""
    name = topic()
    for place, end in enumerate(ENDS.values()):
        peer.send(b"POST" + name + b"#x" + end)
        peer.expect(f"{place}".encode() + end)


def exchanges(load: Mapping[str, str]) -> list[Exchange]:
    """What a forum does; the load says how lines end, and what it asks beside POST and READ."""
    forum = Forum(ENDS[load.get("forum-framing", "nul")])
    asks_all = load.get("forum-asks") == "all"
    is_cut = size_bytes(load.get("forum-message", "16")) > LENGTH_MAX
    return [
        Exchange(name="the course's transcript", run=forum.transcript),
        Exchange(name="what one client posts, another reads", run=forum.seen_by_others),
        Exchange(name="replies come in the order of requests at once", run=forum.at_once),
        Exchange(name="a request byte by byte is one", run=forum.pieces),
        Exchange(name="a message is cut after 140 bytes", run=forum.cut, required=is_cut),
        Exchange(
            name="an unknown request gets a blank line",
            run=forum.turns((b"Unknown", b""), (b"AAA", b""), (b"READ@#", b"")),
            required=asks_all,
        ),
        Exchange(name="a line of 60,000 bytes is one request", run=forum.long_line, required=False),
        Exchange(
            name="a reply ends as its request: NUL, LF or CR LF", run=several_ends, required=False
        ),
        Exchange(
            name="after a half-close the replies come, and then the end",
            run=forum.half_closes,
            required=False,
        ),
        Exchange(
            name="EXIT gets TERMINATING, and the end",  # the last: it may end the server, too
            run=then_ends(forum.lines(b"EXIT"), forum.lines(b"TERMINATING")),
            required=False,
        ),
    ]
