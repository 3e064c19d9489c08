"""The table of the scaling laws, or the sentence that says why there is none."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from serverlab.analysis.scaling import SCALED
from serverlab.notation import number
from serverlab.report.tables import ABSENT, Entry, Table, number_entry
from serverlab.stats.usl import LEVELS_MIN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from serverlab.analysis.scaling import Scaling
    from serverlab.stats.usl import Estimate, Law

HEAD = (
    ("λ", "requests/s of one"),
    ("σ", "share in line"),
    ("κ", "cost of a pair"),
    ("predicted peak", "at"),
    ("predicted peak", "requests/s"),
    ("misses the levels by", "%"),
    ("remark", ""),
)


def summary(found: Sequence[Scaling]) -> str:
    """What to say where no law at all could be had; empty if there is one, or nothing to scale."""
    if not found or any(one.law for one in found):
        return ""
    refusals = {one.refusal for one in found}
    reason = (
        refusals.pop() if len(refusals) == 1 else f"{LEVELS_MIN} levels with figures are needed"
    )
    return f"No scaling law is fitted: {reason}."


def scaling_table(found: Sequence[Scaling]) -> Table:
    """Parameters with their intervals, and the predicted peak; where, if there are panels."""
    has_places = any(one.where for one in found)
    whose = ("subject", "where", "number of") if has_places else ("subject", "number of")
    return Table(
        head=(*((name, "") for name in whose), *HEAD),
        rows=tuple(
            (
                Entry(text=one.subject),
                *([Entry(text=one.where)] if has_places else []),
                Entry(text=SCALED[one.factor]),
                *entries(one),
            )
            for one in found
        ),
    )


def entries(one: Scaling) -> tuple[Entry, ...]:
    """The law itself, or the reason why there is none."""
    law = one.law
    if law is None:
        nothing = Entry(text=ABSENT, order="")
        return (*[nothing] * 6, Entry(text=f"none: {one.refusal}"))
    return (
        *(estimate_entry(part) for part in (law.rate, law.serial, law.crosstalk)),
        *peak_entries(law),
        number_entry(number(100 * law.miss), 100 * law.miss),
        Entry(text=remark(one, law)),
    )


def estimate_entry(part: Estimate) -> Entry:
    """A parameter, its interval below it."""
    interval = f"{number(part.low)} to {number(part.high)}" if part.has_interval else ""
    return number_entry(number(part.value), part.value, interval)


def peak_entries(law: Law) -> tuple[Entry, Entry]:
    """Where the law says that goodput is highest, and how high."""
    if math.isinf(law.peak):
        return Entry(text="none", order=""), Entry(text=ABSENT, order="")
    at = max(1.0, law.peak)
    low, high = law.peak_interval
    ends = "" if math.isnan(high) else f"{number(max(1.0, low))} to {at_most(high)}"
    return number_entry(number(at), at, ends), number_entry(number(law.at(at)), law.at(at))


def at_most(high: float) -> str:
    """The upper end of a peak's interval."""
    return "none" if math.isinf(high) else number(high)


def remark(one: Scaling, law: Law) -> str:
    """What a reader must know of this fit."""
    if math.isinf(law.peak):
        if law.serial.value == 0:
            return "no limit shows within these levels"
        return f"rises towards {number(law.rate.value / law.serial.value)} requests/s"
    if one.peak_is_beyond:
        return f"the peak lies beyond {number(one.highest)}, where nothing was measured"
    return ""
