"""HTTP as clients of other projects speak it: curl, wrk and hey, with every engine."""

from __future__ import annotations

import http.client
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conformance.commands import output_of
from tests.conformance.loads import RIGHT, load
from tests.conformance.peers import receive_all, some_bytes
from tests.conformance.server import Server, serving
from tests.waiting import DEADLINE_S

pytestmark = pytest.mark.service("http")

HELLO = b"Hello, World!"
BODY_BYTES = 500_000


@pytest.fixture(scope="module")
def server(engine: str) -> Iterator[Server]:
    """An http server of the engine, shared by the tests of this file."""
    with serving(engine, "--service=http") as running:
        yield running


def curl(server: Server, path: str, *arguments: str) -> bytes:
    """What curl receives from a path."""
    url = f"http://{server.address}{path}"
    return output_of("curl", "--http1.1", "--silent", "--show-error", *arguments, url)


@pytest.fixture
def upload(tmp_path: Path) -> Path:
    """A file to be uploaded."""
    path = tmp_path / "upload"
    path.write_bytes(some_bytes(BODY_BYTES))
    return path


def test_curl_gets(server: Server) -> None:
    assert curl(server, "/") == HELLO
    assert len(curl(server, "/bytes/3000000")) == 3_000_000


def test_curl_gets_several_on_one_connection(server: Server) -> None:
    first = f"http://{server.address}/bytes/0"
    told = curl(server, "/", "--write-out", "%{num_connects} ", first)
    assert told == b"1 " + HELLO + b"0 "


def test_curl_asks_for_the_head_alone(server: Server) -> None:
    assert b"\r\nContent-Length: 13\r\n" in curl(server, "/", "--head")


def test_curl_posts(server: Server, upload: Path) -> None:
    for expect in ("Expect:", "Expect: 100-continue"):
        arguments = ("--data-binary", f"@{upload}", "--header", expect)
        assert curl(server, "/echo", *arguments) == upload.read_bytes()


def test_curl_uploads_in_chunks(server: Server, upload: Path) -> None:
    arguments = ("--request", "POST", "--upload-file", str(upload))
    chunked = ("--header", "Transfer-Encoding: chunked")
    assert curl(server, "/echo", *arguments, *chunked) == upload.read_bytes()


def test_curl_waits_to_be_told_to_go_on(server: Server, upload: Path) -> None:
    arguments = ("--data-binary", f"@{upload}", "--header", "Expect: 100-continue")
    told = curl(server, "/echo", "--include", *arguments, "--expect100-timeout", "60")
    assert told.startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n")


def test_curl_speaks_http_1_0(server: Server) -> None:
    told = curl(server, "/", "--http1.0", "--include")
    assert b"\r\nConnection: close\r\n" in told
    assert told.endswith(HELLO)


def test_python_is_told_what_is_wrong_on_one_connection(server: Server) -> None:
    host, _, port = server.address.rpartition(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=DEADLINE_S)
    statuses = []
    for method, path in [("GET", "/"), ("PUT", "/"), ("GET", "/x"), ("POST", "/echo")]:
        connection.request(method, path, body=b"x" if path == "/echo" else None)
        reply = connection.getresponse()
        assert reply.read()
        statuses.append(reply.status)
    connection.close()
    assert statuses == [200, 405, 404, 200]


def test_whoever_uploads_too_much_gets_an_answer_and_the_end(server: Server) -> None:
    with server.connect() as peer:
        head = b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\n\r\n"
        peer.sendall(head + some_bytes(100_000))
        assert receive_all(peer).startswith(b"HTTP/1.1 413 Content Too Large\r\n")


def test_wrk_finds_no_error(server: Server) -> None:
    said = output_of("wrk", "-t1", "-c16", "-d1s", f"http://{server.address}/").decode()
    assert "Socket errors" not in said
    assert "Non-2xx" not in said
    requests = re.search(r"(\d+) requests in", said)
    assert requests is not None
    assert int(requests[1]) > 0


@pytest.mark.parametrize("path", ["/", "/bytes/100000"])
def test_hey_finds_no_error(server: Server, path: str) -> None:
    said = output_of("hey", "-n", "2000", "-c", "16", f"http://{server.address}{path}").decode()
    assert re.findall(r"\[(\d+)\]\s+(\d+) responses", said) == [("200", "2000")]
    assert "Error distribution" not in said


def test_hey_closes_each_connection(server: Server) -> None:
    said = output_of(
        "hey", "-n", "400", "-c", "16", "-disable-keepalive", f"http://{server.address}/"
    ).decode()
    assert "[200]\t400 responses" in said
    assert "Error distribution" not in said


def test_a_load_gets_many_bytes(server: Server) -> None:
    settings = ["--service=http", "--payload=300000", "--connections=8", "--depth=3"]
    result = load(server, *settings).result
    assert result["verdict"]["name"] in RIGHT, result["verdict"]
    assert result["requests"]["errors"] == {}
