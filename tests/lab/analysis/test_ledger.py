"""A ledger of slices whose costs are known: each part is found, and the probe is taken out."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from serverlab.analysis.ledger import Difference, Ledger, ledgers
from serverlab.analysis.ledger_sums import SCALE_DEVIATION
from serverlab.errors import LabError
from serverlab.slices import (
    ENTERING,
    GROUP,
    PREEMPTION,
    PROBE,
    SOFTIRQ,
    PartCounts,
    ProbeCosts,
    ProbedLoad,
    SampledStack,
    Slice,
    SwitchCounts,
    is_probed,
    turn,
)

COSTS = ProbeCosts(call=400, softirq=600, switch=500, entry=150, resumption=300)
PROGRAMS_NS = 100  # of the probe, at each call
REQUESTS = 10_000
Calls = Mapping[str, tuple[float, float]]  # of a part: how often in a request, ns of each
EPOLL: Calls = {"recvfrom": (1, 1000), "sendto": (1, 3000), "epoll_wait": (0.25, 2000)}
OFFLOAD: Calls = {"recvfrom": (1, 1200), "sendto": (1, 3000), "ppoll": (0.5, 4000)}


def slices(
    servers: Mapping[str, Calls],
    *,
    groups: int = 20,
    user_ns: float = 500,
    blocks: Mapping[str, float] = MappingProxyType({}),
    no_calls: Collection[str] = (),
    noise: float = 0.0,
    rest_ns: float = 0.0,
    seed: int = 1,
) -> list[Slice]:
    """What a run would have on disk, if a request costs this."""
    drawn = random.Random(seed)
    names = list(servers)
    found = []
    for place in range(groups * GROUP * len(names)):
        name, probed = names[turn(place, len(names))], is_probed(place, len(names))
        calls = servers[name]
        count = sum(often for call, (often, _) in calls.items() if call not in no_calls)
        plain_ns = user_ns + rest_ns + sum(often * each for often, each in calls.values())
        luck = drawn.gauss(1, noise)
        call_ns = COSTS.call / 2 - COSTS.entry
        block_ns = COSTS.switch - COSTS.resumption
        slept = sum(blocks.get(call, 0) for call in calls)
        parts = {
            call: PartCounts(
                entries=round(often * REQUESTS),
                blocks=round(blocks.get(call, 0) * REQUESTS),
                cpu_ns=round(
                    luck
                    * REQUESTS
                    * (
                        often * (each + (call not in no_calls) * call_ns)
                        + blocks.get(call, 0) * block_ns
                    )
                ),
            )
            for call, (often, each) in calls.items()
        }
        parts["user"] = PartCounts(
            entries=round(count * REQUESTS),
            cpu_ns=round(
                luck
                * REQUESTS
                * (user_ns + count * (COSTS.entry + COSTS.call / 2) + slept * COSTS.resumption)
            ),
        )
        parts[PROBE] = PartCounts(cpu_ns=round(luck * REQUESTS * count * PROGRAMS_NS))
        probe_ns = (COSTS.call + PROGRAMS_NS) * count + COSTS.switch * slept
        found.append(
            Slice(
                subject=name,
                group=place // (GROUP * len(names)),
                probed=probed,
                disturbed=False,
                requests=REQUESTS,
                cpu_ns=round(luck * REQUESTS * (plain_ns + probed * probe_ns)),
                parts=parts if probed else {},
            )
        )
    return found


def loaded(found: list[Slice]) -> ProbedLoad:
    """These slices, with what the probe costs in a loop."""
    return ProbedLoad(costs_ns=COSTS, slices=found)


def only(found: tuple[list[Ledger], list[Difference]]) -> Difference:
    """The one difference."""
    return found[1][0]


def test_each_part_is_found_without_what_the_probe_takes() -> None:
    [epoll, offload], _ = ledgers(loaded(slices({"epoll": EPOLL, "offload": OFFLOAD})))
    costs = {part.name: part.cpu_ns.value for part in epoll.parts}
    expected = {"recvfrom": 1000, "sendto": 3000, "epoll_wait": 500, "user": 500}
    assert costs == pytest.approx(expected, abs=1)
    assert [part.name for part in epoll.parts][:2] == ["sendto", "recvfrom"]
    assert epoll.cpu_ns.value == pytest.approx(5000)
    assert epoll.probe_ns.value == pytest.approx(2.25 * (400 + PROGRAMS_NS))
    assert epoll.rest_ns.value == pytest.approx(0, abs=1)
    assert offload.cpu_ns.value == pytest.approx(500 + 1200 + 3000 + 2000)


def test_what_the_probe_takes_of_a_switch_is_in_the_call_that_sleeps() -> None:
    [one], _ = ledgers(loaded(slices({"offload": OFFLOAD}, blocks={"ppoll": 0.5})))
    costs = {part.name: part.cpu_ns.value for part in one.parts}
    assert costs == pytest.approx(
        {"recvfrom": 1200, "sendto": 3000, "ppoll": 2000, "user": 500}, abs=1
    )
    assert one.rest_ns.value == pytest.approx(0, abs=1)


def switched_oftener(
    found: list[Slice], probed: SwitchCounts, plain: SwitchCounts, more_ns: float
) -> list[Slice]:
    """The same; threads are switched more often with the probe, and take more by it."""
    slices = []
    for one in found:
        if one.probed:
            slices.append(replace(one, switches=probed))
        else:
            less_ns = round(more_ns * REQUESTS)
            slices.append(replace(one, switches=plain, cpu_ns=one.cpu_ns - less_ns))
    return slices


def with_counts(found: list[Slice], part: str, **counts: int) -> list[Slice]:
    """The same, and that was counted of a part besides."""
    return [
        replace(one, parts={**one.parts, part: replace(one.parts[part], **counts)})
        if one.probed
        else one
        for one in found
    ]


def counts(**often: float) -> SwitchCounts:
    """How often threads were switched in a slice; so often in a request."""
    names = SwitchCounts.__struct_fields__
    return SwitchCounts(**{name: round(often.get(name, 0) * REQUESTS) for name in names})


def sleeping_oftener() -> list[Slice]:
    """Half of all requests end in a sleep of 4 µs, and 0.4 of them without the probe."""
    found = slices({"offload": OFFLOAD}, blocks={"ppoll": 0.5})
    cpu_ns = next(one.parts["ppoll"].cpu_ns for one in found if one.probed)
    slept = with_counts(found, "ppoll", slept_ns=cpu_ns)
    return switched_oftener(slept, counts(sleeps=0.5), counts(sleeps=0.4), 0.1 * 4000)


def test_calls_that_sleep_are_weighed_by_how_often_the_server_sleeps_without_the_probe() -> None:
    [one], _ = ledgers(loaded(sleeping_oftener()))
    costs = {part.name: part.cpu_ns.value for part in one.parts}
    assert costs["ppoll"] == pytest.approx(0.4 * 4000, abs=1)
    assert costs["recvfrom"] == pytest.approx(1200, abs=1)
    assert one.rest_ns.value == pytest.approx(0, abs=1)


def test_preemption_is_weighed_by_how_often_it_is_without_the_probe() -> None:
    calls = {**OFFLOAD, PREEMPTION: (0.2, 5000)}
    found = slices({"offload": calls}, no_calls={PREEMPTION})
    switched = switched_oftener(
        found, counts(preemptions=0.2), counts(preemptions=0.15), 0.05 * 5000
    )
    [one], _ = ledgers(loaded(switched))
    costs = {part.name: part.cpu_ns.value for part in one.parts}
    assert costs[PREEMPTION] == pytest.approx(0.15 * 5000, abs=1)
    assert one.rest_ns.value == pytest.approx(0, abs=1)


def test_interrupts_are_weighed_by_how_often_the_client_sleeps_without_the_probe() -> None:
    # 2 µs each; one in ten wakes the client, which takes 8 µs more.
    calls = {**OFFLOAD, SOFTIRQ: (1, 2800)}
    found = with_counts(
        slices({"offload": calls}, no_calls={SOFTIRQ}),
        SOFTIRQ,
        wakes=REQUESTS // 10,
        waking_ns=REQUESTS // 10 * 10_000,
    )
    switched = switched_oftener(
        found, counts(client_sleeps=0.1), counts(client_sleeps=0.05), 0.05 * 8000
    )
    [one], _ = ledgers(loaded(switched))
    costs = {part.name: part.cpu_ns.value for part in one.parts}
    assert costs[SOFTIRQ] == pytest.approx(2400 - COSTS.softirq / 2, abs=1)


def test_where_threads_end_nothing_is_known_of_switches_and_nothing_is_weighed() -> None:
    found = sleeping_oftener()
    [one], _ = ledgers(loaded([replace(found[0], switches=SwitchCounts()), *found[1:]]))
    [part] = [part for part in one.parts if part.name == "ppoll"]
    assert part.cpu_ns.value == pytest.approx(2000, abs=1)
    assert one.rest_ns.value == pytest.approx(-400, abs=1)


def test_a_difference_is_the_sum_of_those_of_its_parts() -> None:
    found = only(ledgers(loaded(slices({"epoll": EPOLL, "offload": OFFLOAD}))))
    assert (found.subject, found.baseline) == ("offload", "epoll")
    assert found.cpu_ns.value == pytest.approx(1700)
    parts = {part.name: part for part in found.parts}
    assert {name: part.cpu_ns.value for name, part in parts.items()} == pytest.approx(
        {"ppoll": 2000, "epoll_wait": -500, "recvfrom": 200, "sendto": 0, "user": 0}, abs=1
    )
    assert parts["ppoll"].is_new
    assert parts["epoll_wait"].is_gone
    assert [part.name for part in found.parts][:3] == ["ppoll", "epoll_wait", "recvfrom"]


def test_more_calls_and_dearer_calls_are_told_apart() -> None:
    servers = {"one": {"write": (1.0, 1000.0)}, "two": {"write": (3.0, 1500.0)}}
    [part] = [one for one in only(ledgers(loaded(slices(servers)))).parts if one.name == "write"]
    assert part.cpu_ns.value == pytest.approx(3500)
    assert part.by_calls_ns.value == pytest.approx(2 * 1250)
    assert part.by_price_ns.value == pytest.approx(2 * 500)


def test_what_no_part_has_is_the_rest() -> None:
    servers = {"one": EPOLL}
    [one], differences = ledgers(loaded(slices(servers, rest_ns=700)))
    assert one.rest_ns.value == pytest.approx(700, abs=1)
    assert differences == []


@given(seed=st.integers(0, 2**31), noise=st.floats(0, 0.1))
def test_parts_and_rest_are_the_whole(seed: int, noise: float) -> None:
    servers = {"epoll": EPOLL, "offload": OFFLOAD}
    costs, differences = ledgers(loaded(slices(servers, noise=noise, seed=seed, groups=8)))
    for one in costs:
        added = sum(part.cpu_ns.value for part in one.parts) + one.rest_ns.value
        assert added == pytest.approx(one.cpu_ns.value)
    [found] = differences
    added = sum(part.cpu_ns.value for part in found.parts) + found.rest_ns.value
    assert added == pytest.approx(found.cpu_ns.value)


def test_intervals_hold_what_is_true_and_narrow_with_more_groups() -> None:
    servers = {"epoll": EPOLL, "offload": OFFLOAD}
    widths = []
    for groups in (10, 90):
        found = only(ledgers(loaded(slices(servers, noise=0.05, groups=groups)))).cpu_ns
        assert found.low < 1700 < found.high
        widths.append(found.high - found.low)
    assert widths[1] < widths[0] / 2


def test_intervals_hold_what_is_not_known_of_the_probe_however_many_slices_there_are() -> None:
    [one], _ = ledgers(loaded(slices({"epoll": EPOLL}, groups=90)))
    [part] = [part for part in one.parts if part.name == "recvfrom"]
    reach = 1.96 * SCALE_DEVIATION * COSTS.call / 2
    assert part.cpu_ns.low == pytest.approx(1000 - reach, abs=5)
    assert part.cpu_ns.high == pytest.approx(1000 + reach, abs=5)


def test_disturbed_groups_are_left_out_if_enough_are_not() -> None:
    found = slices({"epoll": EPOLL}, groups=10)
    spoilt = [
        replace(one, disturbed=True, cpu_ns=9 * one.cpu_ns) if one.group in {2, 5} else one
        for one in found
    ]
    [calm], _ = ledgers(loaded(spoilt))
    assert calm.cpu_ns.value == pytest.approx(5000)


def test_groups_that_the_host_has_disturbed_are_left_out_if_enough_are_not() -> None:
    found = slices({"epoll": EPOLL}, groups=10)
    stolen = PartCounts(cpu_ns=found[0].cpu_ns // 10)

    def futex_ns(groups: Collection[int]) -> float:
        spoilt = [
            replace(one, parts={**one.parts, "futex": stolen})
            if one.probed and one.group in groups
            else one
            for one in found
        ]
        [one], _ = ledgers(loaded(spoilt))
        return next(part.cpu_ns.value for part in one.parts if part.name == "futex")

    assert futex_ns({2, 5}) == 0
    assert futex_ns(range(10)) > 0


def test_too_few_whole_groups_are_said() -> None:
    found = slices({"epoll": EPOLL}, groups=6)
    cut = [replace(one, requests=0) if one.group < 2 else one for one in found]
    with pytest.raises(LabError, match="4 of 6 groups of slices have replies in each slice"):
        ledgers(loaded(cut))


def test_what_comes_before_a_call_is_no_user_mode() -> None:
    # Of 5 µs a request, 8 % are in the filter, as samples say.
    found = slices({"epoll": EPOLL, "filtered": EPOLL}, user_ns=500)
    stacks = [
        SampledStack(["main", "send", "entry_SYSCALL_64", "syscall_trace_enter"], 4_000),
        SampledStack(["main", "send", "entry_SYSCALL_64", "tcp_sendmsg"], 46_000),
    ]
    load = replace(loaded(found), stacks={"epoll": stacks[1:], "filtered": stacks})
    [plain, filtered], [difference] = ledgers(load)
    costs = {part.name: part.cpu_ns for part in filtered.parts}
    assert ENTERING not in {part.name for part in plain.parts}
    assert costs[ENTERING].value == pytest.approx(400, abs=1)
    assert costs[ENTERING].low < 400 < costs[ENTERING].high
    assert costs["user"].value == pytest.approx(100, abs=1)
    assert filtered.rest_ns.value == pytest.approx(0, abs=1)
    calls = next(part.calls.value for part in filtered.parts if part.name == ENTERING)
    assert calls == pytest.approx(2.25)
    assert {part.name: part.is_new for part in difference.parts}[ENTERING]
