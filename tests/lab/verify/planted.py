"""Servers of each service in a few lines, right or with one fault, and what they fail."""

from __future__ import annotations

import json
import re
import socket
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from serverlab.verify.probe import SERVICES, Outcome, outcome

Serve = Callable[[socket.socket], None]


@contextmanager
def serving(serve: Serve, host: str = "127.0.0.1", *, in_turn: bool = False) -> Iterator[str]:
    """A server with a thread for each connection, or that takes them in turn; its address."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, 0), family=family, backlog=128) as listener:

        def accept() -> None:
            while True:
                try:
                    peer, _ = listener.accept()
                except OSError:
                    return
                if in_turn:
                    run(peer)
                else:
                    threading.Thread(target=run, args=(peer,), daemon=True).start()

        def run(peer: socket.socket) -> None:
            with peer:
                try:
                    serve(peer)
                except OSError:
                    return

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        port = listener.getsockname()[1]
        yield f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        listener.shutdown(socket.SHUT_RDWR)
    thread.join()


def failures(
    service: str,
    address: str,
    load: Mapping[str, str],
    *,
    required_only: bool = True,
    limit_s: float | None = None,
) -> dict[str, str]:
    """The exchanges that do not hold, each with what went wrong."""
    host, _, port = address.rpartition(":")
    asked = [one for one in SERVICES[service](load) if one.required or not required_only]
    found: list[Outcome] = [
        outcome(replace(one, limit_s=limit_s or one.limit_s), host.strip("[]"), int(port))
        for one in asked
    ]
    return {one.name: one.failure for one in found if one.failure}


def requests(peer: socket.socket, end: bytes, *, reads_one: bool = False) -> Iterator[bytes]:
    """The requests on a connection, without their ends."""
    kept = b""
    while data := peer.recv(65536):
        kept += data
        while end in kept:
            request, _, kept = kept.partition(end)
            yield request
            if reads_one:
                kept = b""


def forum(
    end: bytes = b"\0",
    *,
    first_id: int = 0,
    is_shared: bool = True,
    reads_one: bool = False,
    farewell: bytes = b"TERMINATING",
) -> Serve:
    """A forum whose lines have one end."""
    all_topics: dict[bytes, list[bytes]] = {}

    def serve(peer: socket.socket) -> None:
        topics = all_topics if is_shared else {}
        for request in requests(peer, end, reads_one=reads_one):
            if request == b"EXIT":
                peer.sendall(farewell + end)
                return
            peer.sendall(reply(topics, request) + end)

    def reply(topics: dict[bytes, list[bytes]], request: bytes) -> bytes:
        if match := re.fullmatch(rb"POST(@[^@#]*)#(.+)", request):
            messages = topics.setdefault(match[1], [])
            messages.append(match[2][:140])
            return b"%d" % (len(messages) - 1 + first_id)
        if match := re.fullmatch(rb"READ(@[^@#]*)#([0-9]+)", request):
            messages = topics.get(match[1], [])
            return messages[int(match[2])] if int(match[2]) < len(messages) else b""
        if match := re.fullmatch(rb"COUNT(@[^@#]*)", request):
            return b"%d" % len(topics.get(match[1], []))
        return b"#".join(topics) if request == b"LIST" else b""

    return serve


def http(
    content: Callable[[int], bytes] = lambda _: b"Hello, World!",
    *,
    head: bytes = b"",
    fields: bytes | None = None,
    closes_when: bytes = b"Connection: close",
) -> Serve:
    """A server that has the same for whatever is asked; it is told the number of the request."""

    def serve(peer: socket.socket) -> None:
        for number, request in enumerate(requests(peer, b"\r\n\r\n")):
            body = content(number)
            own = b"Content-Length: %d\r\n" % len(body) if fields is None else fields
            peer.sendall(head + b"HTTP/1.1 200 OK\r\n" + own + b"\r\n" + body)
            if closes_when in request:
                return

    return serve


def kv_json(form: Callable[[dict[str, object]], str]) -> Serve:
    """A store whose replies have a form of their own."""
    store: dict[str, str] = {}

    def serve(peer: socket.socket) -> None:
        for request in requests(peer, b"}"):
            asked = json.loads(request + b"}")
            name, kind = asked["key"], asked["type"]
            if kind == "POST":
                store[name] = asked["value"]
            code, value = (200, store[name]) if name in store else (404, "")
            reply = {"code": code, "key": name, "type": kind, "value": value}
            peer.sendall(form(reply).encode())

    return serve


def bucket(count: int = 32, *, is_one: bool = False, times: int = 1) -> Serve:
    """Buckets without delays; `is_one`: a connection carries one request, as in the hand-out."""
    totals: dict[int, int] = defaultdict(int)
    lock = threading.Lock()

    def serve(peer: socket.socket) -> None:
        for request in requests(peer, b"\n"):
            delay, number = map(int, request.split(b","))
            if number >= count:
                return
            with lock:
                totals[number] += delay * times
                reply = b"%d\n" % totals[number]
            peer.sendall(reply)
            if is_one:
                return

    return serve


def always(text: bytes) -> Serve:
    """Whatever is sent, this is the reply."""

    def serve(peer: socket.socket) -> None:
        while peer.recv(65536):
            peer.sendall(text)

    return serve


def never_ends(piece: bytes, first: bytes = b"") -> Serve:
    """A reply that never ends, sent as fast as the client takes it."""

    def serve(peer: socket.socket) -> None:
        peer.recv(65536)
        peer.sendall(first)
        while True:
            peer.sendall(piece)

    return serve


endless = never_ends(b"1" * 65536)
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
