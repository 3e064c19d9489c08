"""Servers that break their word in one way each, for one client at a time."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from collections.abc import Callable, Iterator

from tests.conformance.peers import receive_exactly, reset
from tests.conformance.sockets import HOST

PAYLOAD_BYTES = 64

Behaviour = Callable[[socket.socket], None]


def echo_once(peer: socket.socket) -> bool:
    """Answer one request rightly. Returns whether there was one."""
    request = receive_exactly(peer, PAYLOAD_BYTES)
    if len(request) == PAYLOAD_BYTES:
        peer.sendall(request)
    return len(request) == PAYLOAD_BYTES


def answers(peer: socket.socket) -> None:
    """Break no word: the server to compare the others with."""
    while echo_once(peer):
        pass


def answers_never(peer: socket.socket) -> None:
    """Take requests, and say nothing."""
    while peer.recv(PAYLOAD_BYTES):
        pass


LATE_S = 1.0


def answers_late(peer: socket.socket) -> None:
    """Answer right, long after each request."""
    never = threading.Event()
    while request := receive_exactly(peer, PAYLOAD_BYTES):
        never.wait(LATE_S)
        peer.sendall(request)


def answers_half(peer: socket.socket) -> None:
    """Begin an answer, and never go on with it."""
    peer.sendall(receive_exactly(peer, PAYLOAD_BYTES)[: PAYLOAD_BYTES // 2])
    answers_never(peer)


def answers_a_wrong_byte(peer: socket.socket) -> None:
    """Answer right a few times, then with the last byte of the request changed."""
    for _ in range(5):
        echo_once(peer)
    request = bytearray(receive_exactly(peer, PAYLOAD_BYTES))
    if request:
        request[-1] ^= 1
    peer.sendall(request)


NONSENSE = b"\x1b[2Jno\xff\\\r\n\0" * 100
NONSENSE_SHOWN = ("\\x1b[2Jno\\xff\\\\\\r\\n\\x00" * 6)[:-6] + "..."  # 64 bytes


def answers_nonsense(peer: socket.socket) -> None:
    """Answer whatever comes by bytes that no protocol has, and that a terminal would obey."""
    while peer.recv(1 << 16):
        peer.sendall(NONSENSE)


def answers_twice(peer: socket.socket) -> None:
    """Say the right answer two times in one breath."""
    peer.sendall(2 * receive_exactly(peer, PAYLOAD_BYTES))
    answers_never(peer)


def speaks_unasked(peer: socket.socket) -> None:
    """Greet, in a protocol without a greeting."""
    peer.sendall(b"220 welcome\r\n")
    answers_never(peer)


def speaks_tls(peer: socket.socket) -> None:
    """Take the request for the beginning of TLS, which it is not: an alert comes back."""
    ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).wrap_socket(peer, server_side=True)


def ends_within_an_answer(peer: socket.socket) -> None:
    """Close when a part of the answer is out."""
    peer.sendall(receive_exactly(peer, PAYLOAD_BYTES)[:10])


def ends_before_an_answer(peer: socket.socket) -> None:
    """Close when a request has come, with a FIN."""
    receive_exactly(peer, PAYLOAD_BYTES)


def resets_before_an_answer(peer: socket.socket) -> None:
    """Close when a request has come, with a reset."""
    receive_exactly(peer, PAYLOAD_BYTES)
    reset(peer)


@contextlib.contextmanager
def misbehaving(behave: Behaviour) -> Iterator[str]:
    """Serve one connection after the other in this way, and yield where."""
    stopped = threading.Event()

    def serve(listener: socket.socket) -> None:
        while not stopped.is_set():
            with contextlib.suppress(OSError), listener.accept()[0] as peer:
                peer.settimeout(10)
                behave(peer)

    with socket.create_server((HOST, 0)) as listener:
        thread = threading.Thread(target=serve, args=(listener,))
        thread.start()
        host, port = listener.getsockname()
        try:
            yield f"{host}:{port}"
        finally:
            stopped.set()
            socket.create_connection((host, port)).close()  # wakes the thread from its accept
            thread.join()
