"""Little's law, L = λW, as a bound: what a closed loop can have at most.

Each place in flight (a connection, times its depth) carries one request after the other, and each
takes at least as long as the shortest did, and the time to think. So N places finish no more than
N / (R + Z) requests per second, whatever the server is. A figure above that is an error of the
book-keeping, or was made up.
"""

from __future__ import annotations

from dataclasses import dataclass

TOLERANCE = 0.02  # law_tolerance of `serverlab-load --list-json`; tests/tidy compares


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedLoop:
    """What bounds a closed loop."""

    places: int  # requests in flight at most
    shortest_s: float  # latency
    think_s: float = 0

    @property
    def rate_max_per_s(self) -> float:
        """Requests per second at most, in the long run."""
        return self.places / (self.shortest_s + self.think_s)

    def rate_max_within(self, window_s: float, windows: int = 1) -> float:
        """The same within a window, or in several: a request of each place may have begun before.

        `window_s` is that of all of them together.
        """
        return self.rate_max_per_s + self.places * windows / window_s


def in_flight(rate_per_s: float, time_s: float) -> float:
    """L: how many are in flight on the average."""
    return rate_per_s * time_s


def broken(loop: ClosedLoop, rate_per_s: float, window_s: float, windows: int = 1) -> str:
    """The sentence that says so if a rate is more than the law allows; empty if it is not."""
    if rate_per_s <= (1 + TOLERANCE) * loop.rate_max_within(window_s, windows):
        return ""
    return (
        f"{rate_per_s:.0f} requests per second, where {loop.places} in flight that take at least "
        f"{1e6 * loop.shortest_s:.1f} µs each allow {loop.rate_max_per_s:.0f}"
    )
