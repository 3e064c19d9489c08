"""What the sampler reads of processes and threads while they come and go."""

from __future__ import annotations

import os
import threading

from serverlab.machine import sampler
from tests.waiting import until


def test_a_thread_that_has_ended_since_it_was_listed_has_a_state() -> None:
    """As a server's may do: of those in a list, some are gone when their turn comes."""
    may_end = threading.Event()
    thread = threading.Thread(target=may_end.wait)
    thread.start()
    (task,) = [one for one in sampler.tasks(os.getpid()) if one.name == str(thread.native_id)]
    until(lambda: sampler.state(task) == "S", "the thread waits")
    may_end.set()
    thread.join()
    until(lambda: sampler.state(task) == "X", "the kernel has ended it too")
    assert not task.exists()
