"""Which trials are run once more, because other work took their CPUs for a while.

Servers that take turns have slices, of which some are not disturbed. A trial of a separate design
is compared with trials that ran at other times.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

import msgspec

from serverlab.analysis.noisy import EXTRA_MAX
from serverlab.design.plan import with_repeat
from serverlab.load_result import Verdict
from serverlab.verdicts import VerdictName

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from serverlab.records import Plan, Trial

USUAL_MIN = 3  # trials, before one knows what is usual


def judged(record: Trial, usual: Sequence[float]) -> Trial:
    """The record, NOISY if other work took much more CPU time than in the trials before it.

    `usual` is how many CPUs other work took in each of these. A machine that is always busy makes
    no trial NOISY, since nothing would be gained by a second one. Nor is a trial judged that
    repeats another: the next one would be as likely to be disturbed.
    """
    busy = record.other_cpus_busy
    if not record.is_valid or record.repeats or busy is None or len(usual) < USUAL_MIN:
        return record
    if busy <= median(usual) + EXTRA_MAX:
        return record
    reason = f"other work took {busy:.2f} CPUs meanwhile, where {median(usual):.2f} is usual"
    return msgspec.structs.replace(record, verdict=Verdict(VerdictName.NOISY, reason))


def with_repeats(plan: Plan, records: Iterable[Trial]) -> Plan:
    """The plan with one more trial right behind each of those that are NOISY."""
    for record in records:
        if record.is_noisy:
            plan = with_repeat(plan, record.trial)
    return plan
