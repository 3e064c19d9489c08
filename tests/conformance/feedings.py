"""Six ways in which a network may cut requests into chunks, as in tests/services/feeding.h."""

from __future__ import annotations

from collections.abc import Callable

Chunks = list[bytes]


def whole(requests: Chunks) -> Chunks:
    """A request a chunk."""
    return requests


def by_bytes(requests: Chunks) -> Chunks:
    """A byte a chunk."""
    return [bytes([byte]) for request in requests for byte in request]


def glued(requests: Chunks) -> Chunks:
    """Two requests a chunk."""
    return [b"".join(requests[first : first + 2]) for first in range(0, len(requests), 2)]


def with_a_tail(requests: Chunks) -> Chunks:
    """A request and the first half of the next."""
    begun = [0, *((len(request) + 1) // 2 for request in requests[1:])]
    tails = [request[:size] for request, size in zip(requests[1:], begun[1:], strict=True)]
    return [
        request[size:] + tail
        for request, size, tail in zip(requests, begun, [*tails, b""], strict=True)
    ]


def cut(requests: Chunks) -> Chunks:
    """Each request in two chunks."""
    halves = ((request[: len(request) // 2], request[len(request) // 2 :]) for request in requests)
    return [half for pair in halves for half in pair if half]


def oversized(requests: Chunks) -> Chunks:
    """All requests in one chunk."""
    return [b"".join(requests)]


FEEDINGS: list[Callable[[Chunks], Chunks]] = [whole, by_bytes, glued, with_a_tail, cut, oversized]
