"""A server says how often its threads were switched, those that have ended included."""

from __future__ import annotations

import resource

from serverlab.machine import sampler
from serverlab.records import Switches
from tests.conformance.peers import is_echoed
from tests.conformance.server import Server, serving

THREADS = 4
CONNECTIONS, REQUESTS = 100, 5


def switches(server: Server) -> Switches:
    """What the laboratory counts: what the server says of itself, and what /proc has of others."""
    said = server.usage()["switches"]
    return Switches(**said) + sampler.switches_of_children(server.pid)


def of_all_children() -> Switches:
    """Context switches of all processes that this one has waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Switches(voluntary=usage.ru_nvcsw, involuntary=usage.ru_nivcsw)


def test_the_switches_of_all_threads_are_those_that_the_kernel_charges(engine: str) -> None:
    before = of_all_children()
    with serving(engine, connections=THREADS) as server:
        for _ in range(CONNECTIONS):
            with server.connect() as peer:
                assert all(is_echoed(peer, b"hello") for _ in range(REQUESTS))
        counted = switches(server)
        server.ask_to_stop()
        server.summary()
    charged = of_all_children() - before
    # A stop takes switches, too: each thread waits a few times. How often a thread that stops is
    # preempted, while a sanitizer looks for leaks, only the rest of the machine decides.
    assert charged.voluntary - 100 <= counted.voluntary <= charged.voluntary
    assert counted.involuntary <= charged.involuntary


def test_a_server_goes_on_while_it_is_asked(engine: str) -> None:
    with serving(engine, connections=THREADS) as server, server.connect() as peer:
        told = []
        for _ in range(20):
            told.append(switches(server))
            assert is_echoed(peer, b"hello")
        assert told == sorted(told, key=lambda one: one.voluntary + one.involuntary)
