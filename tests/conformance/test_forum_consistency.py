"""Posters and readers at once: no reply is wrong, and no message is lost or stored twice.

SERVERLAB_CONSISTENCY_S says how long each load lasts; `make check-consistency` lets it last longer.
"""

from __future__ import annotations

import os

import pytest

from tests.conformance.loads import load
from tests.conformance.server import Server, serving

pytestmark = pytest.mark.service("forum")

DURATION_S = float(os.environ.get("SERVERLAB_CONSISTENCY_S", "1"))
POSTERS = 8
READERS = 8


def counted(server: Server, topics: str) -> int:
    """How many messages the forum says that the topics of a load have."""
    names = ["@Topic"] if topics == "shared" else [f"@Topic{number}" for number in range(POSTERS)]
    with server.connect() as peer, peer.makefile("rwb") as lines:
        lines.writelines(f"COUNT{name}\n".encode() for name in names)
        lines.flush()
        return sum(int(lines.readline()) for _ in names)


@pytest.mark.parametrize(
    ("topics", "lock", "depth"),
    [("own", "shared", 1), ("shared", "shared", 4), ("own", "sharded", 4)],
)
def test_every_reply_is_right_and_every_post_is_counted(
    engine: str, topics: str, lock: str, depth: int
) -> None:
    with serving(engine, "--service=forum", f"--forum-lock={lock}") as server:
        result = load(
            server,
            "--service=forum",
            f"--connections={POSTERS + READERS}",
            f"--forum-posters={POSTERS}",
            f"--forum-topics={topics}",
            f"--depth={depth}",
            "--forum-reads=walk",
            "--forum-asks=all",
            "--forum-validate=on",
            "--threads=2",
            "--warmup=0s",
            f"--duration={DURATION_S}s",
        ).result
        assert result["requests"]["errors"] == {}
        assert result["requests"]["unanswered"] == 0
        acknowledged = result["classes"]["post"]["count"]
        assert acknowledged > 0
        assert result["classes"]["read"]["count"] > 0
        assert counted(server, topics) == acknowledged
        server.ask_to_stop()
        assert server.summary()["service"]["messages"] == acknowledged
