"""What only the engines of an io_uring do: buffers run out, and kernels forbid it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.conformance.commands import run
from tests.conformance.loads import load
from tests.conformance.peers import connected, receive_exactly, some_bytes
from tests.conformance.programs import SERVER, catalogue
from tests.conformance.server import serving, skip_if_lacking

URING = [engine.name for engine in catalogue().engines if "uring-sqpoll" in engine.extra_settings]
MORE_THAN_BUFFERS = 600

# Makes io_uring_setup fail with EPERM, as the seccomp profiles of containers do, then starts a
# command. The filter: load the call's number; if it is 425, EPERM; otherwise allow.
FORBIDDING = """
import ctypes, os, struct, sys
filter = b"".join(struct.pack("HBBI", *instruction) for instruction in [
    (0x20, 0, 0, 0), (0x15, 0, 1, 425), (0x06, 0, 0, 0x00050001), (0x06, 0, 0, 0x7fff0000)])
buffer = ctypes.create_string_buffer(filter)
program = struct.pack("HxxxxxxQ", 4, ctypes.addressof(buffer))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, program) == 0
os.execv(sys.argv[1], sys.argv[1:])
"""


@pytest.mark.parametrize("engine", URING)
def test_more_requests_at_once_than_buffers_are_all_answered(engine: str) -> None:
    requests = [some_bytes(1_000, seed=number) for number in range(MORE_THAN_BUFFERS)]
    with serving(engine) as server, connected(server, MORE_THAN_BUFFERS) as peers:
        for _ in range(2):
            server.freeze()
            for peer, request in zip(peers, requests, strict=True):
                peer.sendall(request)
            server.thaw()
            for peer, request in zip(peers, requests, strict=True):
                assert receive_exactly(peer, len(request)) == request


@pytest.mark.parametrize("engine", URING)
def test_no_receive_and_no_send_is_a_system_call(engine: str) -> None:
    with serving(engine) as server:
        requests = load(server, "--connections=64", "--depth=16").result["requests"]["completed"]
        server.ask_to_stop()
        syscalls = server.summary()["syscalls"]
    assert syscalls["receive"] == syscalls["send"] == syscalls["change"] == 0
    assert 0 < syscalls["wait"] < requests


@pytest.mark.parametrize("engine", URING)
def test_a_kernel_that_forbids_it_is_named_in_a_sentence(engine: str) -> None:
    skip_if_lacking(engine)
    ended = run(Path(sys.executable), "-c", FORBIDDING, str(SERVER), f"--engine={engine}")
    assert ended.status != 0
    assert "forbids io_uring" in ended.sentence("serverlab-server")
