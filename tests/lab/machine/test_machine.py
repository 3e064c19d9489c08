"""What is read of the machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from serverlab.machine.machine import cpus_of_all

CHOSEN = """
import socket
from serverlab.machine import machine

sysctl = machine.sysctl
machine.sysctl = lambda name: (
    "bbr" if name == "net.ipv4.tcp_congestion_control" else sysctl(name)
)
chosen = machine.congestion_control()
socket.socket().setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, chosen.encode())
print(chosen)
"""


def test_a_program_without_cpus_of_its_own_may_run_on_all() -> None:
    assert cpus_of_all([{"cpus": "1-2"}, {"cpus": "5"}]) == {1, 2, 5}
    assert cpus_of_all([{}]) > set()


@pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("setpriv") is None, reason="needs root, and setpriv"
)
def test_root_without_capabilities_gets_a_congestion_control_that_it_may_set() -> None:
    """Root of a container has no CAP_NET_ADMIN."""
    drop = ["setpriv", "--bounding-set=-net_admin", "--inh-caps=-net_admin"]
    done = subprocess.run(
        [*drop, sys.executable, "-c", CHOSEN], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() in {"cubic", "reno"}
