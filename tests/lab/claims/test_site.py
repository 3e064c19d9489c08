"""Where a campaign runs decides which claims can be tested."""

from __future__ import annotations

import pytest

from serverlab.claims.needs import Place
from serverlab.claims.reports.catalog import chosen_claims, excerpts_of
from serverlab.claims.site import here, site_of
from serverlab.environment import Environment
from serverlab.machine import doctor
from serverlab.running.host import HERE, Hosts, ThisMachine

CPUS = 16
GENERATORS = 5


@pytest.fixture(autouse=True)
def large_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A host says that it has more CPUs than this machine."""
    monkeypatch.setattr(doctor, "environment", lambda: Environment(cpu="A Large CPU", cpus=CPUS))


def large_hosts(*, share_a_machine: bool) -> Hosts:
    """One that serves, and others that load it."""
    generators = [ThisMachine() for _ in range(GENERATORS)]
    return Hosts(ThisMachine(), generators, share_a_machine=share_a_machine)


def test_this_machine_has_no_network() -> None:
    assert site_of(HERE) == here()
    assert here().place == Place(server_cpus=here().server_cpus)


def test_a_server_on_a_machine_of_its_own_has_all_of_its_cpus() -> None:
    site = site_of(large_hosts(share_a_machine=False))
    assert site.place == Place(server_cpus=CPUS, machines=1 + GENERATORS, has_network=True)
    assert site.words == "A Large CPU, 16 CPUs for the server, 5 hosts that load it"


def test_hosts_inside_this_machine_have_a_network_and_no_more_cpus() -> None:
    site = site_of(large_hosts(share_a_machine=True))
    assert site.place == Place(server_cpus=here().server_cpus, has_network=True)


def test_what_one_machine_cannot_test_several_can() -> None:
    """C5 is about clients on five machines; the log that T15 reads only one machine keeps."""
    several = site_of(large_hosts(share_a_machine=False)).place
    [c5] = chosen_claims(["C5"])
    needing = [test for test in c5.tests if test.needs.machines > 1]
    assert needing
    for test in needing:
        assert test.lacking(here().place)
        assert not test.lacking(several)
    everywhere = {one.name for one in excerpts_of(chosen_claims([]), here().place)}
    on_several = {one.name for one in excerpts_of(chosen_claims([]), several)}
    assert everywhere - on_several
    assert on_several - everywhere
