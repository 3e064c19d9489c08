"""Slices of which every second one is probed, and what each server did in them: types, on disk.

The probe is attached and detached between slices, while nothing is in flight. So what it costs is
the difference between neighbouring slices.
"""

from __future__ import annotations

import msgspec

from serverlab.bounds import (  # noqa: TC001 - msgspec reads them
    Count,
    Figure,
    Whole,
)
from serverlab.load_result import SCHEMA

LEDGERS = "ledgers"  # the folder of a run that has such a load for each of its edges
SLICE_S = 0.1
TURNS = {"slice": f"{1000 * SLICE_S:.0f} ms", "order": "abba"}  # of the load
GROUP = 4  # slices of a server: two with the probe, two without
GROUPS_SAMPLED = 5  # behind all others: their stacks are sampled, and nothing else
# Parts that are no system call.
USER, SOFTIRQ, KERNEL_THREAD = "user", "softirq", "kernel thread"
PREEMPTION = "preemption"  # the kernel in the midst of user mode, as far as it can be told
ENTERING = "entering calls"  # before these begin: a filter of system calls, as samples say
PROBE = "probe"  # its own programs, as far as they time themselves
KERNEL = "kernel"  # all of it, where there is no probe


# Where a request is, in the order of probe/requests.h.
LANES = (
    "unread, thread busy",
    "unread, thread asleep",
    "unread, thread without CPU",
    "unread, thread stopped",
    "served",
    "served, thread asleep",
    "served, thread without CPU",
    "served, thread stopped",
    "reply unread by client",
    "not known",
)


class PartCounts(msgspec.Struct, frozen=True, kw_only=True):
    """What the probe counted of one part of what a server's threads do."""

    entries: Whole = 0
    cpu_ns: Whole = 0
    slept_ns: Whole = 0  # of that, in calls in which the thread had to wait
    softirqs: Whole = 0
    wakes: Whole = 0
    waking_ns: Whole = 0
    blocks: Whole = 0
    blocked_ns: Whole = 0
    preemptions: Whole = 0
    run_queue_ns: Whole = 0
    contentions: Whole = 0
    contended_ns: Whole = 0

    def __sub__(self, other: PartCounts) -> PartCounts:
        return PartCounts(
            **{name: getattr(self, name) - getattr(other, name) for name in self.__struct_fields__}
        )


class ProbeCosts(msgspec.Struct, frozen=True):
    """What one of each costs more while the probe is attached, in a loop that does nothing else.

    Without what its programs take by their own clock, which is a part.
    """

    call: Figure = 0
    softirq: Figure = 0
    switch: Figure = 0
    entry: Figure = 0  # not more: what entering and leaving the kernel takes without the probe
    resumption: Figure = 0  # and what leaving it takes more after a switch


class SwitchCounts(msgspec.Struct, frozen=True, kw_only=True):
    """How often threads gave up a CPU in a slice, by procfs, which knows without a probe.

    None if not known, as threads have ended.
    """

    sleeps: Whole | None = None  # of the server, as they had to wait
    preemptions: Whole | None = None  # of the server, though they could have gone on
    client_sleeps: Whole | None = None


class Slice(msgspec.Struct, frozen=True, kw_only=True):
    """A slice of one server."""

    subject: str
    group: Count
    probed: bool
    disturbed: bool
    requests: Count
    cpu_ns: Count  # of the server, by its CPU clock
    switches: SwitchCounts = SwitchCounts()
    parts: dict[str, PartCounts] = {}


class SampledStack(msgspec.Struct, frozen=True):
    """Functions from the outermost one on, and how often a server was found in them."""

    frames: list[str]
    samples: Count


class FollowedRequest(msgspec.Struct, frozen=True, array_like=True):
    """A request from when it is at the server's socket until the client has read the reply."""

    group: Count  # of slices
    lanes_ns: list[Count]  # in the order of LANES


class ProbedLoad(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured of servers in slices, as it is on disk."""

    schema: Whole = SCHEMA
    costs_ns: ProbeCosts  # of the probe, in a loop
    without_probe: str = ""  # why there was none
    slices: list[Slice]  # in the order of time
    stacks: dict[str, list[SampledStack]] = {}  # of each server; sampled behind the slices
    requests: dict[str, list[FollowedRequest]] = {}  # of each server, if they are followed
    requests_lost: Count = 0


def turn(place: int, servers: int) -> int:
    """Whose slice this is, in the order ABBA."""
    within = place % (2 * servers)
    return within if within < servers else 2 * servers - 1 - within


def is_probed(place: int, servers: int) -> bool:
    """Whether the slice with this number of all slices is probed.

    Servers have slices in the order ABBA. The probe comes on and goes off once in a group, in its
    middle half: each server's slices with it and those without it have the same middle in time.
    """
    within = place % (GROUP * servers)
    return servers <= within < 3 * servers
