"""What in this machine would spoil a measurement, and how to mend it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import psutil

from serverlab.errors import LabError
from serverlab.machine import machine
from serverlab.machine.machine import (
    congestion_control,
    cpu_ticks,
    descriptor_limit,
    governor,
    sysctl,
)
from serverlab.machine.native import PROBE, output_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serverlab.environment import Environment

DESCRIPTORS_WANTED = 20_000
BACKLOG_WANTED = 4096
PORTS_WANTED = 20_000
OTHER_LOAD_MAX = 0.1  # CPUs that others keep busy
STOLEN_SHARE_MAX = 0.01
LOOK_S = 0.5
SERVER = "serverlab-server"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was looked at."""

    what: str
    found: str
    advice: str = ""  # empty: in order
    spoils: bool = False  # measurements are of no use; else they are only poorer
    sysctl: tuple[str, str] | None = None  # the parameter and the value that mend it


def examine() -> list[Finding]:
    """Look at everything, also at what spoils no measurement."""
    return [*findings(), probe(), confinement()]


def environment() -> Environment:
    """All of the machine that a result may depend on, and what in it is not in order."""
    return msgspec.structs.replace(machine.environment(), warnings=warnings())


def warnings() -> list[str]:
    """What is not in order, a sentence each: a run remembers it."""
    return [
        f"{finding.what}: {finding.found}; {finding.advice}"
        for finding in findings()
        if finding.advice
    ]


def findings() -> Iterator[Finding]:
    """Look at one thing after the other."""
    yield cpus()
    yield other_load()
    yield from frequency()
    yield descriptors()
    yield backlog()
    yield ports()
    yield congestion()
    yield time_waits()
    yield from connection_tracking()


def cpus() -> Finding:
    """Server and generator need a CPU each."""
    count = len(os.sched_getaffinity(0))
    if count >= 2:
        return Finding(what="CPUs", found=f"{count}")
    return Finding(
        what="CPUs",
        found="1",
        spoils=True,
        advice="server and generator must share it, and every trial will say SHARED-CPU",
    )


def other_load() -> Finding:
    """The programs that run beside."""
    psutil.cpu_percent()
    busy = psutil.cpu_percent(LOOK_S) / 100 * (psutil.cpu_count() or 1)
    found = f"{busy:.2f} CPUs busy"
    if busy <= OTHER_LOAD_MAX:
        return Finding(what="other load", found=found)
    return Finding(what="other load", found=found, advice="stop what else runs on this machine")


def frequency() -> Iterator[Finding]:
    """A governor may save power, a hypervisor may take the CPU away."""
    name = governor()
    if name is not None:
        advice = (
            ""
            if name == "performance"
            else "set it to performance: cpupower frequency-set -g performance"
        )
        yield Finding(what="frequency governor", found=name, advice=advice)
    share = cpu_ticks("steal") / max(1, cpu_ticks("idle") + cpu_ticks("user") + cpu_ticks("steal"))
    advice = "" if share < STOLEN_SHARE_MAX else "the hypervisor takes the CPU away now and then"
    yield Finding(what="stolen CPU time", found=f"{share:.2%} since the start", advice=advice)


def descriptors() -> Finding:
    """Each connection needs one, in the server and in the generator."""
    limit = descriptor_limit()
    if limit >= DESCRIPTORS_WANTED:
        return Finding(what="open files", found=f"{limit} a process")
    return Finding(
        what="open files",
        found=f"{limit} a process",
        advice=f"10 000 connections need more: ulimit -Hn {DESCRIPTORS_WANTED}",
    )


def backlog() -> Finding:
    """The accept queue that the kernel grants."""
    value = int(sysctl("net.core.somaxconn") or 0)
    if value >= BACKLOG_WANTED:
        return Finding(what="accept queue", found=f"{value}")
    return Finding(
        what="accept queue",
        found=f"{value}",
        advice="bursts of connections will be retried after a second",
        sysctl=("net.core.somaxconn", str(BACKLOG_WANTED)),
    )


def ports() -> Finding:
    """Each connection to one address needs a local port."""
    low, high = map(int, (sysctl("net.ipv4.ip_local_port_range") or "0 0").split())
    count = high - low + 1
    found = f"{count} ({low}-{high})"
    if count >= PORTS_WANTED:
        return Finding(what="local ports", found=found)
    return Finding(
        what="local ports",
        found=found,
        advice=f"only {count} connections to one server are possible",
        sysctl=("net.ipv4.ip_local_port_range", "32768 60999"),
    )


def congestion() -> Finding:
    """BBR paces by timers and pauses every ten seconds."""
    system = sysctl("net.ipv4.tcp_congestion_control") or "unknown"
    used = congestion_control()
    return Finding(
        what="congestion control",
        found=system + (f"; runs set {used} on their own sockets, at both ends" if used else ""),
    )


def time_waits() -> Finding:
    """Connections that have ended keep their ports for a minute."""
    fields = Path("/proc/net/sockstat").read_text(encoding="ascii").split()
    count = int(fields[fields.index("tw") + 1])
    advice = "" if count < PORTS_WANTED // 2 else "wait a minute: they keep local ports"
    return Finding(what="connections in TIME_WAIT", found=f"{count}", advice=advice)


def connection_tracking() -> Iterator[Finding]:
    """A firewall that follows connections costs each packet, and has a limit."""
    path = Path("/proc/sys/net/netfilter/nf_conntrack_count")
    if path.exists():
        count = int(path.read_text(encoding="ascii"))
        advice = (
            "" if count == 0 else "a firewall rule follows connections: every packet pays for it"
        )
        yield Finding(what="tracked connections", found=f"{count}", advice=advice)


def probe() -> Finding:
    """What `serverlab explain` needs to look into the kernel."""
    what = "probe of explain"
    try:
        output_of(PROBE, f"--pid={os.getpid()}", "--for=1ms")
    except LabError as error:
        advice = f"serverlab explain knows only user mode and kernel: {error}"
        return Finding(what=what, found="cannot be used", advice=advice)
    return Finding(what=what, found="can be used")


class ServerList(msgspec.Struct, frozen=True):
    """Of what `serverlab-server --list-json` prints."""

    lacking_confinement: str


def confinement() -> Finding:
    """What the kernel refuses a server that a peer has taken over."""
    what = "confinement of servers"
    try:
        listed = msgspec.json.decode(output_of(SERVER, "--list-json"), type=ServerList)
    except LabError as error:
        return Finding(what=what, found="not known", advice=str(error))
    found = "in part" if listed.lacking_confinement else "whole"
    return Finding(what=what, found=found, advice=listed.lacking_confinement)


def mend(found: list[Finding]) -> None:
    """Set the kernel parameters that findings name."""
    for finding in found:
        if finding.sysctl is None:
            continue
        name, value = finding.sysctl
        try:
            Path("/proc/sys", *name.split(".")).write_text(value, encoding="ascii")
        except OSError as error:
            raise LabError(f"cannot set {name}: {error.strerror}; it needs root") from error
