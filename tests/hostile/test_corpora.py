"""What fuzzing has found, over real sockets: servers survive all of it, and so does the load."""

from __future__ import annotations

import contextlib
import itertools
import re
import socket
from pathlib import Path

from tests.conformance.loads import load_address
from tests.conformance.misbehaving import misbehaving
from tests.conformance.peers import PIECE_BYTES
from tests.conformance.programs import verdict_statuses
from tests.conformance.server import serving
from tests.hostile.good_client import good_client

CORPORA = Path(__file__).resolve().parents[2] / "fuzz" / "corpus"
REPLY_BYTES_MAX = 1 << 20  # then the peer leaves: a request may be for a gigabyte
# A delay of five digits is 0.1 ms in these units; the corpus has some of a minute.
SETTINGS = {"bucket": ["--bucket-delay-unit=1ns"]}
LONG_DELAY = re.compile(rb"[0-9]{6}")


def inputs(target: str) -> list[bytes]:
    """The inputs of a service or of its client, in the order of their names."""
    files = sorted((CORPORA / target).iterdir())
    found = [file.read_bytes() for file in files]
    return [one for one in found if target != "bucket" or not LONG_DELAY.search(one)]


def speak(peer: socket.socket, stream: bytes) -> None:
    """Send the stream, then read to its end or as far as the peer likes."""
    received = 0
    with contextlib.suppress(ConnectionError):  # the server may close before it has read all
        peer.sendall(stream)
        peer.shutdown(socket.SHUT_WR)
        while received < REPLY_BYTES_MAX and (piece := peer.recv(PIECE_BYTES)):
            received += len(piece)


def test_no_input_that_fuzzing_found_harms_a_server(engine: str, service: str) -> None:
    served = serving(engine, f"--service={service}", *SETTINGS.get(service, []))
    with served as server, good_client(server, service):
        for stream in inputs(service):
            with server.connect() as peer:
                speak(peer, stream)


def test_no_reply_that_fuzzing_found_harms_the_generator(service: str) -> None:
    replies = itertools.cycle(inputs(f"{service}-client"))

    def reply(peer: socket.socket) -> None:
        if peer.recv(PIECE_BYTES):
            peer.sendall(next(replies))

    with misbehaving(reply) as address:
        loaded = load_address(
            address, f"--service={service}", "--timeout=200ms", "--warmup=0s", "--duration=600ms"
        )
    assert loaded.status == verdict_statuses()["ERRORS"]
    assert loaded.result["connections"]["lost"] > len(inputs(f"{service}-client"))


def test_every_service_has_a_corpus(service: str) -> None:
    assert inputs(service)
    assert inputs(f"{service}-client")
