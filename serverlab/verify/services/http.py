"""HTTP/1.1: status, body and framing; headers and reason phrases are each server's own."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from serverlab.errors import UsageError, reason_of
from serverlab.verify.asked import depth, reuses_connections, size_bytes
from serverlab.verify.exchange import Exchange
from serverlab.verify.peer import MismatchError, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from serverlab.verify.peer import Peer

HELLO = b"Hello, World!"
PRINTABLE = bytes(range(32, 127))
SIZES = (0, 1, 1000, 100_000)
SIZE_MAX = 4 << 20  # bytes that are asked for at most, of a load that asks for more
USUAL = "/"  # the path of the load, without --http-path
AT_ONCE = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request, and what its reply has to be."""

    path: str
    method: str = "GET"
    lines: str = ""  # fields, each with its end
    body: bytes = b""
    status: int = 200
    content: bytes | None = None  # of the reply; None if it is not known
    check: str = "same"  # whether replies are the same, as long, or neither, if it is not known

    def request(self, lines: str = "") -> bytes:
        """The request as it is sent, with further fields."""
        fields = self.lines + lines
        if not re.search(r"^host:", fields, re.IGNORECASE | re.MULTILINE):
            fields = f"Host: x\r\n{fields}"
        if self.body or self.method in {"POST", "PUT"}:
            fields += f"Content-Length: {len(self.body)}\r\n"
        head = f"{self.method} {self.path} HTTP/1.1\r\n{fields}\r\n"
        return head.encode("utf-8", errors="surrogateescape") + self.body

    def expect_reply(self, peer: Peer, *, is_framed: bool = True) -> bytes:
        """The reply is right, as far as it is known. Raises MismatchError."""
        return peer.expect_reply(self.status, self.content, self.method, is_framed=is_framed)

    def expect_like(self, peer: Peer, first: bytes) -> None:
        """The reply is as the first one was. Raises MismatchError."""
        content = self.expect_reply(peer)
        if self.check == "same" and content != first:
            raise MismatchError(
                f"sent {shown(peer.sent)}, expected {shown(first)} as before, received "
                f"{shown(content)}"
            )
        if self.check == "length" and len(content) != len(first):
            raise MismatchError(
                f"sent {shown(peer.sent)}, expected {len(first)} B as before, received "
                f"{len(content)} B"
            )

    def once(self, peer: Peer) -> None:
        """A request gets its reply."""
        peer.send(self.request())
        self.expect_reply(peer)

    def twice(self, peer: Peer) -> None:
        """Two requests on a connection get the same reply."""
        peer.send(self.request())
        first = self.expect_reply(peer)
        peer.send(self.request())
        self.expect_like(peer, first)

    def at_once(self, peer: Peer) -> None:
        """Requests at once get their replies."""
        peer.send(self.request() * AT_ONCE)
        first = self.expect_reply(peer)
        for _ in range(AT_ONCE - 1):
            self.expect_like(peer, first)

    def pieces(self, peer: Peer) -> None:
        """A request that comes byte by byte is one."""
        peer.send(self.request(), piece_bytes=1)
        self.expect_reply(peer)

    def closes(self, peer: Peer) -> None:
        """The server ends the connection of which the client says so; that may end a reply, too."""
        peer.send(self.request("Connection: close\r\n"))
        self.expect_reply(peer, is_framed=False)
        peer.expect_end()

    def half_closes(self, peer: Peer) -> None:
        """The replies to what came before a half-close come, and then the end."""
        peer.send(self.request() * 3)
        peer.half_close()
        for _ in range(3):
            self.expect_reply(peer)
        peer.expect_end()


def printable(count: int) -> bytes:
    """What `/bytes/N` has: the printable characters of ASCII, again and again."""
    return (PRINTABLE * (count // len(PRINTABLE) + 1))[:count]


def asked_by(load: Mapping[str, str]) -> Asked:
    """What a load asks for. Raises UsageError if its body cannot be read."""
    path, method = load.get("http-path", USUAL), load.get("http-method", "GET")
    if "payload" in load:
        path = f"/bytes/{min(SIZE_MAX, size_bytes(load['payload']))}"
    body = body_of(load.get("http-body", ""))
    check = load.get("http-check", "auto")
    fields = [line.strip() for line in load.get("http-headers", "").splitlines()]
    return Asked(
        path=path,
        method=method,
        lines="".join(f"{field}\r\n" for field in fields if field),
        body=body,
        status=int(load.get("http-status", "200")),
        content=known_content(method, path, body) if check in {"auto", "exact"} else None,
        check="same" if check in {"auto", "exact"} else check,
    )


def body_of(text: str) -> bytes:
    """The body of a request: the text, or the file that @ names."""
    if not text.startswith("@"):
        return text.encode("utf-8", errors="surrogateescape")
    try:
        return Path(text[1:]).read_bytes()
    except OSError as error:
        raise UsageError(f"http-body: cannot read {text[1:]}: {reason_of(error)}") from error


def known_content(method: str, path: str, body: bytes) -> bytes | None:
    """The content of a resource of the service; None of all others, as for the load."""
    resource = path.partition("?")[0]
    if resource == "/echo":
        return body if method == "POST" else None
    if method != "GET":
        return None
    if resource == USUAL:
        return HELLO
    size = re.fullmatch(r"/bytes/([0-9]{1,7})", resource)
    return printable(int(size[1])) if size and int(size[1]) <= SIZE_MAX else None


def exchanges_of(asked: Asked, load: Mapping[str, str]) -> list[Exchange]:
    """What a load relies on that asks for this."""
    reuses = reuses_connections(load)
    what = "Hello, World!" if asked.content == HELLO else f"status {asked.status}"
    gets = f"{asked.method} {asked.path} gets {what}"
    return [
        Exchange(name=gets, run=asked.once),
        Exchange(name=f"{gets}, twice on a connection", run=asked.twice, required=reuses),
        Exchange(
            name="replies come in the order of requests at once",
            run=asked.at_once,
            required=reuses and depth(load) > 1,
        ),
        Exchange(name="a request byte by byte is one", run=asked.pieces),
        Exchange(name="Connection: close ends the connection", run=asked.closes),
    ]


def head(peer: Peer) -> None:
    """HEAD has the head of GET, and no body."""
    peer.send(Asked(path="/", method="HEAD").request())
    peer.expect_reply(200, b"", method="HEAD")
    Asked(path="/", content=HELLO).once(peer)


def sizes(peer: Peer) -> None:
    """`/bytes/N` has so many bytes."""
    for size in SIZES:
        Asked(path=f"/bytes/{size}", content=printable(size)).once(peer)


def echoes(peer: Peer) -> None:
    """`/echo` returns the body, by its length and in chunks."""
    for body in (b"hello", printable(100_000)):
        Asked(path="/echo", method="POST", body=body, content=body).once(peer)
    chunks = b"2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n"
    peer.send(b"POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)
    peer.expect_reply(200, b"hello")


def malformed(peer: Peer) -> None:
    """What is no request gets 400, and the end."""
    peer.send(b"GET / HTTP/1.1\r\nno field\r\n\r\n")
    peer.expect_reply(400, is_framed=False)
    peer.expect_end()


def optional(name: str, run: Callable[[Peer], None]) -> Exchange:
    """An exchange that no load relies on."""
    return Exchange(name=name, run=run, required=False)


def exchanges(load: Mapping[str, str]) -> list[Exchange]:
    """What an HTTP server does; the load says what it asks for.

    Of a server that is asked for a resource of its own, those of the service are not expected.
    """
    usual = Asked(path=USUAL, content=HELLO)
    asked = asked_by(load)
    found = exchanges_of(asked, load)
    missing = Asked(path="/no-such-thing", status=404, check="status").twice
    always = [
        optional("what is not there gets 404", missing),
        optional(
            "after a half-close the replies come, and then the end",
            (asked if is_own(asked) else usual).half_closes,
        ),
        optional("a malformed request gets 400, and the end", malformed),
    ]
    if is_own(asked):
        return [*found, *always]
    names = {one.name for one in found}
    others = exchanges_of(usual, {}) if asked.path != USUAL or asked.method != "GET" else []
    return [
        *found,
        *[optional(one.name, one.run) for one in others if one.name not in names],
        optional("HEAD / has no body", head),
        optional("/bytes/N has N bytes", sizes),
        optional("/echo returns a body, also in chunks", echoes),
        *always,
    ]


def is_own(asked: Asked) -> bool:
    """Whether what is asked for is no resource of the service."""
    return known_content("POST", asked.path, b"") is None and (
        known_content("GET", asked.path, b"") is None
    )
