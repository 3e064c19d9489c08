"""The engine that forks: what holds of its processes one by one, and of all of them together."""

from __future__ import annotations

import os
import resource
import signal
from collections import Counter
from pathlib import Path

import pytest

from serverlab.machine import sampler
from tests.conformance.peers import connected, hears_something, is_echoed, receive_all
from tests.conformance.server import Server, serving
from tests.waiting import until

pytestmark = pytest.mark.of_engine("processes")

PROCESSES = 3
THREE = f"--threads={PROCESSES}"
CPU_MAX_S = 0.05  # in half a second: looking again every 50 ms takes less, spinning takes it all


def workers(server: Server) -> list[int]:
    """The processes that it has forked."""
    return sampler.processes(server.pid)[1:]


def notices(server: Server) -> list[str]:
    """What it says went wrong, once it has been stopped."""
    server.ask_to_stop()
    server.summary()
    return [event["text"] for event in server.events if event["event"] == "notice"]


def test_as_many_processes_serve_as_were_asked_for_and_die_with_their_parent() -> None:
    with serving("processes", THREE) as server:
        forked = workers(server)
        assert len(forked) == PROCESSES
        with server.connect() as peer:
            assert is_echoed(peer, b"hello")
            server.process.kill()
            server.expect_killed_by(signal.SIGKILL)
            assert receive_all(peer) == b""
        until(lambda: not any(map(is_running, forked)), "they are gone with their parent")


def is_running(pid: int) -> bool:
    """Whether there is such a process."""
    return Path("/proc", str(pid)).exists()


def test_a_process_that_dies_takes_its_connection_with_it_and_is_replaced() -> None:
    with serving("processes", THREE) as server, connected(server, PROCESSES) as peers:
        for peer in peers:
            assert is_echoed(peer, b"hello")
        (victim, *_) = workers(server)
        os.kill(victim, signal.SIGABRT)
        until(lambda: any(map(hears_something, peers)), "a connection has ended")
        until(lambda: len(set(workers(server)) - {victim}) == PROCESSES, "it has been replaced")
        with server.connect() as another:
            assert is_echoed(another, b"are you in order again?")
        assert notices(server) == [f"process {victim} was ended by SIGABRT"]


def test_processes_that_die_at_once_are_no_fork_storm() -> None:
    with serving("processes", THREE) as server:
        killed: list[int] = []
        began_s = server.cpu_s()
        while len(killed) < 2 * PROCESSES:
            for pid in set(workers(server)) - set(killed):
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)
        assert server.cpu_s() - began_s < 10 * CPU_MAX_S
        assert Counter(notices(server)) == {
            f"process {pid} was ended by SIGKILL": 1 for pid in killed
        }


def test_a_process_without_a_free_descriptor_waits_for_one_and_does_not_spin() -> None:
    with serving("processes", "--threads=1") as server:
        (worker,) = workers(server)
        until(server.sleeps, "the process waits for a connection, and opens no more descriptors")
        before = resource.prlimit(worker, resource.RLIMIT_NOFILE)
        resource.prlimit(worker, resource.RLIMIT_NOFILE, (sampler.descriptors(worker), before[1]))
        server.connect().close()  # which may get what it has kept since it began to wait
        with server.connect() as second:
            second.sendall(b"hello")
            assert server.cpu_used_within_s(0.5) < CPU_MAX_S
            assert not hears_something(second)
            resource.prlimit(worker, resource.RLIMIT_NOFILE, before)
            until(lambda: hears_something(second), "it is answered")


def test_the_figures_of_a_server_are_those_of_all_its_processes() -> None:
    with serving("processes", THREE) as server, connected(server, PROCESSES) as peers:
        for peer in peers:
            for _ in range(200):
                assert is_echoed(peer, b"hello")
        seen = sampler.sample(server.pid)
        assert seen.threads == 1 + PROCESSES
        assert sampler.switches_of_children(server.pid).voluntary >= PROCESSES
        assert seen.cpu_s > sum(map(sampler.cpu_s, workers(server))) / 2
        assert seen.descriptors >= sum(map(sampler.descriptors, workers(server)))
        pss_bytes = sum(map(sampler.pss_bytes, workers(server)))
        assert seen.rss_bytes > pss_bytes / 2
