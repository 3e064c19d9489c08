"""The ledger: what a request costs, part by part, and what two servers differ in.

Of each part: how often a request comes to it, and the CPU time of that. The probe's programs time
themselves, and are in no part. What the way to them and back takes is in the times of the probed
slices, and comes out again: by how much system calls, softirqs and switches cost more in loops of
the probe's own. The rest, which no part holds, is said: a server that the probe slows may wait and
be woken otherwise.

The tracepoints lie behind the entry to the kernel and before the exit from it: what these two take
is cut off as user mode, and goes back to the calls.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy

from serverlab.analysis.ledger_sums import Estimate, all_sums
from serverlab.errors import LabError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from serverlab.analysis.ledger_sums import Draws, Sums
    from serverlab.slices import ProbedLoad


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of what a server does for a request."""

    name: str
    calls: Estimate  # how often
    cpu_ns: Estimate  # in all, without the probe
    blocked_ns: Estimate  # of all its threads, until they were woken
    blocks: Estimate
    run_queue_ns: Estimate
    contended_ns: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """What a request costs a server."""

    subject: str
    requests: int  # in the probed slices
    cpu_ns: Estimate  # without the probe: in the slices that have none
    probe_ns: Estimate  # what the probe costs a request
    parts: list[Part]  # the most expensive first
    rest_ns: Estimate  # CPU time that is in no part


@dataclass(frozen=True, slots=True, kw_only=True)
class PartDifference:
    """How much more CPU time a part takes in the second server than in the first."""

    name: str
    cpu_ns: Estimate
    by_calls_ns: Estimate  # since there are more calls
    by_price_ns: Estimate  # since one costs more
    is_new: bool  # the first server does not come to it
    is_gone: bool  # the second one does not


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """How much more a request costs the second server than the first."""

    subject: str
    baseline: str
    cpu_ns: Estimate
    parts: list[PartDifference]  # the largest first
    rest_ns: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """Why an engine differs from its neighbour."""

    ledgers: list[Ledger]  # the neighbour's, and the engine's
    difference: Difference
    without_probe: str


def explained(loads: Sequence[ProbedLoad]) -> list[Explained]:
    """What loads of two servers say; one that has too few slices says nothing."""
    found = []
    for load in loads:
        with contextlib.suppress(LabError):
            costs, [between] = ledgers(load)
            found.append(
                Explained(ledgers=costs, difference=between, without_probe=load.without_probe)
            )
    return found


def ledgers(load: ProbedLoad) -> tuple[list[Ledger], list[Difference]]:
    """The ledger of each server, and what all but the first differ in from it.

    Raises LabError if too few groups of slices are whole.
    """
    found = all_sums(load)
    return [ledger(one) for one in found], [difference(one, found[0]) for one in found[1:]]


def ledger(one: Sums) -> Ledger:
    """A server's ledger."""
    parts = [
        Part(
            name=name,
            calls=one.estimate(one.count(name, "entries")),
            cpu_ns=one.estimate(one.part_ns(name)),
            blocks=one.estimate(one.count(name, "blocks")),
            blocked_ns=one.estimate(one.count(name, "blocked_ns")),
            run_queue_ns=one.estimate(one.count(name, "run_queue_ns")),
            contended_ns=one.estimate(one.count(name, "contended_ns")),
        )
        for name in one.counts
    ]
    return Ledger(
        subject=one.subject,
        requests=round(float(one.requests[0])),
        cpu_ns=one.estimate(one.cpu_ns),
        probe_ns=one.estimate(one.probe_ns),
        parts=sorted(parts, key=lambda part: -part.cpu_ns.value),
        rest_ns=one.estimate(one.rest_ns),
    )


def difference(one: Sums, base: Sums) -> Difference:
    """How much more a request costs one server than another."""
    names = dict.fromkeys([*base.counts, *one.counts])
    parts = [part_difference(name, one, base) for name in names]
    return Difference(
        subject=one.subject,
        baseline=base.subject,
        cpu_ns=one.estimate(one.cpu_ns - base.cpu_ns),
        parts=sorted(parts, key=lambda part: -abs(part.cpu_ns.value)),
        rest_ns=one.estimate(one.rest_ns - base.rest_ns),
    )


def part_difference(name: str, one: Sums, base: Sums) -> PartDifference:
    """The same of a part: Δ = Δcalls x the mean price + the mean calls x Δprice.

    A part that only one of them has differs by its calls alone.
    """
    more_calls = one.count(name, "entries") - base.count(name, "entries")
    first, second = price(base, name), price(one, name)
    mean_price = numpy.where(
        numpy.isnan(first), second, numpy.where(numpy.isnan(second), first, (first + second) / 2)
    )
    total = one.part_ns(name) - base.part_ns(name)
    by_calls = more_calls * numpy.nan_to_num(mean_price)
    return PartDifference(
        name=name,
        cpu_ns=one.estimate(total),
        by_calls_ns=one.estimate(by_calls),
        by_price_ns=one.estimate(total - by_calls),
        is_new=name not in base.counts,
        is_gone=name not in one.counts,
    )


def price(server: Sums, name: str) -> Draws:
    """What one call costs; not a number where there is none."""
    calls = server.count(name, "entries")
    return numpy.divide(
        server.part_ns(name), calls, out=numpy.full_like(calls, numpy.nan), where=calls > 0
    )
