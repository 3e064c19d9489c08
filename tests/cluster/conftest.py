"""Hosts inside this machine. There is one set of them, so these tests run one after the other."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

from serverlab.hosts import bench_hosts


def lacking() -> str:
    """Why there can be no hosts here; empty if there can."""
    if os.geteuid() != 0:
        return "only root can make network namespaces"
    if shutil.which("ip") is None or shutil.which("tc") is None:
        return "iproute2 is not installed"
    command = ["unshare", "--net", "--time", "--fork", "true"]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    return "" if made.returncode == 0 else f"no namespaces: {made.stderr.strip()}"


@pytest.fixture(scope="session", autouse=True)
def _can_have_hosts() -> None:
    """Skip with the reason where there can be none; never end those of somebody else."""
    if reason := lacking():
        pytest.skip(f"this machine has no hosts: {reason}")
    if bench_hosts.standing():
        pytest.skip("this machine has hosts already, which are not the tests' to end")


@pytest.fixture(autouse=True)
def _leaves_no_hosts() -> object:
    """Whatever a test does, the next one finds none."""
    yield
    bench_hosts.down()
