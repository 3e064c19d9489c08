"""What a load makes the network carry, and how many of its requests that could carry."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from serverlab.load_result import LoadResult

# Of Ethernet, with the headers of IP and of TCP with time stamps.
SEGMENT_BYTES = 1448
HEADERS_BYTES = 66


def on_the_wire(load: LoadResult) -> float:
    """Bytes a second in the direction that has more, in as few segments as can be."""
    if load.window.duration_s <= 0:
        return 0
    payload = max(load.bytes.sent, load.bytes.received)
    requests = load.requests.received
    # Requests that are in flight on a connection together may share a segment.
    segments = max(requests / load.load.depth, payload / SEGMENT_BYTES)
    return (payload + HEADERS_BYTES * segments) / load.window.duration_s


def ceiling_per_s(load: LoadResult, wire_bytes_per_s: float) -> float | None:
    """How many requests as those of a load the network carries a second; None without any."""
    carried = on_the_wire(load)
    if not carried or not load.requests.received:
        return None
    return load.requests.received / load.window.duration_s * wire_bytes_per_s / carried
