"""A server gives up what it does not need before a peer can send it anything."""

from __future__ import annotations

import os
from pathlib import Path

import psutil
import pytest

from tests.conformance.peers import connected, is_echoed
from tests.conformance.server import serving

NET_BIND_SERVICE, NET_ADMIN = 1 << 10, 1 << 12  # linux/capability.h
NONE = "0" * 16
UNTIL_IT_LISTENS = NET_BIND_SERVICE | NET_ADMIN

FILTERED = "2"  # proc_pid_status(5)


def status_of(pid: int) -> list[dict[str, str]]:
    """What the kernel says of each thread of a process."""
    tasks = Path("/proc", str(pid), "task").iterdir()
    texts = [(task / "status").read_text(encoding="ascii") for task in tasks]
    return [
        dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line) for text in texts
    ]


@pytest.mark.skipif(os.geteuid() != 0, reason="this machine's user is not root")
def test_a_server_of_root_has_no_privileges_when_it_serves(engine: str) -> None:
    with serving(engine) as server, connected(server, 3) as peers:
        assert all(is_echoed(peer, b"hello") for peer in peers)
        threads = status_of(server.pid)
        assert NONE in {thread["CapPrm"] for thread in threads}  # of the one that has listened
        for thread in threads:
            assert int(thread["CapPrm"], 16) & ~UNTIL_IT_LISTENS == 0
            assert thread["NoNewPrivs"] == "1"


def test_no_thread_and_no_process_of_a_server_can_run_a_program(engine: str) -> None:
    with serving(engine) as server, connected(server, 3) as peers:
        assert all(is_echoed(peer, b"hello") for peer in peers)
        processes = [psutil.Process(server.pid), *psutil.Process(server.pid).children()]
        for process in processes:
            for thread in status_of(process.pid):
                assert thread["Seccomp"] == FILTERED
                assert thread["NoNewPrivs"] == "1"
