"""Which tests `make check` runs, and which only `make check-all`: the rule, and parts.toml for it.

Each test runs in one of the two parts, so that one after the other runs everything once.
docs/decisions/0018-what-runs-where.md has the reasons.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

PARTS_FILE = Path(__file__).parent / "parts.toml"


class Left(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Tests that only `make check-all` runs."""

    tests: str
    reason: str


class Parts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole of parts.toml. Tests are named by the path of their file, or by file::function."""

    every_engine: list[str]
    check_all: list[Left]


PARTS = msgspec.toml.decode(PARTS_FILE.read_text(encoding="utf-8"), type=Parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A test with its parameters, as far as the choice depends on them."""

    file: str
    function: str
    engine: str = ""  # empty if it is not of one engine
    service: str = ""
    others: str = ""  # its other parameters

    def is_of(self, tests: Iterable[str]) -> bool:
        """Whether one of the names is that of its file or of its function."""
        return not {self.file, f"{self.file}::{self.function}"}.isdisjoint(tests)


def chosen(cases: Sequence[Case], engines_each: int = 1, parts: Parts = PARTS) -> list[bool]:
    """For each test whether it belongs to `make check`.

    A test that takes no engine does, and so do those of `parts.every_engine`. Any other function
    runs, with each combination of its other parameters, with so many engines: those that have met
    its service, then its file, then anything least often. What pairs of an engine and a service
    are still missing are added.
    """
    left = [case.is_of(one.tests for one in parts.check_all) for case in cases]
    kept = [
        not left[number] and (not case.engine or case.is_of(parts.every_engine))
        for number, case in enumerate(cases)
    ]
    met: Counter[tuple[str, ...]] = Counter()

    def keep(number: int) -> None:
        case = cases[number]
        kept[number] = True
        met.update([(case.engine,), (case.engine, case.service), (case.engine, "in", case.file)])

    def meetings(number: int) -> tuple[int, ...]:
        case = cases[number]
        return (
            met[case.engine, case.service],
            met[case.engine, "in", case.file],
            met[case.engine,],
            number,
        )

    for number in [number for number, is_kept in enumerate(kept) if is_kept]:
        keep(number)
    groups: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, case in enumerate(cases):
        if not left[number] and not kept[number]:
            groups[case.file, case.function, case.service, case.others].append(number)
    for numbers in groups.values():
        for _ in range(min(engines_each, len(numbers))):
            best = min(numbers, key=meetings)
            numbers.remove(best)
            keep(best)
    for number, case in enumerate(cases):
        if case.engine and not left[number] and not met[case.engine, case.service]:
            keep(number)
    return kept
