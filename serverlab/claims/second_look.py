"""What is left of a budget goes to the claims that are undecided, once.

Their runs get more blocks, evenly. It is decided once how many: a look after each block, until an
interval lies where one hopes, finds what is not there.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from serverlab.claims.answer import Answer
from serverlab.claims.budget import RESERVE
from serverlab.report.caveats import elapsed_s

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from serverlab.claims.campaign import Campaign, Part
    from serverlab.claims.evidence import Evidence
    from serverlab.claims.outcome import Outcome

TIMES_MAX = 4  # the blocks that a run had: twice as exact


def with_second_look(
    planned: Campaign, found: Sequence[Outcome], runs: Mapping[str, Evidence]
) -> Campaign:
    """The campaign with more blocks for what is undecided.

    The same one if nothing is undecided, if no time is left, or if it has had its second look.
    """
    if planned.budget_s is None or any(part.more for part in planned.parts):
        return planned
    names = undecided(found)
    parts = [part for part in planned.parts if part.name in names and part.name in runs]
    spent_s = sum(
        elapsed_s(runs[part.name].shown.run.trials) for part in planned.parts if part.name in runs
    )
    more = shared_out(parts, (1 - RESERVE) * planned.budget_s - planned.ledgers_s - spent_s)
    return msgspec.structs.replace(
        planned,
        parts=[msgspec.structs.replace(part, more=more[part.name]) for part in planned.parts],
    )


def undecided(found: Iterable[Outcome]) -> dict[str, list[str]]:
    """The runs whose figures leave a claim open, with the ids of these claims."""
    names: dict[str, list[str]] = {}
    for outcome in found:
        for arm in (outcome.observed, outcome.caused):
            if arm is None or arm.answer is not Answer.UNDECIDED:
                continue
            for one in arm.tests:
                if one.finding.answer is Answer.UNDECIDED:
                    names.setdefault(one.test.excerpt.name, []).append(outcome.claim.id)
    return {name: list(dict.fromkeys(ids)) for name, ids in names.items()}


def shared_out(parts: Sequence[Part], left_s: float) -> Counter[str]:
    """How many blocks each gets, in proportion to those it had."""
    more: Counter[str] = Counter()
    open_to_more = list(parts)
    while open_to_more:
        part = min(open_to_more, key=lambda one: (more[one.name] + 1) / one.blocks)
        block_s = part.seconds / part.blocks
        if block_s > left_s or more[part.name] + part.blocks >= TIMES_MAX * part.blocks:
            open_to_more.remove(part)
            continue
        more[part.name] += 1
        left_s -= block_s
    return more
