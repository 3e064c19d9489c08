"""What servers did in slices, as sums over groups of these, from which all figures are made.

All intervals are of one bootstrap over the groups: each figure is a ratio of sums, and is computed
anew for each drawn set of groups.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy
import scipy

from serverlab.errors import LabError
from serverlab.slices import (
    ENTERING,
    GROUP,
    KERNEL,
    KERNEL_THREAD,
    PREEMPTION,
    PROBE,
    SOFTIRQ,
    USER,
    PartCounts,
    SwitchCounts,
)
from serverlab.stats.order import CONFIDENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from serverlab.slices import ProbeCosts, ProbedLoad, SampledStack, Slice

    Draws = NDArray[numpy.float64]  # a figure: of all groups, and then of each drawn set of them

NO_CALLS = {USER, SOFTIRQ, KERNEL_THREAD, PREEMPTION, ENTERING, KERNEL}
# Functions of Linux that a system call comes to before its tracepoint, if something else than the
# probe wants to look at it: mostly a filter. While stacks are sampled the probe does not.
BEFORE_CALLS = {"syscall_trace_enter", "__secure_computing", "__seccomp_filter"}
NOT_ENTERED = {*NO_CALLS, PROBE}
DRAWS, SEED = 2000, 1
GROUPS_MIN = 5
CALM_MIN = 0.25  # of the groups: if fewer are not disturbed, all count
# The parts are cut by a clock that runs on while the host has the CPU, the CPU clock of the server
# stands: where the kernel does not know how much that was, the parts are more than the CPU time.
UNACCOUNTED_MAX = 0.02  # of the CPU time
# The way to the probe's programs and back costs as much in a server as in a loop, by ten planted
# calls (0.9 to 1.0) and by least squares of 46 servers (0.96 ± 0.08): decision 33.
SCALE_DEVIATION = 0.1


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its interval."""

    value: float
    low: float
    high: float

    @property
    def is_known(self) -> bool:
        """Whether it is beyond doubt on one side of 0."""
        return not self.low <= 0 <= self.high

    @property
    def distance(self) -> Estimate:
        """How far it is from 0, of a figure that is known not to be 0."""
        return Estimate(-self.value, -self.high, -self.low) if self.value < 0 else self


@dataclass(frozen=True, slots=True, kw_only=True)
class Sums:
    """Of one server and a request, each figure for all groups, and for each drawn set of them."""

    subject: str
    groups: int
    requests: Draws  # in probed slices
    cpu_ns: Draws  # without the probe
    probed_cpu_ns: Draws
    counts: dict[str, dict[str, Draws]]  # by the part, and the name of the figure
    costs: ProbeCosts  # in loops
    scale: Draws  # of these in servers
    # How often threads are switched without the probe, as a share of that with it.
    sleeps: Draws
    preemptions: Draws
    client_sleeps: Draws
    entering: Draws  # the share of its CPU time before system calls begin

    def estimate(self, draws: Draws) -> Estimate:
        """A figure of all groups, with its interval."""
        return estimate(draws, self.groups)

    @property
    def probe_ns(self) -> Draws:
        """What the probe costs."""
        return self.probed_cpu_ns - self.cpu_ns

    def count(self, part: str, figure: str) -> Draws:
        """A figure of a part; zero of one that the server does not have."""
        found = self.counts.get(part)
        return numpy.zeros_like(self.cpu_ns) if found is None else found[figure]

    def calls_in(self, part: str) -> Draws:
        """System calls that enter the kernel from a part, or are it."""
        if part == USER:
            return -total([self.calls_in(name) for name in self.counts if name != USER])
        return self.count(part, "entries") * (part not in NO_CALLS)

    def resumptions_in(self, part: str) -> Draws:
        """Of these, how many slept."""
        if part == USER:
            return -total([self.resumptions_in(name) for name in self.counts if name != USER])
        return self.count(part, "blocks") * (part not in NO_CALLS)

    def probe_in(self, part: str) -> Draws:
        """What the probe takes of a part, by its costs in a loop: half on each side of a border."""
        calls = numpy.abs(self.calls_in(part)) * self.costs.call / 2
        softirqs = self.count(part, "entries" if part == SOFTIRQ else "softirqs")
        switches = self.count(part, "blocks") + self.count(part, "preemptions")
        return calls + softirqs * self.costs.softirq / 2 + switches * self.costs.switch

    def part_ns(self, part: str) -> Draws:
        """The CPU time of a part, without the probe."""
        entries_ns = self.calls_in(part) * self.costs.entry
        entries_ns += self.resumptions_in(part) * self.costs.resumption
        probed_ns = self.count(part, "cpu_ns") - self.probe_in(part) * self.scale + entries_ns
        return probed_ns + self.less_often_ns(part) + self.before_calls_ns(part)

    def before_calls_ns(self, part: str) -> Draws:
        """What goes from user mode, as which the tracepoints cut it off, to a part of its own."""
        sign = {USER: -1, ENTERING: 1}.get(part, 0)
        return sign * self.entering * self.cpu_ns

    def less_often_ns(self, part: str) -> Draws:
        """What the part has less or more as threads are switched less or more without the probe.

        A slower server sleeps less or more often, and so does its client, which it has to wake up.
        """
        switched_ns = (self.sleeps - 1) * self.slept_ns(part)
        if part == PREEMPTION:
            switched_ns += (self.preemptions - 1) * self.count(part, "cpu_ns")
        if part == SOFTIRQ:
            switched_ns += (self.client_sleeps - 1) * self.waking_ns
        return switched_ns

    @property
    def waking_ns(self) -> Draws:
        """What softirqs that wake the client take more than others do."""
        wakes, waking_ns = self.count(SOFTIRQ, "wakes"), self.count(SOFTIRQ, "waking_ns")
        others = self.count(SOFTIRQ, "entries") - wakes
        other_ns = share_of(self.count(SOFTIRQ, "cpu_ns") - waking_ns, others, nothing=0)
        return numpy.where(others > 0, waking_ns - wakes * other_ns, 0)

    def slept_ns(self, part: str) -> Draws:
        """Of a part the calls that sleep, without what the probe takes of them."""
        sleeps = self.resumptions_in(part)
        probe_ns = sleeps * (self.costs.call / 2 + self.costs.switch) * self.scale
        own_ns = sleeps * (self.costs.entry + self.costs.resumption)
        return self.count(part, "slept_ns") - probe_ns + own_ns if part != USER else 0 * sleeps

    @property
    def rest_ns(self) -> Draws:
        """CPU time that is in no part."""
        return self.cpu_ns - total([self.part_ns(part) for part in self.counts])


def estimate(draws: Draws, groups: int) -> Estimate:
    """A figure of all groups, with the interval that the drawn sets give it.

    Sets that are drawn vary less than groups do, the more so the fewer there are: the quantiles lie
    further out, by Student's t (Hesterberg 2015, "What teachers should know about the bootstrap",
    expanded percentiles).
    """
    degrees = groups - 1
    t = scipy.special.stdtrit(degrees, (1 + CONFIDENCE) / 2)
    tail = scipy.special.ndtr(-t * math.sqrt(groups / degrees))
    low, high = numpy.quantile(draws[1:], [tail, 1 - tail])
    return Estimate(float(draws[0]), float(low), float(high))


def total(figures: Sequence[Draws]) -> Draws:
    """The sum of figures."""
    return numpy.asarray(numpy.sum(figures, axis=0))


def all_sums(load: ProbedLoad) -> list[Sums]:
    """The sums of each server, in the order of their first slices.

    Raises LabError if too few groups of slices are whole.
    """
    names = list(dict.fromkeys(one.subject for one in load.slices))
    groups = whole_groups(load.slices, len(names))
    weights = drawn(len(groups))
    return [sums_of(name, load, groups, weights) for name in names]


def scales() -> Draws:
    """How many times the probe's costs in loops are those in servers, as far as that is known."""
    drawn_scales = numpy.random.default_rng(SEED).normal(1, SCALE_DEVIATION, DRAWS + 1)
    drawn_scales[0] = 1
    return drawn_scales


def whole_groups(slices: Sequence[Slice], servers: int) -> list[int]:
    """The groups that have all their slices, none of them without a reply; disturbed ones last.

    Those that other work or the host has disturbed are left out, if enough others are there.
    """
    by_group: dict[int, list[Slice]] = {}
    for one in slices:
        by_group.setdefault(one.group, []).append(one)
    whole = {
        number: members
        for number, members in by_group.items()
        if len(members) == GROUP * servers and all(one.requests and one.cpu_ns for one in members)
    }
    calm = [number for number, members in whole.items() if all(map(is_calm, members))]
    kept = calm if len(calm) >= max(GROUPS_MIN, len(whole) * CALM_MIN) else list(whole)
    if len(kept) < GROUPS_MIN:
        raise LabError(
            f"{len(kept)} of {len(by_group)} groups of slices have replies in each slice, and "
            f"{GROUPS_MIN} are needed"
        )
    return kept


def is_calm(one: Slice) -> bool:
    """Whether neither other work nor the host of a virtual machine has disturbed a slice."""
    in_parts_ns = sum(part.cpu_ns for part in one.parts.values()) or one.cpu_ns
    return not one.disturbed and abs(in_parts_ns - one.cpu_ns) <= UNACCOUNTED_MAX * one.cpu_ns


def drawn(groups: int) -> Draws:
    """How often each group counts: once each, and then as it is drawn."""
    random = numpy.random.default_rng(SEED)
    draws = random.multinomial(groups, numpy.full(groups, 1 / groups), size=DRAWS)
    return numpy.vstack([numpy.ones(groups), draws])


def sums_of(
    name: str,
    load: ProbedLoad,
    groups: Sequence[int],
    weights: Draws,
) -> Sums:
    """The figures of one server."""
    own = [one for one in load.slices if one.subject == name]
    probed = [one for one in own if one.probed]
    plain = [one for one in own if not one.probed] or own

    def added(rows: Sequence[Slice], value: Callable[[Slice], int]) -> Draws:
        by_group = [sum(value(one) for one in rows if one.group == group) for group in groups]
        return numpy.asarray(weights @ numpy.array(by_group, float))

    parts = {part for one in probed for part in one.parts} - {PROBE}
    entering = share_before_calls(name, load.stacks.get(name, []))
    if entering[0] > 0 and USER in parts:
        parts.add(ENTERING)
    requests = added(probed, lambda one: one.requests)
    plain_requests = added(plain, lambda one: one.requests)
    return Sums(
        subject=name,
        groups=len(groups),
        requests=requests,
        cpu_ns=added(plain, lambda one: one.cpu_ns) / plain_requests,
        probed_cpu_ns=added(probed, lambda one: one.cpu_ns) / requests,
        counts={
            part: {
                figure: added(probed, partial(counted, part, figure)) / requests
                for figure in PartCounts.__struct_fields__
            }
            for part in sorted(parts)
        },
        costs=load.costs_ns,
        scale=scales(),
        entering=entering if ENTERING in parts else numpy.zeros_like(entering),
        **{
            name: share_of(
                added(plain, partial(switched, name)) / plain_requests,
                added(probed, partial(switched, name)) / requests,
                nothing=1,
            )
            if all(getattr(one.switches, name) is not None for one in own)
            else numpy.ones_like(requests)
            for name in SwitchCounts.__struct_fields__
        },
    )


def share_before_calls(name: str, stacks: Sequence[SampledStack]) -> Draws:
    """The share of a server's samples that are before system calls begin, as it may be."""
    samples = sum(one.samples for one in stacks)
    before = sum(one.samples for one in stacks if not BEFORE_CALLS.isdisjoint(one.frames))
    share = before / max(samples, 1)
    random = numpy.random.default_rng([SEED, *name.encode()])
    draws = random.binomial(max(samples, 1), share, size=DRAWS) / max(samples, 1)
    return numpy.concatenate([[share], draws])


def switched(name: str, one: Slice) -> int:
    """How often threads were switched in a slice, in one of the ways."""
    return int(getattr(one.switches, name) or 0)


def share_of(figure: Draws, whole: Draws, nothing: float) -> Draws:
    """One as a share of the other; `nothing` where that is 0."""
    return numpy.divide(figure, whole, out=numpy.full_like(whole, nothing), where=whole > 0)


def counted(part: str, figure: str, one: Slice) -> int:
    """A figure of a part in a slice, in which it may not have been."""
    if part == ENTERING and figure == "entries":
        return sum(other.entries for call, other in one.parts.items() if call not in NOT_ENTERED)
    found = one.parts.get(part)
    return 0 if found is None else int(getattr(found, figure))
