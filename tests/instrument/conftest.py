"""Servers of which everything is known, and the generator held against them."""

from __future__ import annotations

import contextlib
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

BUILD = Path(__file__).resolve().parents[2] / "build" / os.environ.get("SERVERLAB_BUILD", "release")

SEND_LAG_MAX_MS = 5.0  # what tests allow for others on the same CPUs is twice as much


@dataclass(frozen=True, slots=True)
class Running:
    """A server, and where it listens."""

    address: str
    pid: int


@contextlib.contextmanager
def running(*command: str) -> Iterator[Running]:
    """Run a program of the build that prints a `listening` event, until the block ends."""
    with subprocess.Popen([BUILD / command[0], *command[1:]], stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            event = msgspec.json.decode(process.stdout.readline())
            yield Running(event["address"], process.pid)
        finally:
            process.kill()


def load(server: Running, *settings: str, limit_s: float = 90) -> dict[str, Any]:
    """Run serverlab-load against a server, and return the result."""
    done = subprocess.run(
        [BUILD / "serverlab-load", f"--target={server.address}", *settings],
        capture_output=True,
        check=False,
        timeout=limit_s,
    )
    assert done.stderr == b"", done.stderr.decode()
    result: dict[str, Any] = msgspec.json.decode(done.stdout.splitlines()[-1])["result"]
    return result


class KnownLatency:
    """A server that keeps each request for a known time (known_latency_server.cpp)."""

    def __init__(self, folder: Path) -> None:
        """`folder` is for what it writes down."""
        self.file = folder / "kept"

    def serving(
        self, distribution: str, mean_ms: float
    ) -> contextlib.AbstractContextManager[Running]:
        """Run it until the block ends."""
        return running("known_latency_server", distribution, str(mean_ms), str(self.file))

    def load(self, distribution: str, mean_ms: float, *settings: str) -> dict[str, Any]:
        """Load a fresh one, and return the result.

        Once more, and then again, if the generator says of itself that it was late: then others
        had the CPU, and the figures are about them.
        """
        late_ms: list[float] = []
        for _ in range(3):
            with self.serving(distribution, mean_ms) as server:
                result = load(server, *settings)
            late_ms.append((result["send_lag_ns"]["p99"] or 0) / 1e6)
            if late_ms[-1] < SEND_LAG_MAX_MS:
                return result
        pytest.skip(f"the machine is too busy: p99 send lags of {late_ms} ms")

    def arrivals_s(self) -> NDArray[np.float64]:
        """When requests arrived, in order, since the first."""
        instants_ns = np.sort(np.loadtxt(self.file, dtype=np.int64, usecols=0))
        since_first: NDArray[np.float64] = (instants_ns - instants_ns[0]) / 1e9
        return since_first

    def kept_ns(self) -> NDArray[np.int64]:
        """For how long it really kept each request."""
        return np.loadtxt(self.file, dtype=np.int64, usecols=1)


@pytest.fixture
def known_latency(tmp_path: Path) -> KnownLatency:
    """Such a server, not started yet."""
    return KnownLatency(tmp_path)


@pytest.fixture
def echo_server() -> Iterator[Running]:
    """An ordinary echo server."""
    with running("serverlab-server", "--engine=epoll-level") as server:
        yield server
