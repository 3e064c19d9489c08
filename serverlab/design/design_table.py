"""The table [design] of an experiment file: how often, against what, and in which order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeGuard

import msgspec

from serverlab.bounds import BLOCKS_LIMIT
from serverlab.design.contrast import check_measure
from serverlab.design.kind import SEPARATE
from serverlab.errors import UsageError
from serverlab.quantities import NUMBER_MAX, Level, duration_s, quoted
from serverlab.records import CLASS, Contrast

if TYPE_CHECKING:
    from collections.abc import Mapping

BLOCKS = 5  # where an experiment does not say
AT_ONCE = "0 s"
BLOCKS_MAX = 30  # the same, where a precision is wanted


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """How often, against what, and whether one server after the other or in turns."""

    kind: str = SEPARATE
    reason: str = ""  # why servers do not take turns, where the laboratory has chosen
    connection_log: bool = False  # keep a row for each connection of each trial
    explain: bool = False  # say by which system calls engines differ from their neighbours
    stop_after: str = AT_ONCE  # how long a server stays when its load has ended
    blocks: int = BLOCKS
    # Half the width of the headline intervals, as a share; or of the ratios of each measure.
    precision: float | dict[str, float] | None = None
    blocks_max: int = 0  # where a precision is wanted
    time_max_s: float = 0  # the same; 0: any time
    baseline: str = ""  # empty: the first engine
    twin: bool = True  # an A/A pair: the baseline once more, under another name
    seed: int | None = None
    exclude: tuple[Mapping[str, Level], ...] = ()  # combinations of levels that are left out


class DesignTable(msgspec.Struct, frozen=True, kw_only=True):
    """The table as a file has it: its keys are those that there are, its values any."""

    kind: object = None
    connection_log: object = False
    explain: object = False
    stop_after: object = AT_ONCE
    blocks: object = BLOCKS
    precision: object = None
    blocks_max: object = None
    time_max: object = None
    baseline: object = None
    twin: object = None
    seed: object = None
    exclude: object = ()


def design_of(
    given: DesignTable, engines: list[str], subjects: list[str], contrast: Contrast
) -> Design:
    """The design, with its defaults; `subjects` are what is compared. Raises UsageError."""
    blocks = block_count("blocks", given.blocks)
    precision = precision_of(given, subjects)
    baseline = engines[0] if given.baseline is None else given.baseline
    if not isinstance(baseline, str) or baseline not in engines:
        raise UsageError(
            f"[design] baseline: {quoted(baseline)} is none of the engines {', '.join(engines)}"
        )
    is_usual = len(subjects) > 1 and contrast.between != [CLASS]
    twin = is_usual if given.twin is None else switch("twin", given.twin)
    stop_after = str(given.stop_after)
    try:
        duration_s(stop_after)
    except UsageError as error:
        raise UsageError(f"[design] stop_after: {error}") from None
    seed = given.seed
    if seed is not None and not is_seed(seed):
        raise UsageError(f"[design] seed: {quoted(seed)} is not a whole number from 0 to 2^63 - 1")
    return Design(
        connection_log=switch("connection_log", given.connection_log),
        explain=switch("explain", given.explain),
        stop_after=stop_after,
        blocks=blocks,
        precision=precision,
        blocks_max=blocks_max_of(given, blocks),
        time_max_s=time_max_of(given),
        baseline=baseline,
        twin=twin,
        seed=seed,
    )


def switch(key: str, value: object) -> bool:
    """A key that is on or off."""
    if not isinstance(value, bool):
        raise UsageError(f"[design] {key}: {quoted(value)} is neither true nor false")
    return value


def is_seed(value: object) -> TypeGuard[int]:
    """Whether an order of trials can be drawn from it, and written down."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < NUMBER_MAX


def precision_of(given: DesignTable, subjects: list[str]) -> float | dict[str, float] | None:
    """How narrow the headline intervals are to be, or the ratios of each measure that is named."""
    precision = given.precision
    if precision is None:
        return None
    if len(subjects) < 2:
        raise UsageError("[design] precision: one subject has no ratio to a baseline")
    if not isinstance(precision, dict):
        return share_of_ratio("precision", precision)
    if not precision:
        raise UsageError("[design] precision: it names no measure")
    for name in precision:
        check_measure("[design] precision", name)
    return {name: share_of_ratio(f"precision.{name}", share) for name, share in precision.items()}


def share_of_ratio(key: str, value: object) -> float:
    """Half the width of an interval that an experiment names."""
    if not isinstance(value, float) or not 0 < value < 1:
        raise UsageError(f"[design] {key}: {quoted(value)} is not a share such as 0.03")
    return value


def blocks_max_of(given: DesignTable, blocks: int) -> int:
    """How many blocks a precision may take; 0 if none is wanted."""
    if given.precision is None:
        if given.blocks_max is not None:
            raise UsageError("[design] blocks_max needs a precision, such as precision = 0.03")
        return 0
    usual_max = max(BLOCKS_MAX, blocks)
    blocks_max = block_count(
        "blocks_max", usual_max if given.blocks_max is None else given.blocks_max
    )
    if blocks_max < blocks:
        raise UsageError(f"[design] blocks_max: {blocks_max} is less than the {blocks} blocks")
    return blocks_max


def time_max_of(given: DesignTable) -> float:
    """How long a run may take for the sake of a precision, in seconds; 0 if any time."""
    if given.time_max is None:
        return 0
    if given.precision is None:
        raise UsageError("[design] time_max needs a precision, such as precision = 0.03")
    try:
        return duration_s(str(given.time_max))
    except UsageError as error:
        raise UsageError(f"[design] time_max: {error}") from None


def block_count(key: str, value: object) -> int:
    """A number of blocks that an experiment names."""
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= BLOCKS_LIMIT:
        raise UsageError(
            f"[design] {key}: {quoted(value)} is not a whole number from 1 to {BLOCKS_LIMIT}"
        )
    return value
