"""What runs on a node, called as from afar."""

from __future__ import annotations

import copy
import os
import signal
import subprocess
from functools import partial
from pathlib import Path

import psutil
import pytest

from serverlab.errors import LabError
from serverlab.hosts.apart import kept_apart
from serverlab.hosts.node import PROGRAMS, Node, hash_of
from serverlab.machine import native
from serverlab.running.events import Listening
from tests.waiting import DEADLINE_S, until


@pytest.fixture(autouse=True)
def _keeps_its_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a node is given stays with it."""
    monkeypatch.setattr(native, "_preferred", [])


def test_a_node_runs_the_programs_that_it_is_given() -> None:
    node = Node()
    assert node.programs() == {name: hash_of(name) for name in PROGRAMS}
    given = b'#!/bin/sh\necho \'{"event":"listening","address":"somewhere"}\'\nexec sleep 60\n'
    node.take("serverlab-server", given)
    assert node.programs()["serverlab-server"] != ""
    number, pid = node.start("serverlab-server", {}, [])
    assert node.ask(partial(os.path.realpath, f"/proc/{pid}/cwd")) == str(Path.cwd())
    event = copy.deepcopy(node.next_event(number, DEADLINE_S))
    assert event == Listening("somewhere")
    sample = copy.deepcopy(node.look(number))
    assert sample.threads > 0
    folder = native.program("serverlab-server").parent
    node.leave()
    assert not node.is_alive(number)
    assert not folder.exists()


def test_what_goes_wrong_can_be_said_elsewhere() -> None:
    node = Node()
    number, _ = node.start("serverlab-server", {"engine": "no-such"}, [])
    with pytest.raises(LabError) as raised:
        node.next_event(number, DEADLINE_S)
    said = copy.deepcopy(raised.value)
    assert type(said) is type(raised.value)
    assert str(said) == str(raised.value)
    node.leave()


def test_a_program_that_is_nowhere_has_no_hash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native, "ROOT", tmp_path)
    monkeypatch.setattr(native, "INSTALLED", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert hash_of("serverlab-load") == ""


def test_a_process_is_kept_apart_with_its_descendants_until_the_block_ends() -> None:
    everywhere = os.sched_getaffinity(0)
    with subprocess.Popen(["sh", "-c", "sleep 60 & wait"], process_group=0) as parent:
        try:
            [child] = until(lambda: psutil.Process(parent.pid).children(), "it has a child")
            with kept_apart(parent.pid, last := max(everywhere)):
                assert os.sched_getaffinity(child.pid) == os.sched_getaffinity(parent.pid) == {last}
            assert os.sched_getaffinity(child.pid) == os.sched_getaffinity(parent.pid) == everywhere
        finally:
            os.killpg(parent.pid, signal.SIGKILL)
