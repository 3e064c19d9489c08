"""HTTP/1.1: status, body and framing; headers and reason phrases are each server's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serverlab.verify.exchange import Exchange

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from serverlab.verify.peer import Peer

HELLO = b"Hello, World!"
PRINTABLE = bytes(range(32, 127))
SIZES = (0, 1, 1000, 100_000)
USUAL = "/"  # the path of the load, without --http-path


def request(path: str, *, method: str = "GET", lines: str = "", body: bytes = b"") -> bytes:
    """A request."""
    return f"{method} {path} HTTP/1.1\r\nHost: x\r\n{lines}\r\n".encode() + body


def get(path: str, body: bytes | None, status: int = 200) -> Callable[[Peer], None]:
    """A GET, twice on one connection."""

    def run(peer: Peer) -> None:
        for _ in range(2):
            peer.send(request(path))
            peer.expect_reply(status, body)

    return run


def head(peer: Peer) -> None:
    """HEAD has the head of GET, and no body."""
    peer.send(request("/", method="HEAD"))
    peer.expect_reply(200, b"", method="HEAD")
    peer.send(request("/"))
    peer.expect_reply(200, HELLO)


def asked(path: str, status: int, body: bytes | None, depth: int = 1) -> list[Exchange]:
    """What a load relies on that asks for a path, with so many requests at once."""

    def at_once(peer: Peer) -> None:
        peer.send(request(path) * 20)
        for _ in range(20):
            peer.expect_reply(status, body)

    def pieces(peer: Peer) -> None:
        peer.send(request(path), piece_bytes=1)
        peer.expect_reply(status, body)

    def closes(peer: Peer) -> None:
        peer.send(request(path, lines="Connection: close\r\n"))
        peer.expect_reply(status, body)
        peer.expect_end()

    what = "Hello, World!" if body == HELLO else f"status {status}"
    return [
        Exchange(
            name=f"GET {path} gets {what}, twice on a connection", run=get(path, body, status)
        ),
        Exchange(
            name="replies come in the order of requests at once",
            run=at_once,
            required=depth > 1,
        ),
        Exchange(name="a request byte by byte is one", run=pieces),
        Exchange(name="Connection: close ends the connection", run=closes),
    ]


def sizes(peer: Peer) -> None:
    """`/bytes/N` has so many bytes, the printable ones of ASCII, again and again."""
    for size in SIZES:
        peer.send(request(f"/bytes/{size}"))
        peer.expect_reply(200, (PRINTABLE * (size // len(PRINTABLE) + 1))[:size])


def echoes(peer: Peer) -> None:
    """`/echo` returns the body, by its length and in chunks."""
    peer.send(request("/echo", method="POST", lines="Content-Length: 5\r\n", body=b"hello"))
    peer.expect_reply(200, b"hello")
    chunks = b"2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n"
    peer.send(request("/echo", method="POST", lines="Transfer-Encoding: chunked\r\n", body=chunks))
    peer.expect_reply(200, b"hello")


def malformed(peer: Peer) -> None:
    """What is no request gets 400, and the end."""
    peer.send(b"GET / HTTP/1.1\r\nno field\r\n\r\n")
    peer.expect_reply(400)
    peer.expect_end()


def exchanges(load: Mapping[str, str]) -> list[Exchange]:
    """What an HTTP server does; the load says which path it asks for."""
    path, status = load.get("http-path", USUAL), int(load.get("http-status", "200"))
    is_get = load.get("http-method", "GET") == "GET"
    is_usual = path == USUAL and is_get
    depth = int(load.get("depth", "1"))
    found = asked(path, status, HELLO if is_usual else None, depth) if is_get else []
    usual = [] if is_usual else asked(USUAL, 200, HELLO)
    return [
        *found,
        *[Exchange(name=one.name, run=one.run, required=False) for one in usual],
        Exchange(name="HEAD / has no body", run=head, required=False),
        Exchange(name="/bytes/N has N bytes", run=sizes, required=False),
        Exchange(name="/echo returns a body, also in chunks", run=echoes, required=False),
        Exchange(
            name="what is not there gets 404", run=get("/no-such-thing", None, 404), required=False
        ),
        Exchange(name="a malformed request gets 400, and the end", run=malformed, required=False),
    ]
