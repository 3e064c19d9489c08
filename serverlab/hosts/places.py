"""Which hosts a run has: the option --cluster in words of the runner."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.hosts.bench_hosts import hosts_for
from serverlab.running.host import HERE, Hosts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from serverlab.records import Plan

BENCH_HOSTS = "hosts"


@dataclass(frozen=True, slots=True)
class Cluster:
    """What the command line says of it."""

    address: str | None  # None: there is none, and all runs on this machine
    wait_s: float  # for nodes

    @property
    def is_one(self) -> bool:
        """Whether there is one."""
        return self.address is not None


@contextlib.contextmanager
def places_of(cluster: Cluster, plan: Plan) -> Iterator[Callable[[], Hosts]]:
    """What to call before each trial for the hosts that it is to have, until the context ends."""
    if cluster.address is None:
        yield lambda: HERE
    elif cluster.address == BENCH_HOSTS:
        with hosts_for(1 + plan.generators) as found:
            hosts = Hosts(found[0], found[1 : 1 + plan.generators], share_a_machine=True)
            yield lambda: hosts
    else:
        from serverlab.hosts.ray_hosts import ray_places  # noqa: PLC0415 - Ray need not be there

        with ray_places(
            cluster.address, plan.generators, plan.server_node, cluster.wait_s
        ) as ray_hosts:
            yield ray_hosts
