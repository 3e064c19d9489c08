"""Commands that measure on the same CPUs at the same time name each other."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from serverlab.running.neighbours import measuring, ranges

# Of no machine, and of no other process of tests: their numbers follow each other.
FIRST = 4_000 + os.getpid() % 290 * 20
CPUS = {FIRST, FIRST + 1, FIRST + 2, FIRST + 10}
OTHER = f"""
import sys
from serverlab.running.neighbours import measuring
with measuring("serverlab run", {{{FIRST + 2}, {FIRST + 3}}}, print):
    print("begun", flush=True)
    sys.stdin.read()
"""


def test_both_of_two_commands_that_share_a_cpu_name_the_other() -> None:
    said: list[str] = []
    command = [sys.executable, "-c", OTHER]
    with (
        measuring("serverlab search", CPUS, said.append),
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as process,
    ):
        assert process.stdout is not None
        heard = [process.stdout.readline(), process.stdout.readline()]
        with measuring("serverlab stress", {FIRST + 3}, said.append):
            pass
        with measuring("serverlab claims", {FIRST + 5}, said.append):
            pass
        process.communicate()
    assert heard[0].startswith("serverlab search (pid ")
    assert f"measures on CPU {FIRST + 2}, too" in heard[0]
    assert heard[1] == "begun\n"
    assert len(said) == 1
    assert said[0].startswith(f"serverlab run (pid {process.pid}) measures on CPU {FIRST + 3}, too")


def test_a_command_that_began_later_is_named_at_the_end() -> None:
    said: list[str] = []
    with subprocess.Popen(
        [sys.executable, "-c", OTHER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        with measuring("serverlab search", CPUS, said.append):
            assert process.stdout is not None
            assert any(line == "begun\n" for line in process.stdout)
        process.communicate()
    assert [sentence.partition(" measures")[0] for sentence in said] == [
        f"serverlab run (pid {process.pid})"
    ]


@pytest.mark.parametrize(
    ("cpus", "text"), [({0}, "0"), ({0, 1, 2, 5}, "0-2,5"), ({1, 3}, "1,3"), (set(), "")]
)
def test_cpus_are_as_short_as_they_can_be(cpus: set[int], text: str) -> None:
    assert ranges(cpus) == text
