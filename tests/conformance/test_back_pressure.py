"""A peer that does not read its replies stops the server's reading, and costs bounded memory."""

from __future__ import annotations

import pytest

from tests.conformance.applying import runs_sessions
from tests.conformance.peers import (
    connected,
    is_echoed,
    receive_exactly,
    send_until_blocked,
    send_until_stuck,
    some_bytes,
)
from tests.conformance.programs import is_sanitized, is_thread_sanitized
from tests.conformance.server import serving

SLOW_READERS = 4

# Of unsent output a connection may hold the high-water mark, and one read beyond it: 320 KiB. With
# uring-multishot it is up to 32 reads of 16 KiB, which come before they can be stopped. The growth
# of a buffer doubles that, and while it is copied there are two. Sanitizers pad and keep, and that
# of threads has four bytes of its own for each.
SANITIZED = 8 if is_thread_sanitized() else 4 if is_sanitized() else 1
RSS_GROWTH_MAX_BYTES = SLOW_READERS * (2 << 20) * SANITIZED

# An engine's own buffers are not a connection's memory, but are resident only from their first use:
# those of a ring, 4 MiB in all, take turns.
WARM_UP_ROUNDS, WARM_UP_BYTES = 16, 1_000_000

IDLE_S = 0.5
CPU_MAX_S = 0.05  # in that time: a loop that asks a full socket again and again uses all of it


@pytest.mark.engines(that=runs_sessions)
def test_a_full_socket_is_waited_for_and_not_asked_again_and_again(engine: str) -> None:
    with serving(engine) as server, server.connect(buffer_bytes=1 << 18) as slow:
        sent = send_until_stuck(server, slow, some_bytes(64_000_000))
        assert server.cpu_used_within_s(IDLE_S) < CPU_MAX_S
        assert receive_exactly(slow, sent) == some_bytes(sent)


@pytest.mark.engines(that=runs_sessions)  # test_sockmap.py tells what the kernel does instead
def test_slow_readers_hold_a_bounded_memory_and_get_everything_in_the_end(engine: str) -> None:
    request = some_bytes(64_000_000)
    with serving(engine) as server, server.connect() as witness:
        for _ in range(WARM_UP_ROUNDS):
            assert is_echoed(witness, request[:WARM_UP_BYTES])
        before_bytes = server.rss_bytes()
        with connected(server, SLOW_READERS, buffer_bytes=1 << 18) as slow_readers:
            sent = [send_until_blocked(peer, request) for peer in slow_readers]
            assert max(sent) < len(request), "it reads on, though its replies are not taken"
            assert server.rss_bytes() - before_bytes < RSS_GROWTH_MAX_BYTES
            assert is_echoed(witness, b"others are answered meanwhile")
            for peer, size in zip(slow_readers, sent, strict=True):
                assert receive_exactly(peer, size) == request[:size]
                assert is_echoed(peer, b"and it is answered again")
