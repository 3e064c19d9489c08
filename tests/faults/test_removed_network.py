"""A load whose way to its server is removed: it ends in time, and accounts for every request."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator

import pytest

from tests.conformance.loads import loading
from tests.conformance.programs import verdict_statuses
from tests.conformance.server import serving

HERE, THERE = "10.231.77.1", "10.231.77.2"  # of a network that exists in this test alone
TIMEOUT = "--timeout=500ms"


def ip(*arguments: str) -> None:
    """Run the program of that name, of iproute2."""
    subprocess.run(["ip", *arguments], check=True, capture_output=True)


@contextlib.contextmanager
def namespace() -> Iterator[tuple[str, str]]:
    """A network namespace and the link that leads to it, by their names."""
    name, link = f"serverlab-{os.getpid()}", f"slab{os.getpid()}"[:15]
    try:
        ip("netns", "add", name)
    except subprocess.CalledProcessError:
        pytest.skip("this machine does not let us make a network namespace (CAP_SYS_ADMIN)")
    try:
        ip("link", "add", link, "type", "veth", "peer", "name", "inside", "netns", name)
        ip("address", "add", f"{HERE}/30", "dev", link)
        ip("link", "set", link, "up")
        ip("-n", name, "address", "add", f"{THERE}/30", "dev", "inside")
        ip("-n", name, "link", "set", "inside", "up")
        yield name, link
    finally:
        ip("netns", "delete", name)


@pytest.mark.skipif(shutil.which("ip") is None, reason="this machine has no ip(8)")
@pytest.mark.of_engine("epoll-level")
def test_a_load_whose_network_is_removed_ends_and_accounts_for_every_request() -> None:
    with namespace() as (name, link):
        prefix = ["ip", "netns", "exec", name]
        with serving("epoll-level", f"--listen={THERE}:0", prefix=prefix) as server:
            settings = ("--model=open", "--rate=1000", "--connections=8", "--duration=2s", TIMEOUT)
            with loading(server.address, *settings, "--warmup=0s") as load:
                load.await_event("interval")
                ip("link", "delete", link)
                loaded = load.end()
            server.ask_to_stop()
    requests = loaded.result["requests"]
    assert loaded.status == verdict_statuses()["ERRORS"]
    assert requests["completed"] > 0
    ended = ("completed", "unanswered", "unsent", "dropped")
    assert requests["intended"] == sum(requests[how] for how in ended)
    assert sum(requests["errors"].values()) > 0
