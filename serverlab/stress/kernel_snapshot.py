"""What the kernel counts of a server, of the machine, and of the network, at one instant."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from serverlab.contestants.listeners import backlog_of
from serverlab.machine.machine import cpus_of, descriptor_limit, sysctl
from serverlab.machine.memory import kilobytes, socket_buffer_bytes
from serverlab.machine.sampler import PAGE_BYTES, processes, tasks
from serverlab.stress.server_limits import PIDS, cgroup_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

UNLIMITED = "unlimited"
LISTEN = "0A"  # the state of a listening socket in /proc/net/tcp
# Of /proc/net/netstat: what happens to connections that no program accepts.
WATCHED = ("ListenOverflows", "ListenDrops", "TCPReqQFullDrop", "TCPMemoryPressures")


class ProcessLook(msgspec.Struct, frozen=True, kw_only=True):
    """A process of the server, and what it is allowed. A limit that is not there is None."""

    descriptors: int
    descriptor_highest: int
    descriptors_max: int | None  # RLIMIT_NOFILE
    threads: int
    address_space_peak_bytes: int  # the most that it ever had
    address_space_max_bytes: int | None  # RLIMIT_AS
    mappings: int


class MachineLook(msgspec.Struct, frozen=True, kw_only=True):
    """What all processes share, and what the server's cgroup allows."""

    threads: int
    memory_available_bytes: int
    memory_bytes: int
    tcp_buffer_bytes: int
    tcp_buffer_max_bytes: int
    out_of_memory_kills: int
    counters: dict[str, int]  # of the network namespace, those that are WATCHED
    pids: int | None = None
    pids_max: int | None = None
    forks_refused: int = 0  # by the limit of the cgroup
    memory_refused: int = 0  # likewise


class Bounds(msgspec.Struct, frozen=True, kw_only=True):
    """What the kernel allows a server, which changes only if its administrator says so."""

    cpus: int  # on which the server may run
    descriptors_max: int  # of a process
    backlog_max: int
    threads_max: int | None  # of the machine
    mappings_max: int | None  # of a process

    @staticmethod
    def of(settings: Mapping[str, str]) -> Bounds:
        """Those of this machine, for a server with these settings."""
        threads_max = [sysctl("kernel.pid_max"), sysctl("kernel.threads-max")]
        return Bounds(
            cpus=len(cpus_of(settings)),
            descriptors_max=descriptor_limit(),
            backlog_max=int(sysctl("net.core.somaxconn") or 0),
            threads_max=min((int(one) for one in threads_max if one), default=None),
            mappings_max=int(sysctl("vm.max_map_count") or 0) or None,
        )


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """Everything at one instant."""

    processes: list[ProcessLook]  # none of a server that has died, or that is somewhere
    machine: MachineLook
    waiting: int | None = None  # connections in the accept queues of the server's port


def backlog_at(pid: int | None, port: int | None) -> int | None:
    """How long the accept queues of a server's port may be; None if it cannot be read."""
    if pid is None or port is None:
        return None
    with contextlib.suppress(OSError):  # it has died
        return backlog_of(processes(pid), port)
    return None


def look(pid: int | None, port: int | None) -> Look:
    """Look at a server's processes, at the machine and at the port."""
    return Look(
        processes=list(looks_at(pid)) if pid is not None else [],
        machine=machine_look(pid),
        waiting=None if port is None else waiting_at(port, pid),
    )


def looks_at(pid: int) -> Iterator[ProcessLook]:
    """Each process of a server that can be looked at."""
    with contextlib.suppress(OSError):  # it has died
        for one in processes(pid):
            with contextlib.suppress(OSError):
                yield process_look(one)


def process_look(pid: int) -> ProcessLook:
    """One process."""
    folder = Path("/proc", str(pid))
    memory = kilobytes((folder / "status").read_text(encoding="utf-8"))
    if "VmPeak" not in memory:
        raise ProcessLookupError(
            f"process {pid} has ended, and its parent has not waited for it yet"
        )
    open_files = [int(path.name) for path in (folder / "fd").iterdir()]
    return ProcessLook(
        descriptors=len(open_files),
        descriptor_highest=max(open_files, default=-1),
        descriptors_max=limit_of(folder, "Max open files"),
        threads=len(tasks(pid)),
        address_space_peak_bytes=memory["VmPeak"],
        address_space_max_bytes=limit_of(folder, "Max address space"),
        mappings=(folder / "maps").read_bytes().count(b"\n"),
    )


def limit_of(folder: Path, name: str) -> int | None:
    """A soft limit of /proc/PID/limits; None where there is none."""
    text = (folder / "limits").read_text(encoding="ascii")
    row = next(line for line in text.splitlines() if line.startswith(name))
    soft = row.removeprefix(name).split()[0]
    return None if soft == UNLIMITED else int(soft)


def machine_look(pid: int | None) -> MachineLook:
    """The machine, and the cgroups of a process."""
    memory = kilobytes(Path("/proc/meminfo").read_text(encoding="ascii"))
    pressure = (sysctl("net.ipv4.tcp_mem") or "0 0 0").split()
    load = Path("/proc/loadavg").read_text(encoding="ascii").split()
    vmstat = dict(
        line.split() for line in Path("/proc/vmstat").read_text(encoding="ascii").splitlines()
    )
    pids = None if pid is None else cgroup_figures(pid, PIDS)
    return MachineLook(
        threads=int(load[3].partition("/")[2]),
        memory_available_bytes=memory["MemAvailable"],
        memory_bytes=memory["MemTotal"],
        tcp_buffer_bytes=socket_buffer_bytes(),
        tcp_buffer_max_bytes=int(pressure[2]) * PAGE_BYTES,
        out_of_memory_kills=int(vmstat.get("oom_kill", 0)),
        counters=network_counters(pid),
        pids=None if pids is None else pids.get("current"),
        pids_max=None if pids is None else pids.get("max"),
        forks_refused=0 if pids is None else pids.get("refused", 0),
        memory_refused=0 if pid is None else cgroup_figures(pid, "memory").get("refused", 0),
    )


def cgroup_figures(pid: int, controller: str) -> dict[str, int]:
    """What a process's cgroup has and allows, and how often it has refused; what can be read."""
    figures = {}
    with contextlib.suppress(OSError):
        folder = cgroup_folder(pid, controller)
        for figure in ("current", "max"):
            with contextlib.suppress(OSError, ValueError):  # "max" stands for no limit
                path = folder / f"{controller}.{figure}"
                figures[figure] = int(path.read_text(encoding="ascii"))
        with contextlib.suppress(OSError):
            events = (folder / f"{controller}.events").read_text(encoding="ascii").split()
            figures["refused"] = int(events[events.index("max") + 1])
        with contextlib.suppress(OSError):  # version 1 has no such events for memory
            failures = (folder / f"{controller}.failcnt").read_text(encoding="ascii")
            figures["refused"] = int(failures)
    return figures


def network_of(pid: int | None) -> Path:
    """What the kernel says of the network of a process, which may not be ours."""
    return Path("/proc", "self" if pid is None else str(pid), "net")


def network_counters(pid: int | None) -> dict[str, int]:
    """The counters of netstat that are watched; none if the process has died."""
    found: dict[str, str] = {}
    with contextlib.suppress(OSError):
        lines = (network_of(pid) / "netstat").read_text(encoding="ascii").splitlines()
        for names, values in zip(lines[::2], lines[1::2], strict=True):
            found |= dict(zip(names.split()[1:], values.split()[1:], strict=True))
    return {name: int(found[name]) for name in WATCHED if name in found}


def waiting_at(port: int, pid: int | None) -> int:
    """Connections that wait in the accept queues of a port; of a listener that is `rx_queue`."""
    waiting = 0
    for table in ("tcp", "tcp6"):
        with contextlib.suppress(OSError):
            for line in (network_of(pid) / table).read_text(encoding="ascii").splitlines()[1:]:
                fields = line.split()
                if fields[3] == LISTEN and int(fields[1].rpartition(":")[2], 16) == port:
                    waiting += int(fields[4].partition(":")[2], 16)
    return waiting
