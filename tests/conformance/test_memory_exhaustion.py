"""Without memory for one more connection, that one is hung up on, and the others are served."""

from __future__ import annotations

import contextlib

import pytest

from tests.conformance.peers import is_echoed
from tests.conformance.programs import is_sanitized
from tests.conformance.server import serving

ADDRESSES_BYTES = 300 << 20  # some hundred stacks of 256 KiB, and what the C library takes
TOO_MANY = 3_000


@pytest.mark.skipif(is_sanitized(), reason="sanitizers reserve more addresses than there are")
def test_threads_without_memory_for_another_hang_up_on_it_alone() -> None:
    prefix = ["prlimit", f"--as={ADDRESSES_BYTES}"]
    with serving("threads", prefix=prefix) as server, contextlib.ExitStack() as open_peers:
        witness = open_peers.enter_context(server.connect())
        assert is_echoed(witness, b"I came first")
        served = 0
        for _ in range(TOO_MANY):
            peer = open_peers.enter_context(server.connect())
            with contextlib.suppress(ConnectionError):
                served += is_echoed(peer, b"is there room for me?")
        assert 0 < served < TOO_MANY
        assert is_echoed(witness, b"and I am still here")
