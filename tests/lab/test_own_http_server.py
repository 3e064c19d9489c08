"""The first steps with an HTTP server of one's own: what is wrong is said, with the option."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from serverlab.load_result import WrongReply
from serverlab.wrong_reply import sentence
from tests.lab.command_line import call

# An API at one path, and 404 elsewhere.
IN_PYTHON = """
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class Items(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self):
        body = b"[1, 2]" if self.path == "/api/items" else b""
        self.send_response(200 if body else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass

server = ThreadingHTTPServer(("127.0.0.1", 0), Items)
print(server.server_port, flush=True)
server.serve_forever()
"""
IN_NODE = """
const server = require("http").createServer((request, response) => {
  const body = request.url === "/api/items" ? "[1, 2]" : "";
  response.writeHead(body ? 200 : 404, {"content-length": body.length});
  response.end(body);
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
"""
COMMANDS = {
    "python": [sys.executable, "-c", IN_PYTHON],
    "node": ["node", "-e", IN_NODE],
}


@pytest.fixture(params=COMMANDS)
def api(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of an HTTP server with one resource, /api/items."""
    command = COMMANDS[request.param]
    if shutil.which(command[0]) is None:
        pytest.skip(f"this machine has no {command[0]}")
    with contextlib.ExitStack() as running:
        process = running.enter_context(
            subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        )
        running.callback(process.kill)
        assert process.stdout is not None
        yield f"127.0.0.1:{int(process.stdout.readline())}"


HTTP = ("--service=http",)
SEARCH = (
    "search", *HTTP, "--slo=p50 <= 2s", "--connections=4", "--rate-max=60", "--no-curve",
    "--duration=1s", "--repeats=1",
)  # fmt: skip


def test_a_search_names_the_status_and_the_option(api: str, tmp_path: Path) -> None:
    done = call(*SEARCH, f"--target={api}", cwd=tmp_path)
    assert done.returncode == 1
    assert (
        "no reply of the server is right: it replied 404 to GET /, and not an HTTP reply with "
        "status 200 and 13 B: --http-path names what it serves"
    ) in done.stderr
    done = call(*SEARCH, f"--target={api}", "--http-path=/api/items", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "p50 <= 2s: at least " in done.stdout


def test_a_stress_names_the_status_and_the_option(api: str, tmp_path: Path) -> None:
    stress = ("stress", *HTTP, f"--target={api}", "--connections-max=16")
    done = call(*stress, cwd=tmp_path)
    assert "Limit: wrong replies, of the server" in done.stdout
    assert "it replied 404 to GET /" in done.stdout
    done = call(*stress, "--http-path=/api/items", cwd=tmp_path)
    assert "Nothing gave, up to 16 connections." in done.stdout


def test_verify_asks_for_what_the_load_would(api: str, tmp_path: Path) -> None:
    done = call("verify", *HTTP, f"--target={api}", cwd=tmp_path)
    assert "--http-path=PATH asks for another resource than /" in done.stdout
    done = call("verify", *HTTP, f"--target={api}", "--http-path=/api/items", cwd=tmp_path)
    assert "holds    GET /api/items gets status 200\n" in done.stdout
    assert "it can be measured" in done.stdout
    assert "/bytes/N" not in done.stdout
    assert "Hello" not in done.stdout
    done = call("verify", *HTTP, f"--target={api}", "--http-pat=/api/items", cwd=tmp_path)
    assert "did you mean --http-path" in done.stderr


@pytest.mark.parametrize(
    ("target", "words"),
    [
        (
            "127.0.0.1:8080/api/items",
            "is not HOST:PORT: --target=127.0.0.1:8080 --service=http --http-path=/api/items",
        ),
        ("http://127.0.0.1/", "is not HOST:PORT: --target=127.0.0.1:80 --service=http"),
        ("http://[::1]:81?a", "--target=[::1]:81 --service=http --http-path=?a"),
        ("https://127.0.0.1:8443/", "needs TLS, which the load does not speak"),
        ("127.0.0.1", "is not HOST:PORT: it names no port, as --target=127.0.0.1:8080"),
        ("127.0.0.1:8080 /", "is not HOST:PORT, such as 127.0.0.1:8080"),
        (":8080", "is not HOST:PORT"),
    ],
)
def test_a_target_with_more_than_an_address_is_one_sentence(
    target: str, words: str, tmp_path: Path
) -> None:
    for command in (("search", *HTTP, "--slo=p99 <= 5ms"), ("stress", *HTTP), ("verify", *HTTP)):
        done = call(*command, f"--target={target}", cwd=tmp_path)
        assert done.returncode == 2
        assert done.stderr.startswith(f"serverlab: --target: '{target}' ")
        assert words in done.stderr
        assert done.stderr.count("\n") == 1


def test_a_wrong_reply_of_another_kind_is_said_with_its_option() -> None:
    def said(received: str, service: str = "http", **settings: str) -> str:
        wrong = WrongReply(
            error="wrong_content", connection=0, expected="<an HTTP reply>", received=received
        )
        return sentence(wrong, service, settings)

    assert "it replied 200 to GET /, and not an HTTP reply: --http-check=status" in said(
        "HTTP/1.1 200 OK"
    )
    assert said("HTTP/1.1 400 Bad", "echo").endswith("it speaks HTTP: --service=http")
    assert said("hello") == "to GET / came hello, and not an HTTP reply"
