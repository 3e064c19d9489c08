"""What select cannot do, it does not try: a connection beyond its sets is closed."""

from __future__ import annotations

import contextlib

from tests.conformance.peers import connected, is_echoed
from tests.conformance.server import serving

CLIENTS = 1_100
SETS_END = 1_024


def test_a_connection_beyond_the_sets_is_closed_and_the_others_are_served() -> None:
    with serving("select") as server, connected(server, CLIENTS) as peers:
        served = []
        for peer in peers:
            with contextlib.suppress(ConnectionError):
                if is_echoed(peer, b"hello"):
                    served.append(peer)
        assert SETS_END - 20 < len(served) < SETS_END
        assert server.descriptors() == SETS_END
        served.pop().close()
        assert is_echoed(served[0], b"others have gone")
        with server.connect() as successor:
            assert is_echoed(successor, b"there is room again")
