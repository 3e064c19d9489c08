"""A server has the threads that its engine's model has, and no other."""

from __future__ import annotations

import pytest

from serverlab.design.catalog import Engine
from serverlab.machine import sampler
from tests.conformance.peers import connected, is_echoed
from tests.conformance.server import serving

CONNECTIONS = 3


def has_no_choice_of_threads(row: Engine) -> bool:
    """Whether the model says how many threads there are, and not a setting."""
    return "threads" in row.unsupported_settings


def threads_of(engine: str) -> int:
    """How many threads serve the connections."""
    return 1 + CONNECTIONS if engine == "threads" else 1


@pytest.mark.unsanitized  # the thread sanitizer has a thread of its own
@pytest.mark.engines(that=has_no_choice_of_threads)
def test_a_server_has_no_thread_beside_those_of_its_model(engine: str) -> None:
    """With a second thread each system call of a process costs more."""
    with serving(engine) as server, connected(server, CONNECTIONS) as peers:
        assert all(is_echoed(peer, b"hello") for peer in peers)
        names = [(task / "comm").read_text(encoding="ascii") for task in sampler.tasks(server.pid)]
        assert len(names) == threads_of(engine), names
