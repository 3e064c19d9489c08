"""What an experiment compares, and by which measures: its table [contrast].

Without one it compares its engines; where it has a single engine, it compares the levels of all
factors but the one that becomes the x axis.
"""

from __future__ import annotations

import difflib
import itertools
from typing import TYPE_CHECKING

import msgspec

from serverlab.errors import UsageError
from serverlab.levels import is_numeric, subject_name
from serverlab.measures import BY_NAME, CLASSES, OF_CLASSES
from serverlab.quantities import quoted
from serverlab.records import CLASS, Contrast

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from serverlab.quantities import Level

ENGINE = "engine"
SERVICE = "service"


class ContrastTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The table as it stands in the file."""

    by: str | list[str] = []
    between: str | list[str] | None = None
    baseline: str = ""


def contrast_of(
    given: ContrastTable, engines: Sequence[str], factors: Mapping[str, Sequence[Level]]
) -> Contrast:
    """The contrast of a checked table; `factors` are those apart from the engine.

    Raises UsageError for a measure, a factor or a baseline that is not there.
    """
    between = between_of(given, engines, factors)
    by = measures_of(given)
    for name in by if between == [CLASS] else ():
        if name not in OF_CLASSES:
            raise UsageError(
                f"[contrast] by: {name} is not known of a class of requests; known are "
                f"{', '.join(sorted(OF_CLASSES))}"
            )
    return Contrast(by=by, between=between, baseline=baseline_of(given, between, factors))


def baseline_of(
    given: ContrastTable, between: Sequence[str], factors: Mapping[str, Sequence[Level]]
) -> str:
    """What the others are compared with; empty for the first."""
    baseline = given.baseline
    if not baseline:
        return ""
    if not between:
        raise UsageError("[contrast] baseline: where engines are compared, it is [design]'s")
    names = subjects(between, factors)
    if baseline not in names:
        raise UsageError(f"[contrast] baseline: {quoted(baseline)} is none of {', '.join(names)}")
    return baseline


def measures_of(given: ContrastTable) -> list[str]:
    """The names of the measures that decide."""
    names = as_list(given.by)
    for name in names:
        check_measure("[contrast] by", name)
    return names


def check_measure(key: str, name: str) -> None:
    """Raise UsageError if there is no measure of that name."""
    if name not in BY_NAME:
        near = difflib.get_close_matches(name, BY_NAME, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(BY_NAME)}"
        raise UsageError(f"{key}: there is no measure {quoted(name)}; {hint}")


def between_of(
    given: ContrastTable, engines: Sequence[str], factors: Mapping[str, Sequence[Level]]
) -> list[str]:
    """The factors whose levels are compared; none where engines are."""
    names = derived(engines, factors) if given.between is None else as_list(given.between)
    if names in ([ENGINE], [CLASS]):
        return [] if names == [ENGINE] else names
    varied = [name for name, levels in factors.items() if len(levels) > 1]
    for name in names:
        if name in (ENGINE, CLASS):
            raise UsageError(f"[contrast] between: {quoted(name)} is compared alone")
        if name not in varied:
            known = ", ".join([ENGINE, *varied, CLASS])
            raise UsageError(
                f"[contrast] between: {quoted(name)} is no factor with two levels or more; "
                f"known: {known}"
            )
    return names


def derived(engines: Sequence[str], factors: Mapping[str, Sequence[Level]]) -> list[str]:
    """What is compared where the experiment does not say."""
    if len(engines) > 1:
        return [ENGINE]
    varied = {name: levels for name, levels in factors.items() if len(levels) > 1}
    x = next((name for name, levels in varied.items() if is_numeric(list(levels), name)), None)
    return [name for name in varied if name != x]


def subjects(between: Sequence[str], factors: Mapping[str, Sequence[Level]]) -> list[str]:
    """What is compared, by name; none where engines are."""
    if not between:
        return []
    if list(between) == [CLASS]:
        return list(CLASSES)
    combinations = itertools.product(*(factors[name] for name in between))
    return [
        subject_name(dict(zip(between, levels, strict=True)), between) for levels in combinations
    ]


def takes_turns(between: Sequence[str], server: Container[str], load: Container[str]) -> bool:
    """Whether servers that differ by these factors alone can share a load: whether it is theirs.

    `server` and `load` hold the settings of the two. What the load asks for follows the service.
    """
    return all(name in server and name not in load and name != SERVICE for name in between)


def as_list(value: str | list[str]) -> list[str]:
    """A name, or several."""
    return value if isinstance(value, list) else [value]
