"""Redis's own programs and redis-py find nothing wrong with kv-resp, under every engine."""

from __future__ import annotations

import csv
import re
import socket
import threading
from collections.abc import Iterator

import pytest
import redis

from tests.conformance.commands import output_of
from tests.conformance.peers import receive_exactly, some_bytes
from tests.conformance.server import Server, serving
from tests.waiting import DEADLINE_S

pytestmark = pytest.mark.service("kv-resp")


@pytest.fixture(scope="module")
def server(engine: str) -> Iterator[Server]:
    """A kv-resp server of the engine, shared by the tests of this file."""
    with serving(engine, "--service=kv-resp") as running:
        yield running


def where(server: Server) -> list[str]:
    """The server's address, as Redis's programs are told it."""
    host, _, port = server.address.rpartition(":")
    return ["-h", host, "-p", port]


def cli(server: Server, *words: str, stdin: bytes = b"") -> str:
    """What redis-cli prints."""
    return output_of("redis-cli", *where(server), *words, stdin=stdin).decode()


def test_redis_cli_gets_what_it_has_set(server: Server) -> None:
    assert cli(server, "PING") == "PONG\n"
    assert cli(server, "SET", "k", "a value\r\n") == "OK\n"
    assert cli(server, "GET", "k") == "a value\r\n\n"
    assert cli(server, "GET", "no such key") == "\n"
    assert cli(server, "-r", "5", "INCR", "cli") == "1\n2\n3\n4\n5\n"
    assert cli(server, "-3", "MGET", "cli", "no such key") == "5\n\n"
    assert cli(server, "GET").startswith("ERR wrong number of arguments for 'get' command")


def test_redis_cli_runs_a_script_of_lines(server: Server) -> None:
    lines = b"SET 'a b' \"c\\x41\"\nGET 'a b'\nSTRLEN 'a b'\nFLUSHALL\nDBSIZE\n"
    assert cli(server, stdin=lines) == "OK\ncA\n2\nOK\n0\n"


def test_a_request_of_many_words_in_many_pieces_is_answered(server: Server) -> None:
    words = 10_000
    request = b"*%d\r\n$6\r\nEXISTS\r\n" % (words + 1) + b"$5\r\nwords\r\n" * words
    expected = b":%d\r\n" % words
    with server.connect() as peer:
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        peer.sendall(b"SET words many\r\n")
        assert receive_exactly(peer, 5) == b"+OK\r\n"
        for begin in range(0, len(request), 300):
            peer.sendall(request[begin : begin + 300])
        assert receive_exactly(peer, len(expected)) == expected


def test_redis_cli_inserts_ten_thousand_values_by_its_pipe(server: Server) -> None:
    sets = b"".join(
        b"*3\r\n$3\r\nSET\r\n$%d\r\n%s\r\n$5\r\nvalue\r\n" % (len(key), key)
        for key in (b"key %d" % number for number in range(10_000))
    )
    assert "errors: 0, replies: 10000" in cli(server, "--pipe", stdin=sets)
    assert cli(server, "GET", "key 9999") == "value\n"


@pytest.mark.parametrize("depth", ["1", "16"])
def test_redis_benchmark_finds_no_error(server: Server, depth: str) -> None:
    tests = ["-t", "ping,set,get,incr,mset", "-n", "3000", "-c", "20", "-r", "100"]
    printed = output_of("redis-benchmark", *where(server), *tests, "-P", depth, "--csv").decode()
    _headings, *rows = csv.reader(printed.splitlines())
    per_s = {row[0]: float(row[1]) for row in rows}
    assert list(per_s) == ["PING_INLINE", "PING_MBULK", "SET", "GET", "INCR", "MSET (10 keys)"]
    assert min(per_s.values()) > 0


@pytest.fixture(params=[2, 3], ids=["RESP2", "RESP3"])
def client(server: Server, request: pytest.FixtureRequest) -> Iterator[redis.Redis]:
    """A client of redis-py by either protocol, to a store without keys."""
    host, _, port = server.address.rpartition(":")
    with redis.Redis(
        host, int(port), protocol=request.param, socket_timeout=DEADLINE_S, client_name="tester"
    ) as connected:
        connected.flushall()
        yield connected


def test_redis_py_is_understood(client: redis.Redis) -> None:
    assert client.ping()
    assert client.echo("hello") == b"hello"
    assert client.client_getname() in {b"tester", "tester"}
    assert client.config_get("save") == {"save": ""}
    assert client.info()["redis_mode"] == "standalone"
    assert client.command_count() > 20


def test_redis_py_gets_what_it_has_set(client: redis.Redis) -> None:
    value = some_bytes(100_000)
    assert client.set("k", value)
    assert client.get("k") == value
    assert client.strlen("k") == len(value)
    assert client.get("none") is None
    assert client.set("k", 1, nx=True) is None
    assert client.set("k", "v", xx=True, get=True) == value
    assert client.getset("k", "w") == b"v"
    assert client.append("k", "x") == 2
    assert client.mset({"a": 1, "b": 2.5})
    assert client.mget("a", "b", "none", "k") == [b"1", b"2.5", None, b"wx"]
    assert client.exists("a", "a", "none") == 2
    assert client.delete("a", "none") == 1
    assert client.dbsize() == 2
    assert client.flushall()
    assert client.dbsize() == 0


def test_redis_py_counts(client: redis.Redis) -> None:
    assert [client.incr("n"), client.incr("n", 41), client.decr("m")] == [1, 42, -1]
    client.set("text", "abc")
    with pytest.raises(redis.ResponseError, match="value is not an integer or out of range"):
        client.incr("text")


def test_redis_py_sets_lifetimes(client: redis.Redis) -> None:
    day_s = 86_400
    client.set("k", "v", ex=10 * day_s)
    assert 9 * day_s < client.ttl("k") <= 10 * day_s
    assert client.expire("k", 20 * day_s, gt=True)
    assert not client.expire("k", day_s, nx=True)
    assert client.ttl("k") > 19 * day_s
    assert client.set("k", "v")
    assert [client.ttl("k"), client.ttl("none")] == [-1, -2]
    assert client.expire("k", -1)
    assert client.get("k") is None


def test_redis_py_reads_errors_among_a_pipelines_replies(client: redis.Redis) -> None:
    pipeline = client.pipeline(transaction=False)
    for number in range(1_000):
        pipeline.set(f"key {number}", number)
        pipeline.get(f"key {number}")
    pipeline.execute_command("NONSENSE", "with words")  # type: ignore[no-untyped-call]
    pipeline.incr("key 999")
    *replies, error, last = pipeline.execute(raise_on_error=False)
    assert replies[1::2] == [b"%d" % number for number in range(1_000)]
    assert isinstance(error, redis.ResponseError)
    assert re.match(
        "unknown command 'NONSENSE', with args beginning with: 'with words'", str(error)
    )
    assert last == 1_000


def test_no_increment_of_redis_py_is_lost(client: redis.Redis) -> None:
    threads = [
        threading.Thread(target=lambda: [client.incr("total") for _ in range(100)])
        for _ in range(10)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert client.get("total") == b"1000"
