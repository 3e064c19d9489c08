"""Which hosts a run has: the option --cluster in words of the runner."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from serverlab.design.cluster_table import GENERATORS, checked_generators
from serverlab.errors import UsageError
from serverlab.hosts.bench_hosts import hosts_for
from serverlab.quantities import duration_s
from serverlab.running.host import HERE, Hosts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

BENCH_HOSTS = "hosts"


@dataclass(frozen=True, slots=True)
class Cluster:
    """What the command line says of it.

    Parameters
    ----------
    cluster
        Serve on one host and load from others: those of `serverlab hosts` by --cluster=hosts, or
        the nodes of a Ray cluster by its address, or by `auto` if this machine is part of it.
    generators
        How many hosts of the cluster load the server: three, unless an experiment file or this
        says otherwise.
    wait_for_nodes
        How long to wait for the nodes of a Ray cluster, also for one that was lost.
    """

    cluster: str | None = None  # None: there is none, and all runs on this machine
    generators: int | None = None
    wait_for_nodes: str = "30s"

    @property
    def wait_s(self) -> float:
        """How long to wait for nodes. Raises UsageError for what is no time."""
        return duration_s(self.wait_for_nodes)

    def loading(self, of_file: int = GENERATORS) -> int:
        """How many hosts load the server; none without a cluster. Raises UsageError."""
        assert self.wait_s >= 0  # it can be read, or says why not
        if self.cluster is None:
            if self.generators is not None:
                raise UsageError("--generators are hosts of a --cluster: name it")
            return 0
        number = of_file if self.generators is None else self.generators
        return checked_generators("--generators", number)

    def expect_again(self, folder: Path, generators: int) -> None:
        """Raise UsageError if what began with so many generators on hosts could not go on here."""
        if self.generators is not None:
            raise UsageError("--resume continues with as many --generators as it began with")
        if (generators > 0) != (self.cluster is not None):
            raise UsageError(
                f"{folder}: its load comes from {generators} hosts: name them by --cluster"
                if generators
                else f"{folder} has run on one machine: go on without --cluster"
            )


ONE_MACHINE = Cluster()
ClusterOptions = Annotated[Cluster, Parameter(name="*")]  # of a command


@contextlib.contextmanager
def places_of(
    cluster: Cluster, generators: int, server_node: Mapping[str, float] | None = None
) -> Iterator[Callable[[], Hosts]]:
    """What to call before each trial for the hosts that it is to have, until the context ends.

    `generators` hosts load the server, whose node has to have `server_node`, as Ray counts it.
    """
    if cluster.cluster is None:
        yield lambda: HERE
    elif cluster.cluster == BENCH_HOSTS:
        with hosts_for(1 + generators) as found:
            hosts = Hosts(found[0], found[1 : 1 + generators], share_a_machine=True)
            yield lambda: hosts
    else:
        from serverlab.hosts.ray_hosts import ray_places  # noqa: PLC0415 - Ray need not be there

        with ray_places(
            cluster.cluster, generators, server_node or {}, cluster.wait_s
        ) as ray_hosts:
            yield ray_hosts
