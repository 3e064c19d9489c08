"""kv-resp says what Redis says, byte for byte: the same requests to both."""

from __future__ import annotations

import array
import contextlib
import fcntl
import itertools
import random
import re
import shutil
import socket
import subprocess
import termios
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.conformance.peers import exchange
from tests.conformance.server import serving
from tests.waiting import DEADLINE_S, until

REDIS = shutil.which("redis-server")
pytestmark = pytest.mark.skipif(
    REDIS is None, reason="this machine has no redis-server, which `make setup` installs"
)

Ask = Callable[[bytes], bytes]  # a request on a connection of its own, for what is replied to it

# Commands by their words, a conversation each: a space separates words, and %s is an empty one.
CONVERSATIONS = [
    ["PING", "PING hello", "ping", "PiNg", "PING a b", "ECHO hello", "ECHO", "ECHO a b", "ECHO %s"],
    ["GET k", "SET k v", "GET k", "get k", "GET", "GET a b", "SET k", "SET", "SET k %s", "GET k"],
    ["SET k v NX", "SET k w NX", "GET k", "SET k w XX", "GET k", "SET other v XX", "GET other"],
    ["SET k v NX XX", "SET k v XX NX", "SET k v FOO", "SET k v EX", "SET k v GET", "SET k v nx Xx"],
    ["SET k v EX 100", "TTL k", "SET k v PX 100000", "TTL k", "SET k v", "TTL k", "TTL none"],
    ["SET k v EX 0", "SET k v EX -1", "SET k v EX abc", "SET k v PX 0", "SET k v PX 1.5", "GET k"],
    ["SET k v EX 10 PX 10", "SET k v PX 10 EX 10", "SET k v EX 1 EX 1", "SET k v EX a FOO"],
    ["SET k v EX 10 NX", "SET k w NX EX 10", "SET k w XX EX 100 GET", "GET k", "TTL k"],
    ["SET k v EX 9223372036854775807", "SET k v PX 9223372036854775807", "SET k v EX 1e3", "GET k"],
    ["SET k v EX 99999999999999999999", "SET k v EX +5", "SET k v EX 05", "SET k v EX ", "GET k"],
    ["SET k v GET", "SET k w GET", "SET k x NX GET", "GET k", "SET n v NX GET", "GET n"],
    ["SET k x XX GET", "GET k", "SET k v", "SET k x XX GET", "GET k", "set k y get", "GET k"],
    ["SET a 1", "SET b 2", "DEL a b c", "DEL a", "DEL", "EXISTS a", "SET a 1", "DEL a a"],
    ["SET a 1", "EXISTS a a b", "EXISTS", "EXISTS b", "SET e %s", "EXISTS e", "STRLEN e"],
    ["INCR n", "INCR n", "DECR n", "GET n", "DECR m", "INCRBY n 40", "INCRBY n -50", "GET n"],
    ["INCR", "INCR a b", "DECR", "DECR a b", "INCRBY a", "INCRBY a 1 2", "INCRBY a x", "GET a"],
    ["DECRBY n 5", "DECRBY n -9223372036854775807", "DECRBY n -9223372036854775808", "DECRBY n"],
    ["DECRBY n x", "DECRBY n 1 2", "SET n abc", "DECRBY n 1", "DECRBY m 9223372036854775807"],
    ["SET n abc", "INCR n", "SET n 1.5", "INCR n", "SET n 010", "INCR n", "SET n +1", "INCR n"],
    ["SET n -0", "INCR n", "SET n %s", "INCR n", "SET n -5", "INCR n", "INCRBY n 1e2", "GET n"],
    ["SET n 9223372036854775807", "INCR n", "DECR n", "INCRBY n 1", "INCRBY n 1", "GET n"],
    ["SET n -9223372036854775808", "DECR n", "INCRBY n -1", "INCR n", "GET n"],
    ["SET n 9223372036854775808", "INCR n", "INCRBY k 9223372036854775808", "GET k"],
    ["SET n 1 EX 100", "INCR n", "TTL n", "APPEND n x", "TTL n", "GETSET n 5", "TTL n", "GET n"],
    ["APPEND k abc", "APPEND k def", "GET k", "STRLEN k", "STRLEN none", "APPEND k", "STRLEN"],
    ["APPEND e %s", "EXISTS e", "GET e", "STRLEN a b", "APPEND a b c"],
    ["MSET a 1 b 2", "MGET a b c", "MGET", "MSET a", "MSET a 1 b", "MSET", "MSET a 1 a 2", "GET a"],
    ["SET a 1 EX 100", "MSET a 2", "TTL a", "MGET a a a", "MGET none", "GETSET", "GETSET a"],
    ["GETSET k v", "GETSET k w", "GET k", "GETSET a b c"],
    ["SET k v", "EXPIRE k 100", "TTL k", "EXPIRE none 100", "EXPIRE k", "EXPIRE", "EXPIRE k abc"],
    ["SET k v", "EXPIRE k 0", "GET k", "SET k v", "EXPIRE k -1", "EXISTS k", "EXPIRE k 1.0"],
    ["SET k v", "EXPIRE k 9223372036854775807", "TTL k", "EXPIRE k -9223372036854775808", "GET k"],
    ["SET k v", "EXPIRE k 100 NX", "EXPIRE k 50 NX", "TTL k", "EXPIRE k 50 XX", "TTL k"],
    ["SET k v", "EXPIRE k 50 XX", "EXPIRE k 50 GT", "TTL k", "EXPIRE k 50 LT", "EXPIRE k 70 GT"],
    ["SET k v EX 50", "EXPIRE k 70 LT", "EXPIRE k 40 GT", "TTL k", "EXPIRE k 70 gt xx", "TTL k"],
    ["SET k v EX 50", "EXPIRE k 70 NX XX", "EXPIRE k 70 GT LT", "EXPIRE k 70 NX GT"],
    ["SET k v", "EXPIRE k 70 FOO", "EXPIRE none 70 FOO", "EXPIRE k x FOO", "EXPIRE k -1 XX"],
    ["TTL", "TTL a b", "DBSIZE", "SET a 1", "SET b 1", "DBSIZE", "FLUSHALL", "DBSIZE", "DBSIZE a"],
    ["FLUSHALL ASYNC", "FLUSHALL SYNC", "FLUSHALL foo", "FLUSHALL sync sync", "flushall async"],
    ["SELECT 0", "SELECT", "SELECT 99", "SELECT -1", "SELECT abc", "SELECT 0 1", "SELECT 00"],
    ["CONFIG GET save", "CONFIG GET appendonly", "CONFIG GET none", "config get SAVE"],
    ["CONFIG", "CONFIG GET", "CONFIG FOO", "CONFIG FOO bar", "CONFIG GET"],
    [
        "CLIENT GETNAME",
        "CLIENT SETNAME me",
        "CLIENT GETNAME",
        "CLIENT SETNAME %s",
        "CLIENT GETNAME",
    ],
    ["CLIENT", "CLIENT FOO", "CLIENT SETNAME", "CLIENT SETNAME a b", "CLIENT GETNAME a"],
    ["CLIENT SETNAME a\nb", "CLIENT foo\r\nbar"],
    ["COMMAND DOCS none", "COMMAND INFO none", "COMMAND FOO", "COMMAND COUNT 1"],
    ["FOO", "FOO bar", "FOO bar baz", "foo", "FO\r\nO b\r\nar", "%s", "%s a", "FOO %s b", "GETT k"],
    ["FOO " + "a" * 200, "FOO " + "a" * 100 + " " + "b" * 100 + " c", "F" * 200 + " x"],
    ["FOO " + " ".join("word" for _ in range(60)), "FOO " + "a" * 127 + " b", "FOO " + "b" * 124],
    ["HELLO foo", "HELLO 4", "HELLO 1", "HELLO 2 FOO", "HELLO 3 SETNAME", "HELLO 2 SETNAME"],
    ["SET k \r\n", "GET k", "SET k a\0b", "GET k", "STRLEN k", "SET \0 v", "GET \0", "GET \0\0"],
    ["SET k \xff\xfe", "GET k", "SET \xff\xfe v", "MGET \xff\xfe k", "APPEND \xff\xfe \r"],
    ["SET k " + "v" * 100_000, "STRLEN k", "GET k", "APPEND k " + "w" * 50_000, "STRLEN k"],
    ["QUIT", "PING"],
    ["QUIT now", "PING"],
    ["PING"] * 300,
]

# What is sent as it stands, a conversation each.
RAW = [
    # Lines of words.
    b"PING\r\n", b"PING\n", b"  PING  \r\n", b"\r\n\r\nPING\r\n", b"   \r\nPING\r\n", b"\tPING\r\n",
    b'SET k "a b"\r\nGET k\r\n', b"SET k 'a b'\r\nGET k\r\n", b'SET k ""\r\nGET k\r\n',
    b'ECHO "a\\n\\r\\t\\b\\a\\\\\\"\\q\\x41\\xfg\\x4"\r\n', b"ECHO 'a\\n\\'b\\\\'\r\n",
    b'ECHO foo"bar"\r\n', b"ECHO foo'b r'\r\n", b'ECHO "foo"bar\r\n', b"ECHO 'a'b\r\n",
    b'ECHO "unbalanced\r\n', b"ECHO 'unbalanced\r\n", b'ECHO "a\\"\r\n', b'"\r\n', b"ECHO a'\r\n",
    b'ECHO "\\\r\n', b"ECHO it\\'s\r\n", b'"PING"\r\n', b"''\r\n", b"'' a\r\n",
    b"GET / HTTP/1.1\r\n",
    b"\x80\x81\x82\r\n", b"\x16\x03\x01\r\n", b"$5\r\nworld\r\n", b"+OK\r\n", b":1\r\n", b"-1\r\n",
    # Arrays.
    b"*1\r\n$4\r\nPING\r\n", b"*0\r\nPING\r\n", b"*-1\r\nPING\r\n", b"*-10\r\nPING\r\n",
    b"*1\r\n$0\r\n\r\n", b"*2\r\n$4\r\nECHO\r\n$0\r\n\r\n", b"*1\r\n$4\r\nPINGxxPING\r\n",
    b"*a\r\n", b"*\r\n", b"*1a\r\n", b"* 1\r\n", b"*1 \r\n", b"*+1\r\n", b"*01\r\n", b"*-0\r\n",
    b"*99999999999999999999\r\n", b"*2147483648\r\n", b"*-99999999999999999999\r\n", b"*1.0\r\n",
    b"*1\r\n$-1\r\n", b"*1\r\n$-5\r\n", b"*1\r\n$a\r\n", b"*1\r\n$\r\n", b"*1\r\n$+4\r\nPING\r\n",
    b"*1\r\n$04\r\nPING\r\n", b"*1\r\n$4 \r\nPING\r\n", b"*1\r\n$99999999999999999999\r\n",
    b"*1\r\n$536870913\r\n", b"*1\r\n:4\r\n", b"*1\r\nPING\r\n", b"*1\r\n\r\n\r\n",
    b"*1\r\n*1\r\n$4\r\nPING\r\n", b"*2\r\n$4\r\nECHO\r\n+hello\r\n", b"*1\r\n!\r\n",
    b"*2\r\n$4\r\nECHO\r\n$-1\r\n", b"*1\r\n\xff\r\n", b'*1\r\n"\r\n',
    # What has no end.
    b"a" * 70_000, b"'" + b"a" * 70_000,
    # One after the other.
    b"PING\r\n*1\r\n$4\r\nPING\r\nPING\n", b"*1\r\n$4\r\nPING\r\n*1\r\n$x\r\nPING\r\n",
    b'SET k v\r\nGET k\r\nFOO\r\nGET k\r\n"\r\nGET k\r\n',
    # Cut short by the end.
    b"*1\r\n$4\r\nPI", b"PIN", b"*", b"PING\r\nPIN", b"*2\r\n$4\r\nPING\r\n",
]  # fmt: skip

# What is no request and never becomes one: Redis waits for the end of its line.
NEVER = {
    b"*x": b"invalid multibulk length",
    b"*65537": b"invalid multibulk length",
    b"*1\r\n:": b"expected '$', got ':'",
    b"*1\r\n\n": b"expected '$', got ' '",
    b"*1\r\n$-": b"invalid bulk length",
    b"*1\r\n$1048577": b"invalid bulk length",
    b'ECHO "a"b': b"unbalanced quotes in request",
}


NAMES = [
    "GET", "SET", "DEL", "EXISTS", "INCR", "DECR", "DECRBY", "INCRBY", "APPEND", "STRLEN", "MGET",
    "MSET", "GETSET", "EXPIRE", "TTL", "DBSIZE", "PING", "ECHO",
]  # fmt: skip
WORDS = [*"aaabbbcc", "1", "-5", "100", "9223372036854775800", "%s", "0", "x", "NX", "XX", "EX"]


def encoded(command: str) -> bytes:
    """A command as an array of bulk strings."""
    words = [word.replace("%s", "").encode("latin-1") for word in command.split(" ")]
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in words)


def shown(conversation: object) -> str:
    """How a conversation is named: how it begins."""
    return repr(conversation)[:50]


def is_listening(path: Path) -> bool:
    """Whether a connection is taken: the path of a socket is there a moment before that."""
    with socket.socket(socket.AF_UNIX) as peer:
        return peer.connect_ex(str(path)) == 0


def connected(path: Path) -> socket.socket:
    """A connection to a socket with a path."""
    peer = socket.socket(socket.AF_UNIX)
    peer.settimeout(DEADLINE_S)
    peer.connect(str(path))
    return peer


def unread_bytes(peer: socket.socket) -> int:
    """How much of what was sent the other end has not received yet."""
    count = array.array("i", [0])
    fcntl.ioctl(peer, termios.TIOCOUTQ, count)
    return count[0]


def received_so_far(peer: socket.socket) -> Iterator[bytes]:
    """What is there to be received; an empty piece at the end of the stream."""
    with contextlib.suppress(BlockingIOError):
        while True:
            piece = peer.recv(1 << 16)
            yield piece
            if not piece:
                return


def has_waiting_clients(peer: socket.socket) -> bool:
    """Whether the Redis server of a connection lets clients wait: for another thread's FLUSHALL."""
    peer.sendall(b"INFO clients\r\n")
    with peer.makefile("rb") as reply:
        length = int(reply.readline().removeprefix(b"$"))
        return b"\r\nblocked_clients:0\r\n" not in reply.read(length + 2)


def ask_redis(path: Path, request: bytes) -> bytes:
    """What a Redis server says to a request.

    From version 8 on it says nothing to a peer that has shut its sending side. So the connection
    stays open, and is at its end when Redis, whose commands have one thread, has received all, has
    since then answered another connection twice, and has said nothing more.
    """
    said: list[bytes] = []
    with contextlib.closing(connected(path)) as peer, contextlib.closing(connected(path)) as other:
        peer.sendall(request)
        peer.settimeout(0)
        rounds = 0
        while rounds < 2:
            waits = has_waiting_clients(other)
            pieces = list(received_so_far(peer))
            said += pieces
            if pieces and not pieces[-1]:
                break
            rounds = 0 if waits or pieces or unread_bytes(peer) else rounds + 1
    return b"".join(said)


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """A Redis server of our own, to be asked."""
    path = tmp_path_factory.mktemp("redis") / "socket"
    options = ["--port", "0", "--unixsocket", str(path), "--save", "", "--appendonly", "no"]
    with subprocess.Popen(
        [str(REDIS), *options, "--dir", str(Path(path).parent)], stdout=subprocess.DEVNULL
    ) as process:
        try:
            until(lambda: is_listening(path), "redis-server listens")
            yield partial(ask_redis, path)
        finally:
            process.kill()


@pytest.fixture(scope="module")
def ours() -> Iterator[Ask]:
    """A server of kv-resp, to be asked."""

    def ask(request: bytes) -> bytes:
        with contextlib.closing(server.connect()) as peer:
            return exchange(peer, request)

    with serving("epoll-level", "--service=kv-resp") as server:
        yield ask


def replies(ask: Ask, request: bytes) -> list[bytes]:
    """The lines of what a server without keys says to a request."""
    assert ask(encoded("FLUSHALL")) == b"+OK\r\n"
    return ask(request).split(b"\r\n")


def replies_after_hello(ask: Ask, hello: str, commands: list[str]) -> list[bytes]:
    """The same without the reply to HELLO, in which a server names itself and its modules."""
    end = "that-was-hello"
    lines = replies(ask, b"".join(map(encoded, [hello, f"ECHO {end}", *commands])))
    return lines[lines.index(end.encode()) + 1 :]


def is_alike(mine: bytes, theirs: bytes) -> bool:
    """Whether two lines are the same, or integers that tell lifetimes which go by."""
    lifetime_s_min = 40
    both = b":(\\d+) :(\\d+)"
    integers = re.fullmatch(both, mine + b" " + theirs)
    return mine == theirs or (
        integers is not None
        and min(int(integers[1]), int(integers[2])) >= lifetime_s_min
        and abs(int(integers[1]) - int(integers[2])) <= DEADLINE_S
    )


def differences(mine: list[bytes], theirs: list[bytes]) -> list[tuple[bytes, bytes]]:
    """Where replies are not alike."""
    pairs = itertools.zip_longest(mine, theirs, fillvalue=b"nothing")
    return [pair for pair in pairs if not is_alike(*pair)]


@pytest.mark.parametrize("hello", ["HELLO 2", "HELLO 3"])
@pytest.mark.parametrize("commands", CONVERSATIONS, ids=shown)
def test_a_command_is_answered_as_by_redis(
    redis: Ask, ours: Ask, commands: list[str], hello: str
) -> None:
    mine = replies_after_hello(ours, hello, commands)
    assert differences(mine, replies_after_hello(redis, hello, commands)) == []


@pytest.mark.parametrize("seed", range(10))
def test_random_commands_are_answered_as_by_redis(redis: Ask, ours: Ask, seed: int) -> None:
    chance = random.Random(seed)
    commands = [
        " ".join([chance.choice(NAMES), *chance.choices(WORDS, k=chance.randint(0, 4))])
        for _ in range(1_000)
    ]
    mine = replies_after_hello(ours, "HELLO 3", commands)
    assert differences(mine, replies_after_hello(redis, "HELLO 3", commands)) == []


@pytest.mark.parametrize("request_bytes", RAW, ids=shown)
def test_what_is_not_quite_a_request_is_answered_as_by_redis(
    redis: Ask, ours: Ask, request_bytes: bytes
) -> None:
    assert replies(ours, request_bytes) == replies(redis, request_bytes)


@pytest.mark.parametrize("request_bytes", NEVER, ids=shown)
def test_what_never_becomes_a_request_is_told_before_redis_tells_it(
    redis: Ask, ours: Ask, request_bytes: bytes
) -> None:
    error = b"-ERR Protocol error: " + NEVER[request_bytes]
    assert replies(ours, request_bytes) == [error, b""]
    assert replies(redis, request_bytes) == [b""]
