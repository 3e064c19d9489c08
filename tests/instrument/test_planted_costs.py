"""What is planted in a request is found in its own row of the ledger, at about its size.

How exact the sizes are, `make bench-planted` says: a test beside others asks for half and double.
"""

from __future__ import annotations

import statistics
import subprocess
from typing import TYPE_CHECKING

import msgspec
import pytest

from bench import planted
from serverlab.analysis.ledger_sums import NO_CALLS
from serverlab.slices import ENTERING, ProbedLoad
from tests.instrument.busy_host import while_the_host_lends_the_cpus

if TYPE_CHECKING:
    from pathlib import Path


def explained(folder: Path, plant: str, *settings: str) -> planted.Found:
    try:
        return planted.explained(folder, plant, *settings, takes=planted.TAKES_IN_TEST)
    except planted.NoProbeError as missing:
        pytest.skip(f"this machine takes no probe: {missing}")


def slices_of(folder: Path) -> ProbedLoad:
    return msgspec.json.decode((folder / "slices.json").read_bytes(), type=ProbedLoad)


def assert_parts_are_the_cpu_time(load: ProbedLoad) -> None:
    for subject in {one.subject for one in load.slices}:
        probed = [one for one in load.slices if one.probed and one.subject == subject]
        in_parts_ns = sum(part.cpu_ns for one in probed for part in one.parts.values())
        assert in_parts_ns == pytest.approx(sum(one.cpu_ns for one in probed), rel=0.15)


def test_calls_are_counted_and_have_their_price(tmp_path: Path) -> None:
    with while_the_host_lends_the_cpus():
        found = explained(tmp_path / "run", "getppid")
        assert found.parts["getppid"]["calls"]["value"] == pytest.approx(10, rel=0.01)
        assert found.planted_ns / 2 < found.more["getppid"] < 2 * found.planted_ns
        assert_parts_are_the_cpu_time(slices_of(tmp_path / "run"))


def test_code_is_in_user_mode(tmp_path: Path) -> None:
    found = explained(tmp_path / "run", "user")
    assert found.planted_ns / 2 < found.more["user"] < 2 * found.planted_ns


def test_a_filter_of_system_calls_is_no_user_mode(tmp_path: Path) -> None:
    with while_the_host_lends_the_cpus():
        found = explained(tmp_path / "run", "filter")
        assert found.planted_ns / 2 < found.more[ENTERING] < 2 * found.planted_ns
        calls = sum(
            part["calls"]["value"] for name, part in found.parts.items() if name not in NO_CALLS
        )
        assert found.parts[ENTERING]["calls"]["value"] == pytest.approx(calls, rel=0.01)
        assert abs(found.more["user"]) < found.planted_ns / 4


def test_a_wake_up_is_two_calls_of_futex(tmp_path: Path) -> None:
    with while_the_host_lends_the_cpus():
        found = explained(tmp_path / "run", "wake", "--connections=1")
        assert found.parts["futex"]["calls"]["value"] == pytest.approx(2, rel=0.01)
        assert found.parts["futex"]["blocks"]["value"] == pytest.approx(1, rel=0.01)
        assert found.planted_ns / 2 < found.found_ns("wake") < 2 * found.planted_ns
        # Each request waits until a CPU is awake, and the scheduler charges the thread for it.
        assert_parts_are_the_cpu_time(slices_of(tmp_path / "run"))


def test_a_lock_is_waited_for_while_another_has_it(tmp_path: Path) -> None:
    found = explained(tmp_path / "run", "lock", "--connections=1")
    assert found.parts["futex"]["blocks"]["value"] == pytest.approx(1, rel=0.01)
    assert found.planted_ns / 2 < found.found_ns("lock") < 2 * found.planted_ns


def test_threads_that_make_way_for_each_other_have_the_cpu_time_of_the_server(
    tmp_path: Path,
) -> None:
    # The scheduler charges a thread from when it was woken, up to 10 µs before the other one makes
    # way: counted for both, that was 1.2 % of the CPU time.
    command = [*planted.SERVERLAB, "explain", "epoll-offload", "--for=10s", f"--out={tmp_path}/run"]
    with while_the_host_lends_the_cpus():
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=100)
        load = slices_of(tmp_path / "run")
        if load.without_probe:
            pytest.skip(f"this machine takes no probe: {load.without_probe}")
        probed = [one for one in load.slices if one.probed]
        in_parts = [sum(part.cpu_ns for part in one.parts.values()) / one.cpu_ns for one in probed]
        assert sum(part.preemptions for part in probed[0].parts.values()) > 0
        assert abs(statistics.median(in_parts) - 1) < 0.004
        assert not all(one.disturbed for one in load.slices), "they begin when they are told"
