"""A laboratory that stands still in the middle of a trial, or is killed again and again."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.test_store import Folder
from tests.lab.command_line import SERVERLAB, records
from tests.waiting import DEADLINE_S, until

STOPPED_S = 1.0
KILLS = int(os.environ.get("SERVERLAB_KILLS", "3"))  # 50 for docs/reliability.md
SEED = 16

ENGINES = 'engine = ["poll", "epoll-level"]'
SERVERS = {
    "engines": ENGINES,
    "a contestant": (
        'engine = "poll"\ncontestant = "forking"\n'
        '[contestant.forking]\nservices = ["echo"]\nstart = "python3 forking.py {port}"'
    ),
}
# A contestant whose workers leave its session and ignore signals.
FORKING = """
import os, signal, socket, sys
listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
if os.fork() == 0:
    os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
while True:
    peer, _ = listener.accept()
    if os.fork() == 0:
        while data := peer.recv(65536):
            peer.sendall(data)
        os._exit(0)
    peer.close()
"""


@contextlib.contextmanager
def started(one: Folder, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """A laboratory that is gone after the block."""
    with subprocess.Popen(
        [*SERVERLAB, *arguments],
        cwd=one.path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def test_a_run_that_stands_still_for_a_while_goes_on(tmp_path: Path) -> None:
    one = Folder(tmp_path)
    with started(one, "run", str(one.experiment), "--out", str(one.run)) as process:
        until(lambda: records(one.run), "the first trial is done")
        process.send_signal(signal.SIGSTOP)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(STOPPED_S)
        process.send_signal(signal.SIGCONT)
        assert process.wait(DEADLINE_S) == 0
    one.expect_whole([])


@pytest.mark.parametrize("servers", SERVERS.values(), ids=SERVERS)
def test_a_run_that_is_killed_again_and_again_is_whole_in_the_end(
    tmp_path: Path, servers: str
) -> None:
    chance = random.Random(SEED)
    one = Folder(tmp_path)
    (tmp_path / "forking.py").write_text(FORKING, encoding="utf-8")
    text = one.experiment.read_text(encoding="utf-8").replace("blocks = 1", "blocks = 8")
    one.experiment.write_text(text.replace(ENGINES, servers), encoding="utf-8")
    kept: list[bytes] = []
    for _ in range(KILLS):
        begun = (one.run / "plan.json").exists()
        arguments = ["--resume", str(one.run)] if begun else [str(one.experiment)]
        with (
            started(one, "run", *arguments, *([] if begun else ["--out", str(one.run)])) as process,
            contextlib.suppress(subprocess.TimeoutExpired),
        ):
            process.wait(chance.uniform(0.2, 3.0))
        assert one.trials()[: len(kept)] == kept
        kept = one.trials()
    one.resume()
    one.expect_whole(kept)
