"""Requests of any kind to an http server of another project: Python's own."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count

import pytest

from tests.conformance.loads import RIGHT, Loaded, load_address
from tests.conformance.sockets import HOST

JSON_POST = (
    "--http-path=/items?x=1",
    "--http-method=POST",
    "--http-headers=Content-Type: application/json\nX-Key: 7",
    '--http-body={"a": 1}',
    "--http-status=201",
)


class Handler(BaseHTTPRequestHandler):
    """Replies in the ways in which servers do; each `/changing` differs from the one before."""

    protocol_version = "HTTP/1.1"
    changes = count()

    def do_GET(self) -> None:
        """Reply with a length, or in chunks."""
        if self.path == "/chunks":
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.wfile.write(b"5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n")
        else:
            self.reply(f"{next(self.changes) % 10}" if self.path == "/changing" else self.path)

    def do_HEAD(self) -> None:
        """Reply with the head that GET gets."""
        self.do_GET()

    def do_POST(self) -> None:
        """Create what JSON says, if everything has come as it was sent."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        seen = (self.path, self.headers["Content-Type"], self.headers["X-Key"], body)
        expected = ("/items?x=1", "application/json", "7", {"a": 1})
        self.reply(f"{seen}", status=201 if seen == expected else 400)

    def reply(self, text: str, status: int = 200) -> None:
        """Send a reply with its length; without content for HEAD."""
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(text.encode())

    def log_message(self, *_: object) -> None:
        """Write no log."""


class Server(ThreadingHTTPServer):
    """A server that ends with the threads of its connections."""

    daemon_threads = False

    def handle_error(self, *_: object) -> None:
        """Write nothing of a connection that its client has ended."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The address of a server that serves until the tests are over."""
    with Server((HOST, 0), Handler) as server:
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        try:
            yield f"{HOST}:{server.server_port}"
        finally:
            server.shutdown()
            serving.join()


def asked(address: str, *settings: str) -> Loaded:
    """A short load of requests over two connections."""
    usual = ("--service=http", "--connections=2", "--warmup=0s", "--duration=500ms")
    return load_address(address, *usual, "--timeout=10s", *settings)


@pytest.mark.parametrize(
    "settings",
    [
        ("--http-path=/x",),
        ("--http-path=/chunks",),
        ("--http-path=/changing", "--http-check=length"),
        ("--http-path=/changing", "--http-check=status"),
        ("--http-path=/x", "--http-method=HEAD"),
        JSON_POST,
    ],
    ids=["same", "in chunks", "as long", "status", "HEAD", "POST"],
)
def test_replies_of_another_server_are_found_right(address: str, settings: tuple[str, ...]) -> None:
    result = asked(address, *settings).result
    assert result["verdict"]["name"] in RIGHT, result["verdict"]
    assert result["requests"]["completed"] > 0


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (("--http-path=/",), "an HTTP reply with status 200 and 13 B"),
        (("--http-path=/changing",), "an HTTP reply with status 200, the same as the first"),
        ((*JSON_POST[:2], "--http-body={}", "--http-status=201"), "an HTTP reply with status 201"),
        (("--http-path=/x", "--http-status=404"), "an HTTP reply with status 404"),
    ],
    ids=["known content", "not the same", "refused", "another status"],
)
def test_replies_that_are_not_as_asked_are_errors(
    address: str, settings: tuple[str, ...], expected: str
) -> None:
    result = asked(address, *settings).result
    assert result["verdict"]["name"] == "ERRORS"
    assert expected in result["requests"]["wrong_reply"]["expected"]
