"""A server gives up what it does not need before a peer can send it anything."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from tests.conformance.escapes import FILTER, IN_A_CHROOT, LANDLOCK, escaping
from tests.conformance.peers import connected, is_echoed
from tests.conformance.programs import engine_row, refusing
from tests.conformance.server import Server, serving

NET_BIND_SERVICE, NET_ADMIN = 1 << 10, 1 << 12  # linux/capability.h
NONE = "0" * 16
UNTIL_IT_LISTENS = NET_BIND_SERVICE | NET_ADMIN

UNFILTERED = "0"  # proc_pid_status(5)
LANDLOCK_CREATE_RULESET = 444
ABI_OF_SIGNALS = 6  # of Landlock, which by then has all that a server restricts


def status_of(pid: int) -> list[dict[str, str]]:
    """What the kernel says of each thread of a process."""
    tasks = Path("/proc", str(pid), "task").iterdir()
    texts = [(task / "status").read_text(encoding="ascii") for task in tasks]
    return [
        dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line) for text in texts
    ]


@pytest.mark.skipif(os.geteuid() != 0, reason="this machine's user is not root")
def test_a_server_of_root_has_no_privileges_when_it_serves(engine: str) -> None:
    with serving(engine) as server, connected(server, 3) as peers:
        assert all(is_echoed(peer, b"hello") for peer in peers)
        threads = status_of(server.pid)
        assert NONE in {thread["CapPrm"] for thread in threads}  # of the one that has listened
        for thread in threads:
            assert int(thread["CapPrm"], 16) & ~UNTIL_IT_LISTENS == 0
            assert thread["NoNewPrivs"] == "1"


@pytest.mark.unsanitized  # the thread sanitizer calls a signal's handler later
def test_no_thread_of_a_server_can_do_what_no_server_does(engine: str, tmp_path: Path) -> None:
    needed = {"ring"} if "uring-sqpoll" in engine_row(engine).extra_settings else set()
    with escaping(tmp_path, engine) as attempts, connected(attempts.server, 3) as peers:
        assert all(is_echoed(peer, b"hello") for peer in peers)
        for refused in attempts.refused().values():
            assert refused | needed >= FILTER | LANDLOCK
        assert attempts.nothing_has_come()
        assert all(is_echoed(peer, b"hello") for peer in peers)


def confinement(server: Server) -> dict[str, int]:
    """What the server says that it is confined by."""
    found: dict[str, int] = server.events[-1]["confinement"]
    return found


@pytest.mark.unsanitized  # the thread sanitizer calls a signal's handler later
@pytest.mark.of_engine("epoll-level")
def test_without_the_filter_a_call_costs_nothing_and_landlock_holds(tmp_path: Path) -> None:
    with escaping(tmp_path, "epoll-level", "--confine=off") as attempts:
        abi = confinement(attempts.server)["landlock_abi"]
        assert not confinement(attempts.server)["filter"]
        assert {one["Seccomp"] for one in status_of(attempts.server.pid)} == {UNFILTERED}
        if abi < ABI_OF_SIGNALS:
            pytest.skip(f"this machine has Landlock of ABI {abi}")
        for refused in attempts.refused().values():
            assert refused - IN_A_CHROOT == LANDLOCK
        assert not attempts.nothing_has_come()  # a datagram, and a connection by sending


@pytest.mark.unsanitized  # the thread sanitizer calls a signal's handler later
@pytest.mark.of_engine("epoll-level")
def test_without_landlock_servers_keep_apart_and_say_what_is_lacking(tmp_path: Path) -> None:
    old_kernel = refusing(LANDLOCK_CREATE_RULESET, errno.ENOSYS)
    with escaping(tmp_path, "epoll-level", prefix=old_kernel) as attempts:
        assert confinement(attempts.server) == {"landlock_abi": 0, "filter": True}
        for refused in attempts.refused().values():
            assert refused >= FILTER | {"open-memory"}  # the other one's, by PR_SET_DUMPABLE
        [notice] = [one["text"] for one in attempts.server.events if one["event"] == "notice"]
        assert notice.startswith("this kernel has no Landlock (ABI 6, Linux 6.12, is wanted)")
        assert "open the files of its user" in notice
