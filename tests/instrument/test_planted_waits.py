"""What makes requests wait is the lane in which the slowest of them are found."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest

from serverlab.slices import LANES, SLICE_S, ProbedLoad
from tests.conformance.test_standard_streams import free_port
from tests.instrument.busy_host import while_the_host_lends_the_cpus
from tests.instrument.conftest import BUILD
from tests.lab.command_line import call

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

CPU = "0"  # of the server, and of what disturbs it
HOGS = 3
STOP_S, BETWEEN_STOPS_S = 0.005, 0.05
SHARE_MIN = 0.95  # of the slowest requests, in the lane of what was planted
# What other work on this machine does to requests, which is in these lanes rightly.
WITHOUT_CPU = ("unread, thread without CPU", "served, thread without CPU")
OF_OTHERS = (*WITHOUT_CPU, "reply unread by client")


@contextlib.contextmanager
def serving(plant: str) -> Iterator[tuple[str, int]]:
    """A server with something planted, on one CPU: where it listens, and its process."""
    port = str(free_port())
    command = ["taskset", "-c", CPU, str(BUILD / "planted_cost_server"), port, plant]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server:
        yield f"127.0.0.1:{port}", server.pid
        server.terminate()


def followed(
    folder: Path, address: str, connections: int
) -> tuple[NDArray[np.float64], ProbedLoad]:
    """The lanes of each request that was followed, and all that was measured."""
    done = call("explain", address, "--tail", "--for=20s", "--json", f"--connections={connections}",
                f"--out={folder}", cwd=folder.parent)  # fmt: skip
    if "the probe wants" in done.stderr:
        pytest.skip(f"this machine takes no probe: {done.stderr.strip()}")
    if done.returncode != 0:  # no assertion: that would be skipped on a busy host
        raise RuntimeError(done.stderr)
    load = msgspec.json.decode((folder / "slices.json").read_bytes(), type=ProbedLoad)
    [requests] = load.requests.values()
    return np.array([one.lanes_ns for one in requests], float), load


def share_of_slowest(lanes_ns: NDArray[np.float64], *wanted: str) -> float:
    """Of the slowest hundredth, how many are longer in these lanes than in any other.

    Requests that waited for other work most of all are left out, unless that is wanted.
    """
    times_ns = lanes_ns.sum(axis=1)
    slowest = lanes_ns[times_ns >= np.quantile(times_ns, 0.99)]
    columns = [LANES.index(name) for name in wanted]
    of_others = [LANES.index(name) for name in OF_OTHERS if name not in wanted]
    slowest = slowest[~np.isin(slowest.argmax(axis=1), of_others)]
    others = np.delete(slowest, columns + of_others, axis=1).max(axis=1)
    return float(np.mean(slowest[:, columns].sum(axis=1) > others))


def not_paused(lanes_ns: NDArray[np.float64]) -> NDArray[np.float64]:
    """The requests that found the thread busy for at most two rounds of all connections.

    A closed loop keeps it busy for one. What is longer is the host of a virtual machine, which
    pauses the thread for 5 to 20 ms now and then: for the kernel it runs meanwhile.
    """
    busy_ns = lanes_ns[:, LANES.index("unread, thread busy")]
    kept: NDArray[np.float64] = lanes_ns[busy_ns <= 2 * np.median(lanes_ns.sum(axis=1))]
    return kept


@while_the_host_lends_the_cpus()
def test_a_busy_thread_leaves_requests_unread(tmp_path: Path) -> None:
    connections = 16
    with serving("long") as (address, _):
        lanes_ns, load = followed(tmp_path / "run", address, connections)
    assert share_of_slowest(lanes_ns, "unread, thread busy") >= SHARE_MIN
    # Little's law, for closed connections: what a request takes, as the generator sees it.
    probed = [one for one in load.slices if one.probed]
    mean_s = connections * SLICE_S * len(probed) / sum(one.requests for one in probed)
    assert 1e-9 * lanes_ns.sum(axis=1).mean() == pytest.approx(mean_s, rel=0.1)


@while_the_host_lends_the_cpus()
def test_a_slow_handler_is_time_of_being_served(tmp_path: Path) -> None:
    with serving("slow") as (address, _):
        lanes_ns, _ = followed(tmp_path / "run", address, 1)
    assert share_of_slowest(lanes_ns, "served") >= SHARE_MIN


@while_the_host_lends_the_cpus()
def test_a_cpu_that_others_use_is_waited_for(tmp_path: Path) -> None:
    hog = ["taskset", "-c", CPU, sys.executable, "-c", "while True: pass"]
    hogs = [subprocess.Popen(hog) for _ in range(HOGS)]
    try:
        with serving("none") as (address, _):
            lanes_ns, _ = followed(tmp_path / "run", address, 16)
    finally:
        for one in hogs:
            one.kill()
            one.wait()
    assert share_of_slowest(lanes_ns, *WITHOUT_CPU) >= SHARE_MIN


@while_the_host_lends_the_cpus()
def test_a_server_that_is_stopped_is_found_stopped(tmp_path: Path) -> None:
    over = threading.Event()

    def stop_and_go(server: int) -> None:
        while not over.wait(BETWEEN_STOPS_S):
            os.kill(server, signal.SIGSTOP)
            over.wait(STOP_S)
            os.kill(server, signal.SIGCONT)

    with serving("long") as (address, pid):
        disturber = threading.Thread(target=stop_and_go, args=(pid,))
        disturber.start()
        try:
            lanes_ns, _ = followed(tmp_path / "run", address, 16)
        finally:
            over.set()
            disturber.join()
    stopped = ("unread, thread stopped", "served, thread stopped")
    kept = not_paused(lanes_ns)
    assert len(kept) > 0.95 * len(lanes_ns)
    assert share_of_slowest(kept, *stopped) >= SHARE_MIN
