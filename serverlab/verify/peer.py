"""A connection to a server that is asked: what it sends, and what it expects by a deadline."""

from __future__ import annotations

import contextlib
import socket
import time
from http.client import HTTPException, HTTPResponse
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SHOWN_MAX = 100  # bytes of a failure
RECEIVE_BYTES = 65536
LINE_BYTES_MAX = 2**20  # and of any other reply whose length its beginning does not say
RECEIVED_BYTES_MAX = 2**28  # on a connection: what a server may send by mistake has no end
FINAL = 200  # the least status of a reply that is not an interim one
NOT_CONNECTED = "cannot connect"


class MismatchError(Exception):
    """The server does something else than it should; the text says what."""


class Peer:
    """A client's connection. All that it waits for shares a deadline."""

    def __init__(self, host: str, port: int, deadline_s: float) -> None:
        """Connect. Raises MismatchError if the server does not accept."""
        self.host, self.port, self.deadline_s = host, port, deadline_s
        self.sent = b""  # last
        self._kept = bytearray()  # received, and not asked for yet; it is cheap to cut its begin
        self._received_bytes = 0
        try:
            self._socket = socket.create_connection((host, port), self._left_s())
        except OSError as error:
            raise MismatchError(f"{NOT_CONNECTED}: {error.strerror or error}") from error
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection: a server may serve one after the other."""
        self._socket.close()

    def another(self) -> Peer:
        """A further connection to the same server."""
        return Peer(self.host, self.port, self.deadline_s)

    def send(self, content: bytes, *, piece_bytes: int = 0) -> None:
        """Send, in pieces if that is asked for; what the server sends meanwhile is kept."""
        self.sent = content
        step = piece_bytes or len(content) or 1
        with self._failing("it takes no more"):
            for begin in range(0, len(content), step):
                self._socket.settimeout(self._left_s())
                self._send_all(content[begin : begin + step])

    def _send_all(self, piece: bytes) -> None:
        view = memoryview(piece)
        self._socket.settimeout(0)
        try:
            while view:
                try:
                    view = view[self._socket.send(view) :]
                except BlockingIOError:
                    with contextlib.suppress(BlockingIOError):
                        self._keep(self._socket.recv(RECEIVE_BYTES), b"room for more")
                    if self._left_s() <= 0:
                        raise TimeoutError from None
                    time.sleep(0.001)
        finally:
            self._socket.settimeout(self._left_s())

    def expect(self, content: bytes) -> None:
        """Receive exactly that. Raises MismatchError."""
        while len(self._kept) < len(content) and content.startswith(bytes(self._kept)):
            if not self._receive(content):
                break
        got = self.take(len(content))
        if got != content:
            self._mismatch(content, got)

    def receive_until(
        self, size_of: Callable[[bytes], int], expected: bytes, bytes_max: int = LINE_BYTES_MAX
    ) -> bytes:
        """Receive so many bytes as `size_of` finds in what has come; 0 asks for more.

        Raises MismatchError if it finds nothing in so many.
        """
        while not (size := size_of(bytes(self._kept))):
            if len(self._kept) > bytes_max or not self._receive(expected):
                self._mismatch(expected, bytes(self._kept))
        return self.take(size)

    def expect_line(self, end: bytes = b"\n", expected: bytes = b"a line") -> bytes:
        """The next line, without its end. Raises MismatchError."""

        def size_of(kept: bytes) -> int:
            return kept.find(end) + len(end) if end in kept else 0

        return self.receive_until(size_of, expected).removesuffix(end)

    def expect_reply(
        self, status: int, body: bytes | None = None, method: str = "GET", *, is_framed: bool = True
    ) -> bytes:
        """Receive an HTTP response of that status and that body; return its body.

        A load cannot tell where a response ends that has neither a length nor chunks, so that only
        one that is not framed may be without. Raises MismatchError.
        """
        expected = f"status {status}".encode() + (b"" if body is None else b" and " + body)
        reader = _Reader(self, expected)
        with self._failing(f"expected {shown(expected)}"):
            try:
                response = HTTPResponse(reader, method=method)  # type: ignore[arg-type] # a file
                response.begin()
                while response.status < FINAL:  # such as 103 Early Hints: no body
                    response = HTTPResponse(reader, method=method)  # type: ignore[arg-type]
                    response.begin()
                has_end = response.chunked or response.length is not None
                if is_framed and not has_end:
                    self._mismatch(expected, b"a response with neither a length nor chunks")
                content = response.read()
            except (HTTPException, ValueError) as error:
                raise MismatchError(
                    f"sent {shown(self.sent)}, expected {shown(expected)}, received no HTTP "
                    f"response: {repr(error)[:SHOWN_MAX]}"
                ) from None
        if response.status != status or (body is not None and content != body):
            self._mismatch(expected, f"status {response.status} and ".encode() + content)
        return content

    def half_close(self) -> None:
        """Say that nothing more is sent."""
        with self._failing("its connection is reset"):
            self._socket.shutdown(socket.SHUT_WR)

    def expect_end(self) -> None:
        """Receive the end of the stream, and nothing before it. Raises MismatchError."""
        if self._kept or self._receive(b"the end of the connection"):
            self._mismatch(b"the end of the connection", bytes(self._kept))

    def receive_some(self, expected: bytes, bytes_max: int = RECEIVED_BYTES_MAX) -> bytes:
        """Bytes that have come, or come next, not more; none at the end of the stream."""
        if not self._kept:
            self._receive(expected)
        return self.take(bytes_max)

    def take(self, bytes_max: int) -> bytes:
        """So many of the bytes that have come, or all of them."""
        taken = bytes(memoryview(self._kept)[:bytes_max])
        del self._kept[:bytes_max]
        return taken

    def _receive(self, expected: bytes) -> bool:
        """Whether more has come. Raises MismatchError once the deadline has passed.

        It does so as well if the server never stops sending.
        """
        sent = f"sent {shown(self.sent)}, expected {shown(expected)}"
        if self._received_bytes and time.monotonic() >= self.deadline_s:
            raise MismatchError(f"{sent}, received {self._received_bytes} bytes and no end in time")
        try:
            self._socket.settimeout(self._left_s())
            more = self._socket.recv(RECEIVE_BYTES)
        except TimeoutError:
            received = f"received {shown(bytes(self._kept))}" if self._kept else "received nothing"
            raise MismatchError(f"{sent}, {received} in time") from None
        except OSError as error:
            raise MismatchError(f"{sent}: {error.strerror or error}") from error
        self._keep(more, expected)
        return bool(more)

    def _keep(self, more: bytes, expected: bytes) -> None:
        self._received_bytes += len(more)
        if self._received_bytes > RECEIVED_BYTES_MAX:
            raise MismatchError(
                f"sent {shown(self.sent)}, expected {shown(expected)}, received more than "
                f"{RECEIVED_BYTES_MAX >> 20} MiB"
            )
        self._kept += more

    def _mismatch(self, expected: bytes, received: bytes) -> None:
        what = shown(received) if received else "the end of the connection"
        raise MismatchError(f"sent {shown(self.sent)}, expected {shown(expected)}, received {what}")

    @contextlib.contextmanager
    def _failing(self, what: str) -> Iterator[None]:
        """Make a failure of the socket a mismatch."""
        try:
            yield
        except TimeoutError:
            raise MismatchError(f"sent {shown(self.sent)}: {what}") from None
        except OSError as error:
            reason = error.strerror or str(error)
            raise MismatchError(f"sent {shown(self.sent)}: {what}: {reason}") from error

    def _left_s(self) -> float:
        return max(0.001, self.deadline_s - time.monotonic())


class _Reader:
    """What http.client reads a response from: it takes no byte that is beyond the response."""

    def __init__(self, peer: Peer, expected: bytes) -> None:
        self.peer = peer
        self.expected = expected  # for messages

    def makefile(self, _: str) -> _Reader:
        """This object is both the socket and its file."""
        return self

    def readline(self, limit: int = -1) -> bytes:
        """A line with its end."""
        line = self.peer.expect_line(expected=self.expected) + b"\n"
        return line if limit < 0 else line[:limit]

    def read(self, count: int = -1) -> bytes:
        """So many bytes, or all to the end."""
        pieces: list[bytes] = []
        left = count
        while left and (
            more := self.peer.receive_some(self.expected, left if left > 0 else RECEIVED_BYTES_MAX)
        ):
            pieces.append(more)
            left = left - len(more) if count >= 0 else left
        return b"".join(pieces)

    def readinto(self, into: memoryview) -> int:
        """Fill a buffer as far as the stream goes."""
        content = self.read(len(into))
        into[: len(content)] = content
        return len(content)

    def flush(self) -> None:
        """Nothing is written."""

    def close(self) -> None:
        """The connection stays."""


def shown(content: bytes) -> str:
    """Bytes as a message has them: readable, and not too many."""
    cut = content[:SHOWN_MAX]
    text = cut.decode("ascii", errors="backslashreplace").encode("unicode_escape").decode("ascii")
    text = text.replace("\\\\x", "\\x").replace('"', '\\"')
    more = f"… ({len(content)} bytes)" if len(content) > SHOWN_MAX else ""
    return f'"{text}"{more}'
