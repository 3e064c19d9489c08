"""The forum as the course tests it, and as its clients misuse it, under every engine."""

from __future__ import annotations

import itertools
import socket
from collections.abc import Iterator

import pytest

from tests.conformance.loads import loading
from tests.conformance.peers import receive_all, receive_exactly, receive_line
from tests.conformance.server import Server, serving

pytestmark = pytest.mark.service("forum")

FRAMINGS = {"nul": b"\0", "lf": b"\n", "crlf": b"\r\n"}

# The course's verifier, in its order; where two replies are right, any of them.
VERIFIER = [
    ("LIST", [""]),
    ("COUNT@abc", ["0"]),
    ("READ@def#1", [""]),
    ("POST@abc#qwerty", ["0"]),
    ("LIST", ["@abc"]),
    ("COUNT@abc", ["1"]),
    ("READ@abc#0", ["qwerty"]),
    ("READ@abc#1", [""]),
    ("POST@abc#asdfg", ["1"]),
    ("COUNT@abc", ["2"]),
    ("COUNT@def", ["0"]),
    ("READ@abc#1", ["asdfg"]),
    ("POST@def#zxcvb", ["0"]),
    ("LIST", ["@def#@abc", "@abc#@def"]),
    ("READ@def#0", ["zxcvb"]),
]

TOPICS = 3_000
LONG_TOPIC = "@{:0>139}"


@pytest.fixture
def forum(engine: str) -> Iterator[Server]:
    """An empty forum."""
    with serving(engine, "--service=forum") as server:
        yield server


def ask(peer: socket.socket, request: str, ending: bytes = b"\n") -> str:
    """Send a line and receive one."""
    peer.sendall(request.encode() + ending)
    return receive_line(peer, ending).removesuffix(ending).decode()


@pytest.mark.parametrize("framing", FRAMINGS)
def test_the_courses_verifier_passes(forum: Server, framing: str) -> None:
    with forum.connect() as peer:
        for request, expected in VERIFIER:
            assert ask(peer, request, FRAMINGS[framing]) in expected, request


def test_requests_that_are_sent_at_once_are_answered_in_their_order(forum: Server) -> None:
    requests = "".join(f"POST@a#{number}\nREAD@a#{number}\nAAA\n" for number in range(2_000))
    replies = "".join(f"{number}\n{number}\n\n" for number in range(2_000)).encode()
    with forum.connect() as peer:
        peer.sendall(requests.encode())
        assert receive_exactly(peer, len(replies)) == replies


def test_what_one_connection_posts_another_reads(forum: Server) -> None:
    with forum.connect() as poster, forum.connect() as reader:
        assert ask(poster, "POST@a#from the one", b"\0") == "0"
        assert ask(reader, "READ@a#0", b"\r\n") == "from the one"


def test_a_client_that_exits_is_told_so_and_closed_alone(forum: Server) -> None:
    with forum.connect() as leaving, forum.connect() as staying:
        leaving.sendall(b"POST@a#x\nEXIT\nPOST@a#y\n")
        assert receive_all(leaving) == b"0\nTERMINATING\n"
        assert ask(staying, "COUNT@a") == "1"


def test_a_line_without_its_end_is_not_answered(forum: Server) -> None:
    with forum.connect() as peer:
        peer.sendall(b"LIST\nPOST@a#half")
        peer.shutdown(socket.SHUT_WR)
        assert receive_all(peer) == b"\n"
    with forum.connect() as witness:
        assert ask(witness, "COUNT@a") == "0"


def test_a_line_that_is_too_long_gets_one_blank_line(forum: Server) -> None:
    with forum.connect() as peer:
        peer.sendall(b"POST@a#" + bytes(b"x" * 3_000_000) + b"\n")
        assert receive_line(peer) == b"\n"
        assert ask(peer, "COUNT@a") == "0"


@pytest.mark.parametrize("lock", ["shared", "sharded"])
def test_a_long_list_comes_whole(engine: str, lock: str) -> None:
    topics = [LONG_TOPIC.format(number) for number in range(TOPICS)]
    ids = b"0\n" * TOPICS
    with (
        serving(engine, "--service=forum", f"--forum-lock={lock}") as server,
        server.connect() as peer,
    ):
        peer.sendall("".join(f"POST{topic}#x\n" for topic in topics).encode())
        assert receive_exactly(peer, len(ids)) == ids
        size = len("#".join(topics)) + 1
        for _ in range(3):
            peer.sendall(b"LIST\nCOUNT@unknown\n")
            *listed, end = receive_exactly(peer, size + 2).decode().splitlines()
            assert sorted("".join(listed).split("#")) == topics
            assert end == "0"


def test_many_lists_that_are_not_taken_do_not_fill_the_memory(forum: Server) -> None:
    topics = "".join(f"POST{LONG_TOPIC.format(number)}#x\n" for number in range(TOPICS))
    lists = 1_000  # 400 MB of replies
    with forum.connect() as peer:
        peer.sendall(topics.encode())
        assert receive_exactly(peer, 2 * TOPICS) == b"0\n" * TOPICS
        before_bytes = forum.rss_bytes()
        peer.sendall(b"LIST\n" * lists)
        assert receive_exactly(peer, 1_000_000).startswith(b"@0")
        assert forum.rss_bytes() - before_bytes < 50_000_000


def test_exit_ends_the_whole_server_where_it_is_told_so(engine: str) -> None:
    with serving(engine, "--service=forum", "--forum-exit=stop") as server:
        with server.connect() as other, server.connect() as leaving:
            assert ask(other, "POST@a#x") == "0"
            leaving.sendall(b"EXIT\0")
            assert receive_all(leaving) == b"TERMINATING\0"
            assert receive_all(other) == b""
        summary = server.summary()
    assert summary["service"]["messages"] == 1


@pytest.mark.parametrize(
    ("lock", "parser"),
    [
        *itertools.product(["mutex", "exclusive", "sharded"], ["prefix"]),
        *itertools.product(["shared"], ["regex", "regex-once"]),
    ],
)
def test_the_settings_change_nothing_that_a_client_sees(
    engine: str, lock: str, parser: str
) -> None:
    settings = [f"--forum-lock={lock}", f"--forum-parser={parser}"]
    with serving(engine, "--service=forum", *settings) as server, server.connect() as peer:
        for request, expected in VERIFIER:
            assert ask(peer, request) in expected, request
        assert ask(peer, f"POST@long#{'x' * 60_000}") == "0"
        assert ask(peer, "READ@long#0") == "x" * 140


def test_servers_that_take_turns_have_as_many_posters_each(engine: str) -> None:
    with (
        serving(engine, "--service=forum") as one,
        serving(engine, "--service=forum") as other,
        loading(
            one.address,
            f"--target={other.address}",
            "--service=forum",
            "--connections=3",
            "--forum-posters=2",
            "--slice=50ms",
            "--warmup=0s",
        ) as running,
    ):
        for target in running.end().result["targets"]:
            assert target["classes"]["post"]["count"] > 0
            assert target["classes"]["read"]["count"] > 0
