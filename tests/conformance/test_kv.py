"""Both key-value services: what the report's server said, garbage, and stores without locks."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable

import pytest

from serverlab.design.catalog import Engine
from tests.conformance.commands import run
from tests.conformance.feedings import FEEDINGS, Chunks
from tests.conformance.loads import RIGHT, load
from tests.conformance.peers import await_delivery, receive_all, receive_exactly
from tests.conformance.programs import SERVER
from tests.conformance.server import serving

pytestmark = pytest.mark.service("kv-resp")

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


def test_a_full_store_refuses_to_grow_and_serves_on(engine: str) -> None:
    value = b"v" * 100_000
    put = b"*3\r\n$3\r\nSET\r\n$1\r\n%d\r\n$%d\r\n%s\r\n"
    refusal = b"-OOM command not allowed when used memory > 'maxmemory'.\r\n"
    with serving(engine, "--service=kv-resp", "--kv-capacity=500000") as server:
        with server.connect() as peer:
            for key in range(4):
                peer.sendall(put % (key, len(value), value))
                assert receive_exactly(peer, 5) == b"+OK\r\n"
            peer.sendall(put % (4, len(value), value))
            assert receive_exactly(peer, len(refusal)) == refusal
            peer.sendall(b"STRLEN 3\r\nDEL 0\r\n")
            assert receive_exactly(peer, 13) == b":100000\r\n:1\r\n"
            peer.sendall(put % (4, len(value), value))
            assert receive_exactly(peer, 5) == b"+OK\r\n"
        server.ask_to_stop()
        figures = server.summary()["service"]
    assert figures["keys"] == 4
    assert 4 * len(value) < figures["held_bytes"] <= 500_000


def resp(*words: bytes) -> bytes:
    """A request of the Redis protocol."""
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%b\r\n" % (len(w), w) for w in words)


def test_a_command_of_many_keys_is_answered_in_turns_beside_other_clients(engine: str) -> None:
    keys = [b"%d" % number for number in range(20_000)]
    pairs = [word for key in keys for word in (key, b"v")]
    with (
        serving(engine, "--service=kv-resp") as server,
        server.connect() as peer,
        server.connect() as other,
    ):
        for request, reply in [
            (resp(b"MSET", *pairs), b"+OK\r\n"),
            (resp(b"EXISTS", *keys), b":20000\r\n"),
            (resp(b"MGET", *keys), b"*20000\r\n" + 20_000 * b"$1\r\nv\r\n"),
            (resp(b"DEL", *keys, b"none"), b":20000\r\n"),
        ]:
            peer.sendall(request)
            other.sendall(resp(b"PING"))
            assert receive_exactly(other, 7) == b"+PONG\r\n"
            assert receive_exactly(peer, len(reply)) == reply


def is_of_one_loop(engine: Engine) -> bool:
    return "threads" in engine.unsupported_settings and not engine.in_kernel


@pytest.mark.engines(that=lambda row: row.name != "threads" and is_of_one_loop(row))
def test_a_command_of_many_keys_does_not_hold_its_loop(engine: str) -> None:
    pairs = [word for number in range(20_000) for word in (b"%d" % number, b"v")]
    request = resp(b"MSET", *pairs)
    with (
        serving(engine, "--service=kv-resp") as server,
        server.connect() as peer,
        server.connect() as other,
    ):
        peer.sendall(request[:-1])
        for _ in range(100):  # by then all of it has been read
            other.sendall(resp(b"PING"))
            assert receive_exactly(other, 7) == b"+PONG\r\n"
        os.kill(server.pid, signal.SIGSTOP)
        peer.sendall(request[-1:])
        await_delivery(peer)
        other.sendall(resp(b"EXISTS", b"19999"))
        await_delivery(other)
        os.kill(server.pid, signal.SIGCONT)
        assert receive_exactly(other, 4) == b":0\r\n"
        assert receive_exactly(peer, 5) == b"+OK\r\n"
        other.sendall(resp(b"EXISTS", b"19999"))
        assert receive_exactly(other, 4) == b":1\r\n"


def keeps_sessions(engine: Engine) -> bool:
    """Whether one thread advances a session from its begin to its end."""
    return engine.sessions_stay


def moves_sessions(engine: Engine) -> bool:
    """Whether a session is advanced by one thread and then by another."""
    return not engine.sessions_stay


@pytest.mark.parametrize("service", ["kv-json", "kv-resp"])
@pytest.mark.engines(that=moves_sessions)
def test_an_engine_that_moves_sessions_cannot_do_without_locks(engine: str, service: str) -> None:
    ended = run(SERVER, f"--engine={engine}", f"--service={service}", "--kv-lock=none-per-loop")
    assert ended.status == 2
    sentence = ended.sentence("serverlab-server")
    assert f"'{engine}' moves sessions" in sentence
    assert f"'{service}' has no lock" in sentence


@pytest.mark.engines(that=keeps_sessions)
def test_an_engine_whose_sessions_stay_does_without_locks(engine: str) -> None:
    with serving(engine, "--service=kv-resp", "--kv-lock=none-per-loop") as server:
        settings = ["--service=kv-resp", "--connections=32", "--depth=4", "--kv-keys=10"]
        assert load(server, *settings).result["verdict"]["name"] in RIGHT


def test_the_summary_tells_keys_and_waits_for_locks(engine: str) -> None:
    with serving(engine, "--service=kv-resp", "--kv-shards=1") as server:
        load(server, "--service=kv-resp", "--connections=16", "--kv-keys=5", "--kv-get-share=0")
        server.ask_to_stop()
        figures = server.summary()["service"]
    assert figures["keys"] == 5
    assert figures["lock_waits"] >= 0
    assert (figures["lock_wait_s"] > 0) == (figures["lock_waits"] > 0)
