"""What the network between the hosts of a run lets through, measured before the first trial.

The figures of a trial that comes near it are the network's, not the server's.
"""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING

from serverlab.analysis.wire import on_the_wire
from serverlab.design.given_settings import MEASURED_SERVER
from serverlab.hosts_of_run import HOSTS_FILE, HostsOfRun, read_hosts
from serverlab.machine import doctor
from serverlab.running.events import Connected, Listening, LoadEnded
from serverlab.running.shared_load import SharedLoad

if TYPE_CHECKING:
    from pathlib import Path

    from serverlab.load_result import LoadResult
    from serverlab.running.host import Hosts
    from serverlab.running.store import RunFolder

LIMIT_S = 30.0
# Large requests fill the frames of an echo: what arrives then is what the network carries.
LARGE = {"payload": "64 KiB", "warmup": "500ms", "duration": "1s"}
CONNECTIONS_EACH = 4
NEAR = 0.9  # of what the network carries


def with_network(hosts: Hosts, folder: RunFolder) -> Hosts:
    """Hosts with what the network between them carries, if there is one. Raises LabError."""
    if hosts.are_one:
        return hosts
    return replace(hosts, wire_bytes_per_s=hosts_of_run(folder, hosts).wire_bytes_per_s)


def hosts_of_run(folder: RunFolder, hosts: Hosts) -> HostsOfRun:
    """What was written when the run began; or measured now, and written. Raises LabError."""
    if (found := read_hosts(folder.path)) is not None:
        return found
    made = HostsOfRun(
        server=hosts.server.name,
        generators=[host.name for host in hosts.generators],
        share_a_machine=hosts.share_a_machine,
        kept_apart=hosts.kept_apart,
        wire_bytes_per_s=measured(hosts, folder.logs),
        machines={
            host.name: host.ask(doctor.environment) for host in (hosts.server, *hosts.generators)
        },
    )
    folder.write(HOSTS_FILE, made)
    return made


def measured(hosts: Hosts, logs: Path) -> float:
    """Bytes a second on the wire while generators ask for as much as they can."""
    told = {"engine": "epoll-level", "listen": f"{hosts.server.address}:0", **MEASURED_SERVER}
    with contextlib.ExitStack() as running:
        server = running.enter_context(
            hosts.server.start("serverlab-server", told, logs / "network-server.log")
        )
        address = server.await_event(Listening, LIMIT_S).address
        connections = str(CONNECTIONS_EACH * len(hosts.generators))
        asked = {"target": address, "connections": connections, **LARGE}
        load = running.enter_context(SharedLoad(hosts.generators, asked, logs / "network-load.log"))
        load.await_event(Connected, LIMIT_S)
        [result] = load.await_event(LoadEnded, LIMIT_S).results()
    for log in logs.glob("network-*.log"):
        log.unlink()
    return on_the_wire(result)


def network_bound(load: LoadResult, wire_bytes_per_s: float) -> str:
    """Why a load says nothing of the server; empty if it is not near what the network carries."""
    found = on_the_wire(load)
    if found < NEAR * wire_bytes_per_s:
        return ""
    return (
        f"{8e-6 * found:.0f} of the {8e-6 * wire_bytes_per_s:.0f} Mbit/s that the network between "
        "the hosts carries"
    )
