"""What clients do, each verb to its end or to the deadline."""

from __future__ import annotations

import contextlib
import fcntl
import random
import select
import socket
import struct
import sys
import termios
import threading
import time
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from tests.conformance.programs import engine_row
from tests.conformance.server import Server
from tests.waiting import DEADLINE_S, until

PIECE_BYTES = 1 << 16
# In which a kernel moves what it has only held up: for want of a CPU, for its pacing, or, where TCP
# is short of memory, for up to 0.2 s at a time (sk_stream_wait_memory).
STUCK_S = 0.3
# A send buffer that the kernel does not enlarge: in an enlarged one there is room for more replies,
# which a sleeping server finds at its next wake-up, such as that of a stop.
FIXED_SEND_BUFFER = "--send-buffer=64KiB"


@lru_cache(maxsize=64)
def some_bytes(size: int, seed: int = 1) -> bytes:
    """Bytes in which every mistake shows: no two stretches are alike."""
    return random.Random(seed).randbytes(size)


def deliver(peer: socket.socket, data: bytes) -> None:
    """Send, and wait until the server's kernel has all of it.

    Without a CPU the kernel delivers late: what was sent before a stop arrives after it.
    """
    peer.sendall(data)
    await_delivery(peer)


def await_delivery(peer: socket.socket) -> None:
    """Wait until the server's kernel has all that was sent."""
    until(lambda: unacknowledged_bytes(peer) == 0, "what was sent is delivered")


def unacknowledged_bytes(peer: socket.socket) -> int:
    """What was sent and the other kernel has not acknowledged: SIOCOUTQ of tcp(7)."""
    held = fcntl.ioctl(peer, termios.TIOCOUTQ, bytes(4))
    return int.from_bytes(held, sys.byteorder)


def receive_exactly(peer: socket.socket, size: int) -> bytes:
    """The next `size` bytes; fewer only if the stream ends before."""
    received = bytearray()
    while len(received) < size:
        piece = peer.recv(min(PIECE_BYTES, size - len(received)))
        if not piece:
            break
        received += piece
    return bytes(received)


def receive_line(peer: socket.socket, ending: bytes = b"\n") -> bytes:
    """The next line with its ending; less only if the stream ends before."""
    received = bytearray()
    while not received.endswith(ending) and (byte := peer.recv(1)):
        received += byte
    return bytes(received)


def receive_all(peer: socket.socket) -> bytes:
    """Everything up to the end of the stream."""
    received = bytearray()
    while piece := peer.recv(PIECE_BYTES):
        received += piece
    return bytes(received)


@contextlib.contextmanager
def sending(peer: socket.socket, request: bytes) -> Iterator[None]:
    """Send the request and half-close, while the block runs."""

    def send() -> None:
        peer.sendall(request)
        peer.shutdown(socket.SHUT_WR)

    sender = threading.Thread(target=send)
    sender.start()
    try:
        yield
    finally:
        sender.join()


def exchange(peer: socket.socket, request: bytes) -> bytes:
    """Send the request and half-close, and meanwhile receive up to the end of the stream."""
    with sending(peer, request):
        return receive_all(peer)


def send_until_blocked(peer: socket.socket, data: bytes) -> int:
    """Send without receiving until the server takes no more. Returns how much was taken."""
    settled_s = 0.1  # what is not taken in this time is not taken at all
    peer.settimeout(0)
    sent = 0
    while sent < len(data) and select.select([], [peer], [], settled_s)[1]:
        with contextlib.suppress(BlockingIOError):
            sent += peer.send(data[sent : sent + PIECE_BYTES])
    peer.settimeout(DEADLINE_S)
    return sent


def send_until_stuck(server: Server, peer: socket.socket, data: bytes) -> int:
    """Send without receiving until the server sleeps beside input, since its output is not taken.

    A server that has no CPU yet does not take any more either, and neither does one to which the
    kernel, without a CPU, has not delivered what was sent; nor does what the server sent reach the
    peer at once. So its kernel probes a window without room, and nothing has moved for a while.
    Where the kernel itself replies, nothing waits to be read. Returns how much was taken.
    """
    taken, before, since_s = 0, None, 0.0
    is_read = not engine_row(server.engine).in_kernel

    def is_stuck() -> bool:
        nonlocal taken, before, since_s
        more = send_until_blocked(peer, data[taken:])
        taken += more
        now = queues(peer)
        if more or now != before or not server.sleeps():
            before, since_s = now, time.monotonic()
            return False
        if is_read and not (now.unread_bytes and now.is_window_probed):
            return False
        return time.monotonic() - since_s > STUCK_S

    until(is_stuck, "the server cannot send any more")
    return taken


class Queues(NamedTuple):
    """What the kernel holds of a connection at the server's end, by /proc/net/tcp."""

    unread_bytes: int  # received, and not read by the server
    unsent_bytes: int  # sent by the server, and not acknowledged
    is_window_probed: bool  # nothing is in flight, since the peer's window has no room


NOTHING_QUEUED = Queues(unread_bytes=0, unsent_bytes=0, is_window_probed=False)
WINDOW_PROBE_TIMER = "04"  # tr in Documentation/networking/proc_net_tcp.rst


def queues(peer: socket.socket) -> Queues:
    """The queues of the server's end of a connection."""
    far, near = (proc_address(one) for one in (peer.getpeername(), peer.getsockname()))
    for line in Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]:
        _, local, remote, _, held, timer, *_ = line.split()
        if (local, remote) == (far, near):
            unsent, unread = (int(one, 16) for one in held.split(":"))
            return Queues(unread, unsent, timer.startswith(f"{WINDOW_PROBE_TIMER}:"))
    return NOTHING_QUEUED


def proc_address(address: tuple[str, int]) -> str:
    """An address of IPv4 as /proc/net/tcp has it: hexadecimal, in the machine's byte order."""
    host, port = address
    return f"{int.from_bytes(socket.inet_aton(host), sys.byteorder):08X}:{port:04X}"


def hears_something(peer: socket.socket, within_s: float = 0) -> bool:
    """Whether there is something to receive, or the stream has ended."""
    return bool(select.select([peer], [], [], within_s)[0])


def reset(peer: socket.socket) -> None:
    """Close with a reset instead of a FIN."""
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    peer.close()


@contextlib.contextmanager
def connected(
    server: Server, count: int, *, buffer_bytes: int | None = None
) -> Iterator[list[socket.socket]]:
    """So many connections, until the block ends."""
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(server.connect(buffer_bytes=buffer_bytes)) for _ in range(count)]


def is_echoed(peer: socket.socket, request: bytes) -> bool:
    """Whether an echo server answers the request on a connection that stays open."""
    peer.sendall(request)
    return receive_exactly(peer, len(request)) == request


def expect_answers_to_ended_peers(server: Server, count: int) -> None:
    """Expect answers for peers whose request and end were there before the server could look."""
    server.freeze()
    with connected(server, count) as peers:
        for peer in peers:
            peer.sendall(b"a word, and the end")
            peer.shutdown(socket.SHUT_WR)
        server.thaw()
        for peer in peers:
            assert receive_all(peer) == b"a word, and the end"
