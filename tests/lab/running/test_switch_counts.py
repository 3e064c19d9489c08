"""How often servers and their client are switched in slices, by procfs alone."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from serverlab.machine import sampler
from serverlab.running.switch_counts import SwitchCounter
from serverlab.slices import SwitchCounts
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator

# It waits for each line, and answers; a line `thread` has a thread come, and one `end` has it go.
ANSWERER = """
import sys, threading
gate = threading.Event()
for line in sys.stdin:
    if line == "thread\\n":
        made = threading.Thread(target=gate.wait)
        made.start()
    if line == "end\\n":
        gate.set()
        made.join()
    print("done", flush=True)
"""


@contextlib.contextmanager
def answerer() -> Iterator[subprocess.Popen[str]]:
    """A process that waits for lines."""
    with subprocess.Popen(
        [sys.executable, "-c", ANSWERER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        tell(process, "line")
        yield process
        process.kill()


def tell(process: subprocess.Popen[str], line: str) -> None:
    """Have it wake up, answer and wait again, and see that it does."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{line}\n")
    process.stdin.flush()
    process.stdout.readline()
    until(lambda: sampler.state(Path("/proc", str(process.pid))) == "S", "it waits for a line")


def test_the_switches_of_a_segment_are_those_of_the_server_whose_turn_it_is() -> None:
    with answerer() as one, answerer() as other, answerer() as client:
        switches = SwitchCounter([one.pid, other.pid], client.pid)
        switches.begin()
        for _ in range(20):
            tell(one, "line")
        switches.end(0)
        tell(other, "line")
        for _ in range(10):
            tell(client, "line")
        switches.end(1)
        first, second = switches.of_segments
    assert first.sleeps is not None
    assert second.sleeps is not None
    assert second.client_sleeps is not None
    assert 20 <= first.sleeps <= 40
    assert first.client_sleeps == 0
    assert 1 <= second.sleeps <= 5
    assert 10 <= second.client_sleeps <= 20


def test_preemptions_are_no_sleeps() -> None:
    busy = "while True: pass"
    with (
        answerer() as client,
        subprocess.Popen(["taskset", "-c", "0", sys.executable, "-c", busy]) as one,
        subprocess.Popen(["taskset", "-c", "0", sys.executable, "-c", busy]) as other,
    ):
        try:
            until(lambda: sampler.sample(one.pid).cpu_s > 0.1, "it computes")
            switches = SwitchCounter([one.pid], client.pid)
            switches.begin()
            before_s = sampler.sample(one.pid).cpu_s
            until(lambda: sampler.sample(one.pid).cpu_s > before_s + 0.2, "it goes on")
            switches.end(0)
            [found] = switches.of_segments
        finally:
            one.kill()
            other.kill()
    assert found.preemptions is not None
    assert found.sleeps is not None
    assert found.preemptions >= 5
    assert found.sleeps <= 1


def test_nothing_is_known_of_a_segment_in_which_a_thread_ended_or_began() -> None:
    with answerer() as one, answerer() as client:
        switches = SwitchCounter([one.pid], client.pid)
        switches.begin()
        tell(one, "thread")
        switches.end(0)
        tell(one, "line")
        switches.end(0)
        tell(one, "end")
        until(lambda: len(sampler.tasks(one.pid)) == 1, "the thread is gone")
        switches.end(0)
        began, within, ended = switches.of_segments
    assert began.sleeps is None
    assert began.client_sleeps == 0, "of the client it is known"
    assert within.sleeps is not None
    assert ended.preemptions is None


def test_nothing_is_known_of_a_server_that_is_gone() -> None:
    with answerer() as client:
        with answerer() as one:
            switches = SwitchCounter([one.pid], client.pid)
            switches.begin()
        switches.end(0)
    assert switches.of_segments == [SwitchCounts(client_sleeps=0)]
