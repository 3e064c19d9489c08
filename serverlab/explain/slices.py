"""Slices of which every second one is probed: what each server did in each of them.

The probe is attached and detached between slices, while nothing is in flight. So what it costs is
the difference between neighbouring slices.
"""

from __future__ import annotations

import msgspec

from serverlab.load_result import SCHEMA
from serverlab.running.events import PartCounts  # noqa: TC001 - msgspec reads it

SLICE_S = 0.1
TURNS = {"slice": f"{1000 * SLICE_S:.0f} ms", "order": "abba"}  # of the load
GROUP = 4  # slices of a server: two with the probe, two without
FILE = "slices.jsonl"


class Slice(msgspec.Struct, frozen=True, kw_only=True):
    """A line of slices.jsonl: a slice of one server."""

    schema: int = SCHEMA
    subject: str
    group: int
    probed: bool
    disturbed: bool
    requests: int
    cpu_ns: int  # of the server, by its CPU clock
    parts: dict[str, PartCounts] = {}


def is_probed(place: int, servers: int) -> bool:
    """Whether the slice with this number of all slices is probed.

    Servers have slices in the order ABBA. The probe comes on and goes off once in a group, in its
    middle half: each server's slices with it and those without it have the same middle in time.
    """
    within = place % (GROUP * servers)
    return servers <= within < 3 * servers
