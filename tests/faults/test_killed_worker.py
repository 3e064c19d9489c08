"""A process of the generator is killed: the load ends, and its other processes do with it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from pathlib import Path

from tests.conformance.programs import LOAD
from tests.conformance.server import serving
from tests.waiting import DEADLINE_S

HAND_OVER_S = 1.0  # a worker hands over what it has counted each second


def test_a_load_ends_though_a_process_of_it_has_not_been_heard_out() -> None:
    with serving("epoll-level") as target:
        command = [
            str(LOAD), f"--target={target.address}", "--processes=2",
            "--connections=2", "--duration=20s",
        ]  # fmt: skip
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as load:
            try:
                assert load.stdout is not None
                assert any(json.loads(line)["event"] == "window" for line in load.stdout)
                children = Path(f"/proc/{load.pid}/task/{load.pid}/children").read_text()
                first, second = (int(pid) for pid in children.split())
                load.send_signal(signal.SIGSTOP)
                os.kill(first, signal.SIGKILL)
                go_on = threading.Timer(1.5 * HAND_OVER_S, load.send_signal, (signal.SIGCONT,))
                go_on.start()
                _, err = load.communicate(timeout=DEADLINE_S)
            finally:
                load.kill()
    assert load.returncode == 1
    assert err == "serverlab-load: a process of the generator was killed\n"
    assert not Path(f"/proc/{second}").exists()
