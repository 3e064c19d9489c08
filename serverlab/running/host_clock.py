"""How far the monotonic clocks of two hosts are apart, from round trips; no wall clock is trusted.

A host's clock is read somewhere within a round trip, so it is known to half of the shortest one
(Cristian, Probabilistic Clock Synchronization, 1989).
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

ROUND_TRIPS = 20


class Offset(NamedTuple):
    """What a host's clock is ahead of this one's, and how uncertain that is."""

    ns: int
    uncertain_ns: int


def offset_of(
    their_clock_ns: Callable[[], int],
    own_clock_ns: Callable[[], int] = time.monotonic_ns,
    round_trips: int = ROUND_TRIPS,
) -> Offset:
    """Read the other clock some times, and go by the shortest round trip."""
    found = []
    for _ in range(round_trips):
        before_ns = own_clock_ns()
        theirs_ns = their_clock_ns()
        after_ns = own_clock_ns()
        found.append((after_ns - before_ns, theirs_ns - (before_ns + after_ns) // 2))
    shortest_ns, ns = min(found)
    return Offset(ns, (shortest_ns + 1) // 2)
