"""A Ray cluster of hosts inside this machine: a head here, without CPUs, and a node on each."""

from __future__ import annotations

import contextlib
import os
import secrets
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from serverlab.hosts import bench_hosts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serverlab.hosts.bench_hosts import BenchHost

HEAD = f"{bench_hosts.NETWORK}{bench_hosts.OWN}"
PORT = 6399
ADDRESS = f"{HEAD}:{PORT}"
STARTS_WITHIN_S = 60
# As in deploy/: who has no token may do nothing.
SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_AUTH_MODE": "token",
    "RAY_AUTH_TOKEN": secrets.token_hex(32),
}
RAY = Path(sys.executable).with_name("ray")


@dataclass(frozen=True, slots=True)
class RayCluster:
    """The nodes, by their hosts."""

    hosts: list[BenchHost]
    folder: Path

    def start_node(self, host: BenchHost) -> None:
        """Let a host join; each has a monotonic clock of its own, an hour from the next one's."""
        ahead_s = 3600 * (1 + self.hosts.index(host))
        within = [
            *("ip", "netns", "exec", host.name),
            *("unshare", "--time", "--fork", f"--monotonic={ahead_s}"),
        ]
        ray(
            self.folder, *within, str(RAY), "start", f"--address={ADDRESS}",
            f"--node-ip-address={host.address}", "--num-cpus=1",
        )  # fmt: skip


def ray(folder: Path, *command: str) -> None:
    """Call Ray, and say what it said if it fails."""
    log = folder / "ray.log"
    with log.open("ab") as said:
        done = subprocess.run(
            command,
            stdout=said,
            stderr=said,
            check=False,
            timeout=STARTS_WITHIN_S,
            env=os.environ | SETTINGS,
        )
    assert done.returncode == 0, log.read_text(encoding="utf-8")[-3000:]


@contextlib.contextmanager
def ray_cluster(count: int, network: bench_hosts.Network, folder: Path) -> Iterator[RayCluster]:
    """A cluster that is gone after the block; its nodes start one after the other, as Ray wants."""
    hosts = bench_hosts.up(count, network)
    cluster = RayCluster(hosts, folder)
    try:
        ray(
            folder, str(RAY), "start", "--head", f"--node-ip-address={HEAD}", f"--port={PORT}",
            "--num-cpus=0", "--include-dashboard=false", f"--temp-dir={folder}/ray",
        )  # fmt: skip
        for host in hosts:
            cluster.start_node(host)
        yield cluster
    finally:
        with contextlib.suppress(AssertionError):
            ray(folder, str(RAY), "stop", "--force")
        bench_hosts.down()
