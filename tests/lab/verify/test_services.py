"""What each service's exchanges find of servers with one fault, and what a load changes of them."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from serverlab.design.catalog import catalog
from serverlab.errors import UsageError
from serverlab.running.events import Listening
from serverlab.verify import peer as peers
from serverlab.verify.asked import size_bytes
from serverlab.verify.peer import MismatchError, Peer
from serverlab.verify.probe import SERVICES, probe
from serverlab.verify_command import started
from tests.lab.command_line import call
from tests.lab.verify import planted
from tests.lab.verify.planted import CHUNKED, CONTINUE, Serve, failures, never_ends, serving

TRANSCRIPT = "the course's transcript"
AT_ONCE = "replies come in the order of requests at once"
HELLO = "GET / gets Hello, World!"
TWICE = f"{HELLO}, twice on a connection"
ONE_EACH = {"model": "churn", "requests": "1"}
SEVERAL = "a connection carries several requests"

# A server, the load that it is to be timed with, and the required exchanges that it fails.
SERVERS: dict[str, tuple[str, Serve, dict[str, str], dict[str, str]]] = {
    "forum: lines end with NUL, as the course's": ("forum", planted.forum(), {}, {}),
    "forum: lines end with LF, and so do the load's": (
        "forum",
        planted.forum(b"\n"),
        {"forum-framing": "lf"},
        {},
    ),
    "forum: lines end with CR LF, and so do the load's": (
        "forum",
        planted.forum(b"\r\n"),
        {"forum-framing": "crlf"},
        {},
    ),
    "forum: ids from 1": (
        "forum",
        planted.forum(first_id=1),
        {},
        {
            TRANSCRIPT: r'expected "0\x00", received "1\x00"',
            "what one client posts, another reads": r'expected "0\x00", received "1\x00"',
            AT_ONCE: r'expected "0\x001\x00',
            "a request byte by byte is one": r'expected "0\x00", received "1\x00"',
        },
    ),
    "forum: a memory for each connection": (
        "forum",
        planted.forum(is_shared=False),
        {},
        {"what one client posts, another reads": r'expected "shared\x00", received "\x00"'},
    ),
    "forum: one request of what has come": (
        "forum",
        planted.forum(reads_one=True),
        {},
        {AT_ONCE: r'received "0\x00" in time'},
    ),
    "http: Hello, World! alone": ("http", planted.http(), {}, {}),
    "http: an interim reply first": (
        "http",
        planted.http(head=b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"),
        {},
        {},
    ),
    "http: deaf to Connection: close": (
        "http",
        planted.http(closes_when=b"never"),
        {},
        {
            "Connection: close ends the connection": (
                'expected "the end of the connection", received nothing in time'
            )
        },
    ),
    "http: closes after a reply": (
        "http",
        planted.http(closes_when=b""),
        {},
        {TWICE: 'sent "GET / HTTP/1.1'},
    ),
    "http: closes after a reply, of a load that reconnects": (
        "http",
        planted.http(closes_when=b""),
        ONE_EACH,
        {},
    ),
    "http: neither a length nor chunks": (
        "http",
        planted.http(fields=b"", closes_when=b""),
        ONE_EACH,
        dict.fromkeys((HELLO, "a request byte by byte is one"), "neither a length nor chunks"),
    ),
    "http: another body each time": (
        "http",
        planted.http(lambda number: b"%d" % number),
        {"http-path": "/time"},
        {"GET /time gets status 200, twice on a connection": '"0" as before, received "1"'},
    ),
    "http: another body each time, as long as the first": (
        "http",
        planted.http(lambda number: b"%d" % number),
        {"http-path": "/time", "http-check": "length"},
        {},
    ),
    "http: a longer body each time": (
        "http",
        planted.http(lambda number: b"x" * number),
        {"http-path": "/time", "http-check": "length"},
        {"GET /time gets status 200, twice on a connection": "0 B as before, received 1 B"},
    ),
    "http: another body each time, of a load that checks the status": (
        "http",
        planted.http(lambda number: b"x" * number),
        {"http-path": "/time", "http-check": "status", "depth": "8"},
        {},
    ),
    "http: Hello, World! for a load of other bytes": (
        "http",
        planted.http(),
        {"payload": "20 B"},
        dict.fromkeys(
            (
                "GET /bytes/20 gets status 200",
                "GET /bytes/20 gets status 200, twice on a connection",
                "a request byte by byte is one",
                "Connection: close ends the connection",
            ),
            'received "status 200 and Hello, World!"',
        ),
    ),
    "kv-json: as the report's": (
        "kv-json",
        planted.kv_json(lambda reply: json.dumps(reply, separators=(",", ":"))),
        {},
        {},
    ),
    "kv-json: blanks": (
        "kv-json",
        planted.kv_json(json.dumps),
        {},
        {"a reply has no blanks, and its names in alphabetical order": 'received "{\\"code\\": '},
    ),
    "bucket: as the hand-out's, of a load that reconnects": (
        "bucket",
        planted.bucket(is_one=True),
        ONE_EACH,
        {},
    ),
    "bucket: as the hand-out's, of a load that does not": (
        "bucket",
        planted.bucket(is_one=True),
        {},
        {SEVERAL: 'sent "1,0'},
    ),
    "bucket: few, and the load has as few": ("bucket", planted.bucket(8), {"buckets": "8"}, {}),
    "bucket: fewer than the load has": (
        "bucket",
        planted.bucket(40),
        {"buckets": "41"},
        {"the last bucket is there": 'sent "0,40\\n", expected "a line", received the end'},
    ),
}


@pytest.mark.parametrize(
    ("service", "serve", "load", "expected"), SERVERS.values(), ids=SERVERS.keys()
)
def test_a_server_fails_what_its_load_relies_on_and_it_does_not_do(
    service: str, serve: Serve, load: dict[str, str], expected: dict[str, str]
) -> None:
    with serving(serve) as address:
        found = failures(service, address, load)
    assert found.keys() == expected.keys(), found
    for name, words in expected.items():
        assert words in found[name]


@pytest.mark.parametrize(("own", "loads"), [(b"\n", "nul"), (b"\0", "lf")])
def test_a_forum_whose_lines_end_otherwise_than_the_loads_fails(own: bytes, loads: str) -> None:
    load = {"forum-framing": loads}
    with serving(planted.forum(own)) as address:
        found = failures("forum", address, load, limit_s=1)
    assert found.keys() == {one.name for one in SERVICES["forum"](load) if one.required}
    assert all("received nothing in time" in failure for failure in found.values())


def test_a_forum_that_says_something_else_at_exit_differs_in_that_alone() -> None:
    with serving(planted.forum(farewell=b"EXIT")) as address:
        found = failures("forum", address, {}, required_only=False, limit_s=5)
    ends = "a reply ends as its request: NUL, LF or CR LF"  # it has NUL alone
    assert found.keys() == {"EXIT gets TERMINATING, and the end", ends}
    words = r'expected "TERMINATING\x00", received "EXIT\x00'
    assert words in found["EXIT gets TERMINATING, and the end"]


def test_a_bucket_server_that_serves_connections_in_turn_passes_the_five_tests() -> None:
    with serving(planted.bucket(is_one=True), in_turn=True) as address:
        found = failures("bucket", address, ONE_EACH)
    assert found == {}


def test_a_bucket_server_that_adds_twice_fails_each_test_that_adds() -> None:
    with serving(planted.bucket(times=2)) as address:
        found = failures("bucket", address, {})
    assert {name[:10] for name in found} >= {f"hand-out {number}" for number in range(5)}
    assert found["hand-out 0: a delay is added"] == 'sent "3,5\\n", expected 3, received 6'


GARBAGE = {
    "a number without end": ("bucket", planted.always(b"9" * 5000 + b"\n")),
    "digits of another alphabet": ("bucket", planted.always("٣\n".encode())),
    "a line without end": ("bucket", planted.endless),
    "a list without end": ("forum", planted.endless),
    "a head without end": ("http", planted.endless),
    "a value without end": ("kv-json", planted.endless),
    "no text": ("kv-json", planted.always(b'{"code":200,"key":"\xff\xfe","type":"POST"}')),
    "nesting without end": ("kv-json", planted.always(b"[" * 100_000)),
    "a number of thousands of digits": ("kv-json", planted.always(b"1" * 5000)),
    "a length that is negative": (
        "http",
        planted.always(b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n"),
    ),
    "a length of thousands of digits": (
        "http",
        planted.always(b"HTTP/1.1 200 OK\r\nContent-Length: %b\r\n\r\n" % (b"9" * 5000)),
    ),
    "a chunk without a size": (
        "http",
        planted.always(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
    ),
    "a chunk of a negative size": (
        "http",
        planted.always(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\n"),
    ),
    "fields without end": ("http", planted.always(b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 200)),
    "no response": ("http", planted.always(b"\x00\x1b[2J\n" * 100)),
    "no reply of Redis": ("kv-resp", planted.always(bytes(range(256)))),
}


@pytest.mark.parametrize(("service", "serve"), GARBAGE.values(), ids=GARBAGE.keys())
def test_whatever_a_server_sends_is_a_failure_in_short_words(service: str, serve: Serve) -> None:
    with serving(serve) as address:
        found = failures(service, address, {}, required_only=False, limit_s=0.3)
    assert found.keys() == {one.name for one in SERVICES[service]({})}
    for failure in found.values():
        assert failure.isprintable()
        assert len(failure) < 1000


LOADS: list[tuple[str, dict[str, str]]] = [
    *[("forum", {"forum-framing": framing}) for framing in ("nul", "lf", "crlf")],
    ("forum", {"forum-asks": "all", "forum-message": "1 kB"}),
    ("bucket", {"buckets": "32"}),
    ("http", {"payload": "10 KiB", "depth": "16"}),
    ("http", {"http-method": "HEAD"}),
    ("http", {"http-path": "/?x=1", "http-headers": "Host: y\nAccept: */*"}),
    ("http", {"http-path": "/echo", "http-method": "POST", "http-body": "text"}),
    ("http", {"http-path": "/none", "http-status": "404"}),
    ("kv-json", {"kv-value": "300"}),
    ("kv-resp", {"kv-value": "1 MB"}),
    ("echo", ONE_EACH),
]


@pytest.mark.parametrize(("service", "load"), LOADS, ids=str)
def test_our_server_offers_what_each_load_relies_on(
    tmp_path: Path, service: str, load: dict[str, str]
) -> None:
    with started("epoll-level", service, tmp_path / "log") as server:
        address = server.await_event(Listening, 20).address
        outcomes = probe(service, address, load, required_only=True)
    assert len(outcomes) > 2
    assert [one.failure for one in outcomes if one.failure] == []


def test_the_body_of_a_request_is_that_of_the_load(tmp_path: Path) -> None:
    (tmp_path / "body").write_bytes(b"from a file")
    load = {"http-path": "/echo", "http-method": "POST", "http-body": f"@{tmp_path}/body"}
    with serving(planted.http(lambda _: b"from a file")) as address:
        found = failures("http", address, load)
    assert "POST /echo gets status 200" not in found
    with pytest.raises(UsageError, match=r"http-body: cannot read .*/none: No such file"):
        SERVICES["http"]({"http-body": f"@{tmp_path}/none"})


def test_sizes_are_read_as_the_load_reads_them() -> None:
    sizes = {"64": 64, "64B": 64, "1.5 KiB": 1536, "10 MB": 10**7, " 2 GiB ": 2**31}
    assert {text: size_bytes(text) for text in sizes} == sizes
    with pytest.raises(UsageError, match="'64 K' is not a size such as"):
        size_bytes("64 K")


def test_each_service_has_exchanges() -> None:
    assert SERVICES.keys() == catalog().services.keys()


def test_a_server_that_listens_on_ipv6_is_asked(tmp_path: Path) -> None:
    try:
        with serving(planted.http(), "::1") as address:
            done = call("verify", "--service=http", f"--target={address}", cwd=tmp_path)
    except OSError as error:
        pytest.skip(f"this machine has no IPv6: {error}")
    assert f"holds    {TWICE}" in done.stdout
    assert "it can be measured" in done.stdout


ENDLESS = {
    "chunks": never_ends(b"1\r\nx\r\n" * 1000, CHUNKED),
    "100 Continue": never_ends(CONTINUE * 1000),
    "a byte at a time": never_ends(b"1\r\nx\r\n", CHUNKED),
}


@pytest.mark.parametrize("serve", ENDLESS.values(), ids=ENDLESS)
def test_the_deadline_is_that_of_the_whole_exchange(serve: Serve) -> None:
    with serving(serve) as address:
        found = failures("http", address, {}, limit_s=0.2)
    assert found
    # Python's own parser, from 3.14 on, takes no more than a hundred of these replies.
    ends = ("and no end in time", "more than 100 interim responses")
    assert all(any(end in failure for end in ends) for failure in found.values()), found


def test_what_comes_while_a_request_is_sent_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "RECEIVED_BYTES_MAX", 1 << 20)
    with serving(planted.endless) as address:
        host, _, port = address.rpartition(":")
        with (
            Peer(host, int(port), time.monotonic() + 30) as peer,
            pytest.raises(MismatchError, match="received more than 1 MiB"),
        ):
            peer.send(b"y" * (64 << 20))
