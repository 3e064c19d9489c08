"""Rare orders of events: threads are delayed wherever they hand something over.

A release build has no such delays. A seed that fails once more under the same name is a finding:
`SERVERLAB_BUILD=tsan .venv/bin/pytest tests/hostile/test_perturbed.py -k "SEED and ENGINE"`.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.conformance.peers import exchange, is_echoed, some_bytes
from tests.conformance.programs import engine_row
from tests.conformance.server import Server, serving

SEEDS = [1, 2, 3]
CLIENTS = 8
ROUNDS = 10

pytestmark = pytest.mark.sanitized


def converse(server: Server, number: int, ready: threading.Barrier) -> None:
    """Connect, ask and leave in several ways; and be in the middle of it when the stop comes."""
    for turn in range(ROUNDS):
        with server.connect() as peer:
            assert is_echoed(peer, b"hello")
            if (number + turn) % 3 == 0:
                assert exchange(peer, request := some_bytes(20_000, seed=turn)) == request
            elif (number + turn) % 3 == 1:
                peer.sendall(b"goodbye")
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    with server.connect() as peer:
        assert is_echoed(peer, b"hello")
        ready.wait()
        with contextlib.suppress(ConnectionError):
            while is_echoed(peer, b"and now?"):
                pass


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: f"seed-{seed}")
def test_an_engine_serves_and_stops_however_its_threads_are_delayed(engine: str, seed: int) -> None:
    threads = [] if "threads" in engine_row(engine).unsupported_settings else ["--threads=3"]
    if engine_row(engine).thread_per_connection:
        threads = [f"--threads={CLIENTS + 1}"]
    ready = threading.Barrier(CLIENTS + 1)
    with (
        serving(engine, *threads, prefix=["env", f"SERVERLAB_PERTURB={seed}"]) as server,
        ThreadPoolExecutor(CLIENTS) as pool,
    ):
        asked = [pool.submit(converse, server, number, ready) for number in range(CLIENTS)]
        with contextlib.suppress(threading.BrokenBarrierError):  # a client failed: it says why
            ready.wait()
        server.ask_to_stop()
        for one in asked:
            one.result()
