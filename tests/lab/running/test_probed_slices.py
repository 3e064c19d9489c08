"""Which slices are probed: as many of each server as are not, around the same instant."""

from __future__ import annotations

from statistics import mean

import pytest

from serverlab.running.borders import OutsideBorders
from serverlab.slices import GROUP, ProbeCosts, is_probed, turn


def test_two_servers_take_turns_as_the_load_does_in_the_order_abba() -> None:
    assert [turn(place, 2) for place in range(8)] == [0, 1, 1, 0, 0, 1, 1, 0]
    assert [turn(place, 1) for place in range(4)] == [0, 0, 0, 0]


@pytest.mark.parametrize("servers", [1, 2])
def test_each_server_has_slices_with_the_probe_and_without_it_around_one_instant(
    servers: int,
) -> None:
    places = range(GROUP * servers)
    for server in range(servers):
        own = [place for place in places if turn(place, servers) == server]
        probed = [place for place in own if is_probed(place, servers)]
        plain = [place for place in own if not is_probed(place, servers)]
        assert len(probed) == len(plain) == GROUP / 2
        assert mean(probed) == mean(plain)


@pytest.mark.parametrize("servers", [1, 2])
def test_the_probe_comes_and_goes_once_in_a_group(servers: int) -> None:
    probed = [is_probed(place, servers) for place in range(3 * GROUP * servers)]
    comes = [place for place in range(1, len(probed)) if probed[place] and not probed[place - 1]]
    assert len(comes) == 3


def test_costs_are_between_the_two_speeds_of_a_core_whatever_was_disturbed() -> None:
    borders = OutsideBorders(1, pids=())
    assert borders.typical_costs_ns() == ProbeCosts()
    calls = [-700, 100, 150, 100, 150, 100, 150, 5000]
    borders.costs_ns = [ProbeCosts(call=call) for call in calls]
    assert borders.typical_costs_ns().call == 125
