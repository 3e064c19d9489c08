"""Limits that a server is started with, by the names of prlimit(1), and `pids` of a cgroup.

They make a large machine small, so that one sees what an engine does when something runs out.
"""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from serverlab.errors import LabError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

RESOURCES = {"nofile": "descriptors", "as": "bytes of address space", "nproc": "threads of a user"}
PIDS = "pids"
SIZES = {"": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}


def read_limits(texts: Sequence[str]) -> dict[str, int]:
    """The limits that "nofile=200" and "as=1GiB" are."""
    limits = {}
    for text in texts:
        match = re.fullmatch(r"\s*(\w+)\s*=\s*(\d+)\s*(\w*)\s*", text)
        if match is None or match[3] not in SIZES or match[1] not in {*RESOURCES, PIDS}:
            names = ", ".join([*RESOURCES, PIDS])
            raise UsageError(f"--server-limit: '{text}' is not one of {names}, such as nofile=200")
        limits[match[1]] = int(match[2]) * SIZES[match[3]]
    if "nproc" in limits and os.geteuid() == 0:
        raise UsageError("--server-limit: root has no limit nproc; pids, a cgroup's, holds for all")
    return limits


def under(limits: Mapping[str, int]) -> list[str]:
    """The command that sets the limits and becomes the server; empty if there are none."""
    options = [f"--{name}={value}" for name, value in limits.items() if name in RESOURCES]
    return ["prlimit", *options] if options else []


@contextlib.contextmanager
def confined(pid: int, limits: Mapping[str, int]) -> Iterator[None]:
    """Put a process that has just begun into a cgroup of its own, if `pids` is limited."""
    if PIDS not in limits:
        yield
        return
    folder = cgroup_folder(os.getpid(), PIDS) / f"serverlab-{pid}"
    try:
        folder.mkdir()
    except OSError as error:
        raise LabError(f"cannot make the cgroup {folder}: {error.strerror}") from error
    try:
        limit(folder, limits[PIDS], pid)
        yield
    finally:
        release(folder)


def limit(folder: Path, pids: int, pid: int) -> None:
    """Limit a cgroup, and put the process into it."""
    try:
        (folder / "pids.max").write_text(str(pids), encoding="ascii")
        (folder / "cgroup.procs").write_text(str(pid), encoding="ascii")
    except OSError as error:
        raise LabError(
            f"cannot limit pids in {folder}: {error.strerror}; "
            "`systemd-run --scope --property=TasksMax=…` can, around all of serverlab"
        ) from error


def release(folder: Path) -> None:
    """Remove a cgroup; a process that is still in it moves to our own."""
    for pid in (folder / "cgroup.procs").read_text(encoding="ascii").split():
        with contextlib.suppress(OSError):  # it has just ended
            (folder.parent / "cgroup.procs").write_text(pid, encoding="ascii")
    with contextlib.suppress(OSError):  # a process that ends takes a moment to leave
        folder.rmdir()


def cgroup_folder(pid: int, controller: str) -> Path:
    """Where the cgroup of a process is, for a controller: of version 1 if that has it, else 2."""
    rows = Path("/proc", str(pid), "cgroup").read_text(encoding="utf-8").splitlines()
    mount = Path("/sys/fs/cgroup")
    folders = {}
    for row in rows:
        _, controllers, path = row.split(":", 2)
        for one in controllers.split(","):
            folders[one] = mount / one / path.lstrip("/")
    return folders.get(controller) or folders.get("", mount)
