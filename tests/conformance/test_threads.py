"""What only the engine `threads` does."""

from __future__ import annotations

import pytest

from tests.conformance.peers import connected, is_echoed
from tests.conformance.server import serving
from tests.waiting import until

pytestmark = pytest.mark.of_engine("threads")


def test_an_ended_connection_is_closed_when_the_next_one_comes_if_that_is_asked_for() -> None:
    with serving("threads", "--close-by=main", "--stamps=on") as server:
        with connected(server, 3) as peers:
            assert all(is_echoed(peer, b"hello") for peer in peers)
            with_three = server.descriptors()
        assert server.cpu_used_within_s(0.2) >= 0
        assert server.descriptors() == with_three
        with server.connect() as peer:
            assert is_echoed(peer, b"hello")
            until(lambda: server.descriptors() == with_three - 2, "the three are closed")
        server.ask_to_stop()
        open_ns = server.summary()["stamps"]["connection_ns"]
        assert open_ns["count"] == 4
        assert open_ns["max"] > 0.2e9
