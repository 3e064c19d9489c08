"""What only the engines of an io_uring do: buffers run out, and kernels forbid it."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from tests.conformance.commands import run
from tests.conformance.loads import load
from tests.conformance.peers import connected, receive_exactly, some_bytes
from tests.conformance.programs import SERVER, catalogue, refusing
from tests.conformance.server import serving, skip_if_lacking

URING = [engine.name for engine in catalogue().engines if "uring-sqpoll" in engine.extra_settings]
MORE_THAN_BUFFERS = 600
IO_URING_SETUP = 425


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
    python, *forbidding = refusing(IO_URING_SETUP, errno.EPERM)  # as containers do
    ended = run(Path(python), *forbidding, str(SERVER), f"--engine={engine}")
    assert ended.status != 0
    assert "forbids io_uring" in ended.sentence("serverlab-server")
