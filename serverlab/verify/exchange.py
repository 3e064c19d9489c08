"""An exchange: what a client does on a connection of its own, and what the server has to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from serverlab.verify.peer import Peer

LIMIT_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """Something that holds of a server of the service."""

    name: str  # a sentence that is true if it holds
    run: Callable[[Peer], None]  # raises MismatchError if it does not hold
    required: bool = True  # by the load; without these a server is not measured
    limit_s: float = LIMIT_S


def turns(*pairs: tuple[bytes, bytes], piece_bytes: int = 0) -> Callable[[Peer], None]:
    """An exchange of requests, each with its exact reply, one after the other."""

    def run(peer: Peer) -> None:
        for request, reply in pairs:
            peer.send(request, piece_bytes=piece_bytes)
            peer.expect(reply)

    return run


def pipelined(*pairs: tuple[bytes, bytes]) -> Callable[[Peer], None]:
    """All requests at once, and then the replies in their order."""
    requests, replies = zip(*pairs, strict=True)
    return turns((b"".join(requests), b"".join(replies)))


def then_half_close(content: bytes, reply: bytes) -> Callable[[Peer], None]:
    """A request, and the end of what the client sends: its reply comes, and then the end."""

    def run(peer: Peer) -> None:
        peer.send(content)
        peer.half_close()
        peer.expect(reply)
        peer.expect_end()

    return run


def then_ends(request: bytes, reply: bytes) -> Callable[[Peer], None]:
    """A request after whose reply the server closes the connection."""

    def run(peer: Peer) -> None:
        peer.send(request)
        peer.expect(reply)
        peer.expect_end()

    return run
