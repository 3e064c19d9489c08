"""A server that root has started gives up what it does not need."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.conformance.peers import connected, is_echoed
from tests.conformance.server import Server, serving

NET_BIND_SERVICE, NET_ADMIN = 1 << 10, 1 << 12  # linux/capability.h
UNTIL_IT_LISTENS = NET_BIND_SERVICE | NET_ADMIN

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="this machine's user is not root")


def status_of(server: Server) -> list[dict[str, str]]:
    """What the kernel says of each thread of its first process, the first one first."""
    tasks = sorted(Path("/proc", str(server.pid), "task").iterdir(), key=lambda one: int(one.name))
    texts = [(task / "status").read_text(encoding="ascii") for task in tasks]
    return [
        dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line) for text in texts
    ]


def test_a_server_of_root_has_no_privileges_when_it_serves(engine: str) -> None:
    with serving(engine) as server, connected(server, 3) as peers:
        assert all(is_echoed(peer, b"hello") for peer in peers)
        first, *others = status_of(server)
        assert first["CapEff"] == first["CapPrm"] == "0" * 16
        assert first["NoNewPrivs"] == "1"
        for thread in others:
            assert int(thread["CapPrm"], 16) & ~UNTIL_IT_LISTENS == 0
            assert thread["NoNewPrivs"] == "1"
