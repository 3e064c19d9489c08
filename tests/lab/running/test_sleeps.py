"""How often servers sleep in their slices, by procfs alone."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from serverlab.machine import sampler
from serverlab.running.sleeps import Sleeps
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


def test_the_sleeps_of_a_segment_are_those_of_the_server_whose_turn_it_is() -> None:
    with answerer() as one, answerer() as other:
        sleeps = Sleeps([one.pid, other.pid])
        sleeps.begin()
        for _ in range(20):
            tell(one, "line")
        sleeps.end(0)
        tell(other, "line")
        sleeps.end(1)
        first, second = sleeps.of_segments
    assert first is not None
    assert second is not None
    assert 20 <= first <= 40
    assert 1 <= second <= 5


def test_nothing_is_known_of_a_segment_in_which_a_thread_ended_or_began() -> None:
    with answerer() as one:
        sleeps = Sleeps([one.pid])
        sleeps.begin()
        tell(one, "thread")
        sleeps.end(0)
        tell(one, "line")
        sleeps.end(0)
        tell(one, "end")
        until(lambda: len(sampler.tasks(one.pid)) == 1, "the thread is gone")
        sleeps.end(0)
        began, within, ended = sleeps.of_segments
    assert began is None
    assert within is not None
    assert ended is None


def test_nothing_is_known_of_a_server_that_is_gone() -> None:
    with answerer() as one:
        sleeps = Sleeps([one.pid])
        sleeps.begin()
    sleeps.end(0)
    assert sleeps.of_segments == [None]
