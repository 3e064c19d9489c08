"""Both key-value services: what the report's server said, garbage, and stores without locks."""

from __future__ import annotations

import socket
from collections.abc import Callable

import pytest

from tests.conformance.commands import run
from tests.conformance.feedings import FEEDINGS, Chunks
from tests.conformance.loads import load
from tests.conformance.peers import receive_all, receive_exactly
from tests.conformance.programs import SERVER, engine_row, engines
from tests.conformance.server import serving

# What was said to the report's server, and what it said.
EXCHANGES = [
    (b'{"key":"7","type":"GET","value":""}', b'{"code":404,"key":"7","type":"GET","value":""}'),
    (b'{"key":"7","type":"POST","value":"13"}',
     b'{"code":200,"key":"7","type":"POST","value":"13"}'),
    (b'{"key":"7","type":"GET","value":""}', b'{"code":200,"key":"7","type":"GET","value":"13"}'),
    (b'{"key":"7","type":"PUT"}', b'{"code":400,"key":"","type":"INVALID","value":""}'),
    (b'{"key":7,"type":"POST","value":0}', b'{"code":200,"key":"7","type":"POST","value":"0"}'),
    (b'{"key":"7","type":"GET","version":-1}', b'{"code":200,"key":"7","type":"GET","value":"0"}'),
]  # fmt: skip


@pytest.mark.parametrize("feeding", FEEDINGS)
def test_the_reports_exchanges_happen_however_they_are_cut(
    engine: str, feeding: Callable[[Chunks], Chunks]
) -> None:
    replies = b"".join(reply for _, reply in EXCHANGES)
    with serving(engine, "--service=kv-json") as server, server.connect() as peer:
        for chunk in feeding([request for request, _ in EXCHANGES]):
            peer.sendall(chunk)
        assert receive_exactly(peer, len(replies)) == replies
        peer.shutdown(socket.SHUT_WR)
        assert receive_all(peer) == b""


@pytest.mark.parametrize(
    ("service", "garbage"),
    [
        ("kv-json", b"hello"),
        ("kv-json", b'{"a":' * 200),
        ("kv-resp", b"*1\r\n$-1\r\n"),
        ("kv-resp", b"a" * 100_000),
    ],
)
def test_garbage_is_answered_and_then_the_conversation_ends(
    engine: str, service: str, garbage: bytes
) -> None:
    with serving(engine, f"--service={service}") as server, server.connect() as peer:
        peer.sendall(garbage)
        last_words = receive_all(peer)
    assert last_words.startswith((b'{"code":400,', b"-ERR Protocol error: "))


def moving_engines() -> list[str]:
    """The engines that advance a session by one thread and then by another."""
    return [name for name in engines() if not engine_row(name).sessions_stay]


@pytest.mark.parametrize("service", ["kv-json", "kv-resp"])
@pytest.mark.parametrize("moving", moving_engines())
def test_an_engine_that_moves_sessions_cannot_do_without_locks(moving: str, service: str) -> None:
    ended = run(SERVER, f"--engine={moving}", f"--service={service}", "--kv-lock=none-per-loop")
    assert ended.status == 2
    sentence = ended.sentence("serverlab-server")
    assert f"'{moving}' moves sessions" in sentence
    assert f"'{service}' keeps no lock" in sentence


def test_an_engine_whose_sessions_stay_does_without_locks(engine: str) -> None:
    if engine in moving_engines():
        pytest.skip(f"{engine} moves sessions from thread to thread")
    with serving(engine, "--service=kv-resp", "--kv-lock=none-per-loop") as server:
        settings = ["--service=kv-resp", "--connections=32", "--depth=4", "--kv-keys=10"]
        assert load(server, *settings).result["verdict"]["name"] == "VALID"


def test_the_summary_tells_keys_and_waits_for_locks(engine: str) -> None:
    with serving(engine, "--service=kv-resp", "--kv-shards=1") as server:
        load(server, "--service=kv-resp", "--connections=16", "--kv-keys=5", "--kv-get-share=0")
        server.ask_to_stop()
        figures = server.summary()["service"]
    assert figures["keys"] == 5
    assert figures["lock_waits"] >= 0
    assert (figures["lock_wait_s"] > 0) == (figures["lock_waits"] > 0)
