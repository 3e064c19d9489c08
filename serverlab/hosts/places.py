"""Which hosts a run has: the option --cluster in words of the runner."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from serverlab.errors import UsageError
from serverlab.hosts.bench_hosts import hosts_for
from serverlab.running.host import HERE, Hosts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from serverlab.records import Plan

BENCH_HOSTS = "hosts"


@contextlib.contextmanager
def places_of(cluster: str | None, plan: Plan) -> Iterator[Callable[[], Hosts]]:
    """What to call before each trial for the hosts that it is to have, until the context ends."""
    if cluster is None:
        yield lambda: HERE
    elif cluster == BENCH_HOSTS:
        with hosts_for(1 + plan.generators) as found:
            hosts = Hosts(found[0], found[1 : 1 + plan.generators])
            yield lambda: hosts
    else:
        raise UsageError(f"--cluster: '{cluster}' is none; `hosts` are those of `serverlab hosts`")
