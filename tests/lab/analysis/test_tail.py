"""Where slow requests wait, of requests whose lanes are known."""

from __future__ import annotations

import random

import pytest

from serverlab.analysis.tail import REQUESTS_MIN, Tail, tails
from serverlab.errors import LabError
from serverlab.slices import (
    GROUP,
    LANES,
    FollowedRequest,
    ProbeCosts,
    ProbedLoad,
    Slice,
    is_probed,
)

GROUPS = 10
PER_GROUP = 1000
USUAL_NS = 30_000
SLOW_NS = 2_000_000
SLOW = LANES.index("unread, thread without CPU")
SERVED = LANES.index("served")


def load_of(requests: list[FollowedRequest]) -> ProbedLoad:
    """These requests of one server, in slices in which nothing else was seen."""
    return ProbedLoad(
        costs_ns=ProbeCosts(),
        slices=[
            Slice(
                subject="epoll",
                group=place // GROUP,
                probed=is_probed(place, 1),
                disturbed=False,
                requests=100,
                cpu_ns=1_100_000 if is_probed(place, 1) else 1_000_000,
            )
            for place in range(GROUP * GROUPS)
        ],
        requests={"epoll": requests},
    )


def followed(slow_share: float, *, per_group: int = PER_GROUP) -> list[FollowedRequest]:
    """Requests that are served for a while, some of which had no CPU before."""
    drawn = random.Random(1)
    found = []
    for group in range(GROUPS):
        for _ in range(per_group):
            lanes_ns = [0] * len(LANES)
            lanes_ns[SERVED] = round(USUAL_NS * drawn.uniform(0.9, 1.1))
            if drawn.random() < slow_share:
                lanes_ns[SLOW] = SLOW_NS
            found.append(FollowedRequest(group, lanes_ns))
    return found


def tail_of(requests: list[FollowedRequest]) -> Tail:
    """Of the only server."""
    [found] = tails(load_of(requests))
    return found


def test_slow_requests_are_found_where_they_wait() -> None:
    found = tail_of(followed(0.02))
    assert found.requests == GROUPS * PER_GROUP
    assert found.slowest.requests >= found.requests / 100
    assert found.slowest.lanes_ns[LANES[SLOW]].value == SLOW_NS
    assert found.slowest.lanes_ns["served"].value == pytest.approx(USUAL_NS, rel=0.1)
    assert found.middle.lanes_ns[LANES[SLOW]].value == 0
    assert found.middle.time_ns.value == pytest.approx(USUAL_NS, rel=0.05)
    assert found.p50_ns == pytest.approx(USUAL_NS, rel=0.05)
    assert found.p99_ns > SLOW_NS


def test_lanes_add_up_to_the_time() -> None:
    found = tail_of(followed(0.02))
    for share in (found.middle, found.slowest):
        lanes_ns = sum(one.value for one in share.lanes_ns.values())
        assert lanes_ns == pytest.approx(share.time_ns.value)


def test_what_one_group_alone_has_seen_is_in_the_interval_of_all() -> None:
    requests = followed(0)
    for place in range(PER_GROUP // 2):
        lanes_ns = list(requests[place].lanes_ns)
        lanes_ns[SLOW] = SLOW_NS
        requests[place] = FollowedRequest(0, lanes_ns)
    slowest = tail_of(requests).slowest
    assert slowest.time_ns.low <= slowest.time_ns.value <= slowest.time_ns.high


def test_what_following_costs_is_the_difference_of_the_slices() -> None:
    found = tail_of(followed(0.02))
    assert found.cpu_ns.value == 10_000
    assert found.probe_ns.value == pytest.approx(1_000)


def test_too_few_requests_are_said() -> None:
    with pytest.raises(LabError, match=f"200 requests of epoll were followed, and {REQUESTS_MIN}"):
        tail_of(followed(0.02, per_group=20))
