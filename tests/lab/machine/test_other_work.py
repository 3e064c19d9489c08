"""How busy other work kept the CPUs that a measurement had."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from serverlab.machine.other_work import CpusLook, look_at, other_cpus_busy
from tests.waiting import until

SECOND = CpusLook(t_s=1.0, idle_s=100.0, own_s=10.0)


@pytest.mark.parametrize(
    ("idle_s", "own_s", "busy"),
    [
        pytest.param(102.0, 10.0, 0.0, id="all idle"),
        pytest.param(100.0, 12.0, 0.0, id="all ours"),
        pytest.param(100.0, 10.0, 2.0, id="all others'"),
        pytest.param(100.5, 11.0, 0.5, id="some of each"),
        pytest.param(102.01, 10.0, 0.0, id="a tick too many"),
    ],
)
def test_what_is_neither_idle_nor_ours_is_other_work(
    idle_s: float, own_s: float, busy: float
) -> None:
    end = CpusLook(t_s=2.0, idle_s=idle_s, own_s=own_s)
    assert other_cpus_busy(SECOND, end, {0, 1}) == pytest.approx(busy)


def test_a_process_that_computes_is_other_work() -> None:
    """Whatever else runs here can only make it more, and only ours is not counted."""
    computing = [sys.executable, "-c", "print(flush=True)\nwhile True: pass"]
    with subprocess.Popen(["taskset", "-c", "0", *computing], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        begin = look_at({0}, own_s=0.0)
        until(lambda: time.monotonic() > begin.t_s + 0.5, "half a second has passed")
        end = look_at({0}, own_s=0.0)
        process.kill()
    own_s = end.own_s - begin.own_s
    assert other_cpus_busy(begin, end, {0}) > 0.9 - 2 * own_s / (end.t_s - begin.t_s)
