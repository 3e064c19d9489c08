"""How long a loop spins before it sleeps is as the setting says."""

from __future__ import annotations

from tests.conformance.peers import is_echoed
from tests.conformance.server import serving

IDLE_S = 0.2


def waits_while_idle(*settings: str) -> int:
    """How often a server without requests looks for events."""
    with serving("epoll-spin", *settings) as server, server.connect() as peer:
        assert is_echoed(peer, b"hello")
        server.cpu_used_within_s(IDLE_S)
        peer.close()
        server.ask_to_stop()
        waits: int = server.summary()["syscalls"]["wait"]
        return waits


def test_a_loop_that_may_spin_for_ever_asks_again_and_again() -> None:
    assert waits_while_idle("--spin=1h") > 200


def test_a_loop_that_may_not_spin_asks_once_and_sleeps() -> None:
    assert waits_while_idle("--spin=0s") < 20
