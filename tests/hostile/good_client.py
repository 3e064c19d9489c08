"""A client that keeps to the protocol, while others do not.

`pytest -rP` shows what it found: how long its replies took, and what was left of the attack.
"""

from __future__ import annotations

import contextlib
import socket
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from serverlab.machine import sampler
from tests.conformance.peers import receive_exactly
from tests.conformance.programs import sanitizers
from tests.conformance.server import Server
from tests.waiting import until

PAUSE_S = 0.001  # between two exchanges
IDLE_S = 0.5
CPU_MAX_S = 0.05  # in that time: a loop that spins uses all of it

# What the allocator and the kernel's buffers keep of a past crowd; a sanitizer keeps what is freed,
# and the thread sanitizer up to 1.3 MiB for each of 50 threads that have ended.
KEPT_MIB_MAX = {"thread": 128, "address": 64}
KEPT_BYTES_MAX = max((KEPT_MIB_MAX.get(one, 8) for one in sanitizers()), default=8) << 20


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request, whatever was asked before, and the reply to it."""

    request: bytes
    reply: bytes


EXCHANGES = {
    "echo": Exchange(b"there and back again", b"there and back again"),
    "bucket": Exchange(b"0,0\n", b"0\n"),
    "forum": Exchange(b"COUNT@nothing\n", b"0\n"),
    "http": Exchange(
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 13\r\n\r\nHello, World!",
    ),
    "kv-json": Exchange(
        b'{"key":"none","type":"GET","value":""}',
        b'{"code":404,"key":"none","type":"GET","value":""}',
    ),
    "kv-resp": Exchange(b"*1\r\n$4\r\nPING\r\n", b"+PONG\r\n"),
}


def is_answered(peer: socket.socket, service: str) -> bool:
    """Whether the service replies as it must on a connection that stays open."""
    exchange = EXCHANGES[service]
    peer.sendall(exchange.request)
    return receive_exactly(peer, len(exchange.reply)) == exchange.reply


@contextlib.contextmanager
def good_client(server: Server, service: str) -> Iterator[None]:
    """Let a client ask again and again during the block, and expect each reply.

    When the block has ended, the server has to be as idle as it was before: no more descriptors and
    threads, no CPU time, memory within a bound; and it serves another connection.
    """
    ended = threading.Event()

    def ask_on(peer: socket.socket) -> list[float]:
        latencies_s: list[float] = []
        while not latencies_s or not ended.wait(PAUSE_S):
            asked_s = time.monotonic()
            assert is_answered(peer, service), f"after {len(latencies_s)} right replies"
            latencies_s.append(time.monotonic() - asked_s)
        return sorted(latencies_s)

    with server.connect() as peer, ThreadPoolExecutor(1) as pool:
        assert is_answered(peer, service), "before the attack"
        asked = pool.submit(ask_on, peer)
        try:
            # Of many processes this takes as long as a short timeout: the client asks meanwhile.
            before = sampler.sample(server.pid)
            yield
        finally:
            ended.set()
        latencies_s = asked.result()
        assert is_answered(peer, service), "after the attack"
        with server.connect() as another:
            assert is_answered(another, service), "on another connection"
        p99_ms = 1e3 * latencies_s[int(0.99 * (len(latencies_s) - 1))]
        sys.stdout.write(f"{len(latencies_s)} right replies meanwhile, p99 {p99_ms:.1f} ms\n")
        expect_as_idle_as(server, before)


def expect_as_idle_as(server: Server, before: sampler.Sample) -> None:
    """Expect that nothing of an attack is left."""

    def has_no_more() -> bool:
        now = sampler.sample(server.pid)
        return now.descriptors <= before.descriptors and now.threads <= before.threads

    until(has_no_more, "no more descriptors and threads than before")
    cpu_s = server.cpu_used_within_s(IDLE_S)
    kept_bytes = server.rss_bytes() - before.rss_bytes
    sys.stdout.write(f"afterwards {kept_bytes >> 10} KiB and {1e3 * cpu_s:.1f} ms of CPU time\n")
    assert cpu_s < CPU_MAX_S
    assert kept_bytes < KEPT_BYTES_MAX
