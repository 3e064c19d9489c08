"""What the kernel says of a server without a probe: its time in user mode and in the kernel.

It splits the time by ticks, so that only many slices together say something.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from serverlab.errors import LabError
from serverlab.machine import sampler
from serverlab.records import Switches
from serverlab.slices import KERNEL, USER, PartCounts

if TYPE_CHECKING:
    from collections.abc import Mapping

NS_IN_S = 1_000_000_000


def outside(pid: int) -> Mapping[str, PartCounts]:
    """All that a server and the processes that it has forked have used so far.

    Raises LabError if it is gone.
    """
    try:
        sample = sampler.sample(pid)
        switches = sum(sampler.switches_by_thread(pid).values(), Switches())
        run_queue_ns = sum(waited_ns(one) for one in sampler.processes(pid))
    except OSError as error:
        raise LabError(f"process {pid} is gone") from error
    return {
        USER: PartCounts(cpu_ns=round(sample.user_s * NS_IN_S)),
        KERNEL: PartCounts(
            cpu_ns=round(sample.system_s * NS_IN_S),
            blocks=switches.voluntary,
            preemptions=switches.involuntary,
            run_queue_ns=run_queue_ns,
        ),
    }


def waited_ns(pid: int) -> int:
    """How long threads of a process were ready to run, and did not."""
    total = 0
    for task in sampler.tasks(pid):
        with contextlib.suppress(OSError, ValueError, IndexError):  # ended, or no such file
            total += int((task / "schedstat").read_text(encoding="ascii").split()[1])
    return total
