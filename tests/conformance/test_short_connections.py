"""Short connections come and go, and nothing of them stays: no descriptor, thread or memory.

SERVERLAB_CHURN says how many come; `make check-churn` lets them be 100 000.
"""

from __future__ import annotations

import os

import pytest

from serverlab.machine import sampler
from tests.conformance.loads import RIGHT, load
from tests.conformance.programs import is_sanitized
from tests.conformance.server import Server, serving
from tests.waiting import DEADLINE_S, until

CONNECTIONS = int(os.environ.get("SERVERLAB_CHURN", "500" if is_sanitized() else "2000"))
AT_A_TIME = 20
# Far less than the smallest object of a connection; and what an allocator takes in passing.
LEAK_MAX_BYTES = CONNECTIONS * 16 + (1 << 20)
LEAST_PER_S = 400  # connections, of a server that is not stuck, however busy the machine is


def come_and_go(server: Server) -> None:
    """Let so many connections come, make one request each, and leave."""
    came = 0
    while came < CONNECTIONS:
        result = load(
            server, "--model=churn", f"--connections={AT_A_TIME}", "--warmup=0s", "--duration=1s"
        ).result
        assert result["verdict"]["name"] in RIGHT, result["verdict"]
        came += result["connect_ns"]["count"]


@pytest.mark.timeout(2 * DEADLINE_S + 2 * CONNECTIONS / LEAST_PER_S)
def test_nothing_of_many_short_connections_stays(engine: str) -> None:
    with serving(engine, connections=AT_A_TIME) as server:
        come_and_go(server)
        before = sampler.sample(server.pid)
        come_and_go(server)

        def has_no_more() -> bool:
            now = sampler.sample(server.pid)
            return now.descriptors <= before.descriptors and now.threads <= before.threads

        until(has_no_more, "no more descriptors and threads than before")
        if not is_sanitized():  # the address sanitizer keeps what has been freed for a while
            assert server.rss_bytes() < before.rss_bytes + LEAK_MAX_BYTES
