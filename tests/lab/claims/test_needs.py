"""What a place has to have for a test, and how one says what lacks."""

from __future__ import annotations

import pytest

from serverlab.claims.needs import EIGHT_CPUS, FOUR_CPUS, ONE_CPU, Needs, Place

APART = (
    "It needs two machines and a network between clients and server; "
    "here there is one machine and all goes over loopback."
)


@pytest.mark.parametrize(
    ("needs", "place", "words"),
    [
        (ONE_CPU, Place(server_cpus=1), ""),
        (FOUR_CPUS, Place(server_cpus=4), ""),
        (
            FOUR_CPUS,
            Place(server_cpus=2),
            "It needs four CPUs for the server alone; here the server has two.",
        ),
        (
            EIGHT_CPUS,
            Place(server_cpus=1),
            "It needs eight CPUs for the server alone; here the server has one.",
        ),
        (
            Needs(machines=2, has_network=True),
            Place(server_cpus=16),
            APART,
        ),
        (Needs(machines=2), Place(server_cpus=1, machines=3), ""),
    ],
)  # fmt: skip
def test_what_lacks_is_said_and_only_that(needs: Needs, place: Place, words: str) -> None:
    assert needs.lacking(place) == words
