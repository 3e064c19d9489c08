"""A rate that is a share of a capacity: "50%" of what the slowest server answers in a closed loop.

The closed loop is part of the same run, at the same levels. Its first block decides, so that the
rate is the same in all blocks, and in a run that is resumed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from serverlab.design.relative_rate import CLOSED
from serverlab.errors import LabError
from serverlab.measures import GOODPUT
from serverlab.quantities import share_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from serverlab.quantities import Level
    from serverlab.records import PlannedTrial, Trial

DIGITS = 2  # of a rate; a capacity is not known to more
ANY_RATE = "1000"  # in place of one that is not known yet


def with_rate(trial: PlannedTrial, rate: str) -> PlannedTrial:
    """The same trial with another rate."""
    return msgspec.structs.replace(trial, load_settings={**trial.load_settings, "rate": rate})


def with_any_rate(trial: PlannedTrial) -> PlannedTrial:
    """The same trial with a number for its rate, to have its other settings checked."""
    return with_rate(trial, ANY_RATE) if share_of_capacity(trial) is not None else trial


def share_of_capacity(trial: PlannedTrial) -> float | None:
    """The share that the rate is; None of a rate in requests per second, or of none."""
    return share_of(trial.load_settings.get("rate", ""))


def with_rates(
    group: Sequence[PlannedTrial], done: Callable[[], Iterable[Trial]]
) -> list[PlannedTrial]:
    """The trials of a group with rates in requests per second.

    What is done is read only where a rate depends on it: a long run has thousands of records.

    Raises LabError if no valid trial of the closed loop gives the capacity.
    """
    share = share_of_capacity(group[0])
    if share is None:
        return list(group)
    place = place_of(group[0])
    found = [
        goodput_per_s
        for trial in done()
        if trial.block == 1 and trial.load_settings.get("model") == CLOSED
        and trial.is_valid and place_of(trial) == place
        and (goodput_per_s := GOODPUT.figure(trial)) is not None
    ]  # fmt: skip
    if not found:
        raise LabError("no valid trial of the closed loop says what the capacity is")
    rate = float(f"{share * min(found):.{DIGITS}g}")
    return [with_rate(trial, f"{max(rate, 1):.0f}") for trial in group]


def place_of(trial: PlannedTrial) -> dict[str, Level]:
    """What the load asks, the model apart: servers that are asked the same share a capacity."""
    return {
        name: level
        for name, level in trial.cell.items()
        if name == "service" or (name in trial.load_settings and name != "model")
    }
