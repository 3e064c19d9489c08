"""What a run can be expected to tell apart: known before it begins, from how it is planned.

An effect is found if the interval of its ratio does not reach the border of its region. How far
intervals reach is known of this kind of machine: a shared one, whose speed drifts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import scipy

from serverlab.design.kind import INTERLEAVED
from serverlab.quantities import duration_s
from serverlab.stats.paired import ALARM

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from serverlab.claims.claim import Claim
    from serverlab.claims.needs import Place
    from serverlab.records import Plan

# Standard deviations of the logarithm of a ratio, as docs/method.md has them: twenty pairs of
# trials leave an interval of ±3.5 %, a hundred pairs of slices one of ±1 %. Fresh servers differ
# by about one per cent from start to start.
OF_TRIALS, OF_SLICES, OF_STARTS = 0.075, 0.05, 0.01
SLICE = "200ms"  # of a load whose servers take turns, unless the plan says otherwise


@dataclass(frozen=True, slots=True, kw_only=True)
class TooFine:
    """A test whose border is nearer to 1 than its run is expected to tell."""

    claim: str
    run: str
    border: float  # as a share: 0.02 is 2 %
    reach: float


def expected_reach(plan: Plan, blocks: int) -> float | None:
    """How far the interval of a ratio reaches to either side, as a share; None of one block.

    `plan` has the trials of a block. Where servers take turns, the others of the same block tell
    something of the noise, too.
    """
    if blocks < 2:
        return None
    degrees, deviation = blocks - 1, OF_TRIALS
    if plan.design == INTERLEAVED:
        load = plan.trials[0].load_settings
        slices = duration_s(load["duration"]) / duration_s(load.get("slice", SLICE))
        deviation = math.hypot(OF_STARTS, OF_SLICES / math.sqrt(max(slices, 1)))
    servers = len({trial.cell.get("engine") for trial in plan.trials})
    degrees *= max(1, servers - 1)
    t = -float(scipy.special.stdtrit(degrees, ALARM / 2))
    return math.expm1(t * deviation / math.sqrt(blocks))


def too_fine(
    claims: Sequence[Claim], reaches: Mapping[str, float | None], place: Place
) -> list[TooFine]:
    """Tests that may stay undecided if what they compare is alike, by the runs' reaches."""
    found: dict[tuple[str, str], TooFine] = {}
    for claim in claims:
        for test in claim.tests:
            reach = reaches.get(test.excerpt.name)
            # A border at 1 itself is one of a figure and a number, which no tie is asked of.
            margins = [region.margin(1.0) for region in test.predicate.regions]
            borders = [math.expm1(margin) for margin in margins if margin > 0]
            if test.lacking(place) or reach is None or min(borders, default=1) > reach:
                continue
            found[claim.id, test.excerpt.name] = TooFine(
                claim=claim.id, run=test.excerpt.name, border=min(borders), reach=reach
            )
    return list(found.values())
