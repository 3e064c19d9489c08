"""`serverlab hosts`: hosts inside this machine, to try a cluster on."""

from __future__ import annotations

from cyclopts import App

from serverlab import console
from serverlab.hosts import bench_hosts

UP, DOWN = "serverlab hosts up", "serverlab hosts down"

hosts = App(name="hosts", help="Make hosts inside this machine, to try a cluster on.")


@hosts.command
def up(*, count: int = 4, rate: str = "", delay: str = "", loss: str = "") -> int:
    """Make hosts: network namespaces on a bridge. Only root can.

    Parameters
    ----------
    count
        How many.
    rate
        Of the cable between each host and the bridge, such as 1gbit; without it there is no limit.
    delay
        Of that cable, in each direction, such as 1ms. The kernel has to have netem.
    loss
        On that cable, such as 0.1%. The kernel has to have netem.
    """
    network = bench_hosts.Network(rate=rate, delay=delay, loss=loss)
    with bench_hosts.in_use(UP):
        for host in bench_hosts.up(count, network):
            console.say(f"{host.name}  {host.address}")
    return 0


@hosts.command
def down(*, force: bool = False) -> int:
    """End all hosts.

    Parameters
    ----------
    force
        End what runs in them, too. A command of serverlab that has them in use must end first.
    """
    with bench_hosts.in_use(DOWN):
        if not force:
            bench_hosts.refuse_busy()
        ended = bench_hosts.down()
    console.say(f"{len(ended)} hosts ended" if ended else "there were no hosts")
    return 0


@hosts.command(name="list")
def list_() -> int:
    """List the hosts that there are."""
    bench_hosts.require_namespaces()
    for host in bench_hosts.standing():
        console.say(f"{host.name}  {host.address}")
    return 0
