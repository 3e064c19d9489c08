"""Where a campaign runs: its verdicts are of that machine, or of those hosts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from serverlab.claims.needs import Place
from serverlab.machine import doctor, machine
from serverlab.quantities import cpu_set

if TYPE_CHECKING:
    from serverlab.running.host import Hosts


class Site(msgspec.Struct, frozen=True, kw_only=True):
    """A machine, or hosts of which one serves and the others load it."""

    cpu: str  # of the server's
    server_cpus: int  # that a server has to itself
    machines: int = 1
    generators: int = 0  # on hosts of their own; 0: one, beside the server

    @property
    def place(self) -> Place:
        """What there is to test in."""
        return Place(
            server_cpus=self.server_cpus,
            machines=self.machines,
            has_network=self.generators > 0,
        )

    @property
    def words(self) -> str:
        """The CPUs, and how many."""
        hosts = f", {self.generators} hosts that load it" if self.generators else ""
        return f"{self.cpu}, {self.server_cpus} CPUs for the server{hosts}"


def here() -> Site:
    """This machine: a server has half of its CPUs, as in every run."""
    return Site(cpu=machine.cpu_model(), server_cpus=len(cpu_set(machine.cpu_halves()[0])))


def site_of(hosts: Hosts) -> Site:
    """Those hosts: a server has all CPUs of its own, unless they are parts of this machine."""
    if hosts.are_one:
        return here()
    if hosts.share_a_machine:
        return msgspec.structs.replace(here(), generators=len(hosts.generators))
    environment = hosts.server.ask(doctor.environment)
    return Site(
        cpu=environment.cpu or "an unknown CPU",
        server_cpus=environment.cpus or 1,
        machines=1 + len(hosts.generators),
        generators=len(hosts.generators),
    )
