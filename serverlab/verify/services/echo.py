"""Echo: the same bytes come back (RFC 862)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serverlab.verify.asked import reuses_connections
from serverlab.verify.exchange import Exchange, pipelined, then_half_close, turns

if TYPE_CHECKING:
    from collections.abc import Mapping

LARGE = bytes(range(256)) * 1024
EVERY_BYTE = bytes(range(256))


def exchanges(load: Mapping[str, str]) -> list[Exchange]:
    """What an echo server does."""
    hello = (b"hello", b"hello")
    return [
        Exchange(name="a message comes back", run=turns(hello)),
        Exchange(name="every byte comes back as it is", run=turns((EVERY_BYTE, EVERY_BYTE))),
        Exchange(
            name="a connection carries several messages",
            run=turns(hello, hello, hello),
            required=reuses_connections(load),
        ),
        Exchange(name="messages that come at once come back", run=pipelined(*[hello] * 100)),
        Exchange(name="a message byte by byte comes back", run=turns(hello, piece_bytes=1)),
        Exchange(name="a message of 256 KiB comes back", run=turns((LARGE, LARGE))),
        Exchange(
            name="after a half-close the rest comes back, and then the end",
            run=then_half_close(LARGE, LARGE),
        ),
    ]
