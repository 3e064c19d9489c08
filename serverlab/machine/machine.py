"""The machine: which CPUs there are, what its kernel is set to, what a run must remember of it."""

from __future__ import annotations

import functools
import os
import platform
import resource
import socket
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from serverlab.environment import Environment
from serverlab.machine.native import ROOT, output_of
from serverlab.quantities import cpu_set

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

RECORDED_SYSCTLS = (
    "net.core.somaxconn",
    "net.core.netdev_max_backlog",
    "net.core.rmem_max",
    "net.core.wmem_max",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.tcp_allowed_congestion_control",
    "net.ipv4.tcp_available_congestion_control",
    "net.ipv4.tcp_congestion_control",
    "net.ipv4.tcp_fin_timeout",
    "net.ipv4.tcp_max_syn_backlog",
    "net.ipv4.tcp_mem",
    "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_tw_reuse",
    "net.ipv4.tcp_wmem",
    "kernel.pid_max",
    "vm.max_map_count",
)


def sysctl(name: str) -> str | None:
    """The value of a kernel parameter; None where it does not exist or may not be read."""
    try:
        return " ".join(Path("/proc/sys", *name.split(".")).read_text(encoding="ascii").split())
    except OSError:
        return None


def cpu_halves() -> tuple[str, str]:
    """CPUs for the server and for the generator, apart where there are two, as --cpus lists."""
    cpus = sorted(os.sched_getaffinity(0))
    half = max(1, len(cpus) // 2)
    return as_list(cpus[:half]), as_list(cpus[half:] or cpus)


def cpus_of(settings: Mapping[str, str]) -> set[int]:
    """The CPUs that a program with these settings may run on."""
    return cpu_set(settings["cpus"]) if "cpus" in settings else os.sched_getaffinity(0)


def cpus_of_all(programs: Iterable[Mapping[str, str]]) -> set[int]:
    """The CPUs that programs with these settings may run on."""
    return {cpu for settings in programs for cpu in cpus_of(settings)}


def as_list(cpus: list[int]) -> str:
    """The CPUs as --cpus takes them."""
    return ",".join(map(str, cpus))


@functools.cache
def congestion_control() -> str:
    """A congestion control that does not pace, where the system's default does; else empty.

    BBR paces by timers and pauses every ten seconds, which looks like the engine's fault.
    """
    if sysctl("net.ipv4.tcp_congestion_control") != "bbr":
        return ""
    return "cubic" if may_set_congestion("cubic") else "reno"


def may_set_congestion(name: str) -> bool:
    """Whether this process may: those that are not for all need a capability (tcp(7)).

    Root need not have the capability, as in a container.
    """
    with socket.socket() as tried:
        try:
            tried.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, name.encode())
        except OSError:
            return False
    return True


def environment() -> Environment:
    """All of the machine that a result may depend on."""
    return Environment(
        cpu=cpu_model(),
        cpus=len(os.sched_getaffinity(0)),
        governor=governor(),
        memory_bytes=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        kernel=platform.release(),
        system=platform.freedesktop_os_release().get("PRETTY_NAME", platform.system()),
        virtualized=virtualization(),
        sysctls={name: sysctl(name) for name in RECORDED_SYSCTLS},
        congestion_used=congestion_control() or sysctl("net.ipv4.tcp_congestion_control"),
        descriptors_max=descriptor_limit(),
        load_average=os.getloadavg()[0],
        steal_ticks=cpu_ticks("steal"),
        python=platform.python_version(),
        server=output_of("serverlab-server", "--version").strip(),
        load=output_of("serverlab-load", "--version").strip(),
        commit=git("rev-parse", "HEAD"),
        dirty=bool(git("status", "--porcelain")),
    )


def cpu_model() -> str:
    """The processor's name."""
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def governor() -> str | None:
    """The frequency governor of the first CPU, where there is one."""
    path = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
    return path.read_text(encoding="ascii").strip() if path.exists() else None


def virtualization() -> bool:
    """Whether the CPU says that it runs under a hypervisor."""
    return " hypervisor" in Path("/proc/cpuinfo").read_text(encoding="utf-8")


def descriptor_limit() -> int:
    """Open files that a process may have, once it has raised its soft limit."""
    return resource.getrlimit(resource.RLIMIT_NOFILE)[1]


def cpu_ticks(kind: str) -> int:
    """CPU time since the start, of all CPUs, in clock ticks: `idle`, `steal`."""
    columns = ["user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal"]
    fields = Path("/proc/stat").read_text(encoding="ascii").splitlines()[0].split()[1:]
    return int(fields[columns.index(kind)])


def git(*arguments: str) -> str | None:
    """What git says of our own checkout; None where there is none."""
    try:
        done = subprocess.run(
            ["git", "-C", ROOT, *arguments], capture_output=True, text=True, check=True, timeout=10
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
