"""The tail: where the slowest requests of a server wait, beside those in the middle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy

from serverlab.analysis.ledger_sums import Estimate, all_sums, drawn, estimate
from serverlab.errors import LabError
from serverlab.slices import LANES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from serverlab.slices import FollowedRequest, ProbedLoad

MIDDLE = (0.4, 0.6)
SLOWEST = (0.99, 1.0)
REQUESTS_MIN = 2000  # so that the slowest hundredth has twenty


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """Requests of a server from one quantile of their time to another."""

    requests: int
    time_ns: Estimate  # the mean
    lanes_ns: dict[str, Estimate]  # of it, in the order of a request


@dataclass(frozen=True, slots=True, kw_only=True)
class Tail:
    """Where the requests of a server wait."""

    subject: str
    requests: int  # that were followed
    p50_ns: float
    p99_ns: float
    middle: Share
    slowest: Share
    cpu_ns: Estimate  # of a request, without the probe
    probe_ns: Estimate  # what the probe costs a request


def tails(load: ProbedLoad) -> list[Tail]:
    """Of each server. Raises LabError if too few requests were followed."""
    found = []
    for sums in all_sums(load):
        followed = load.requests[sums.subject]
        if len(followed) < REQUESTS_MIN:
            raise LabError(
                f"{len(followed)} requests of {sums.subject} were followed, and {REQUESTS_MIN} are "
                "needed: let it take longer (--for), or have fewer connections"
            )
        lanes_ns = numpy.array([one.lanes_ns for one in followed], float)
        p50_ns, p99_ns = numpy.quantile(lanes_ns.sum(axis=1), [0.5, SLOWEST[0]])
        found.append(
            Tail(
                subject=sums.subject,
                requests=len(followed),
                p50_ns=float(p50_ns),
                p99_ns=float(p99_ns),
                middle=share(followed, lanes_ns, *MIDDLE),
                slowest=share(followed, lanes_ns, *SLOWEST),
                cpu_ns=sums.estimate(sums.cpu_ns),
                probe_ns=sums.estimate(sums.probe_ns),
            )
        )
    return found


def share(
    followed: list[FollowedRequest], lanes_ns: NDArray[numpy.float64], low: float, high: float
) -> Share:
    """The mean of each lane; the intervals are of a bootstrap over the groups of slices."""
    times_ns = lanes_ns.sum(axis=1)
    least_ns, most_ns = numpy.quantile(times_ns, [low, high])
    chosen = (least_ns <= times_ns) & (times_ns <= most_ns)
    _, group = numpy.unique([one.group for one in followed], return_inverse=True)
    groups = int(group.max()) + 1
    sums_ns = numpy.zeros((groups, len(LANES)))
    numpy.add.at(sums_ns, group[chosen], lanes_ns[chosen])
    weights = drawn(groups)
    counts = weights @ numpy.bincount(group[chosen], minlength=groups)
    drawn_ns = weights @ sums_ns
    # A set that is drawn may have none of the groups in which requests were slow.
    means_ns = drawn_ns[counts > 0] / counts[counts > 0, None]
    return Share(
        requests=int(chosen.sum()),
        time_ns=estimate(means_ns.sum(axis=1), groups),
        lanes_ns={name: estimate(means_ns[:, lane], groups) for lane, name in enumerate(LANES)},
    )
