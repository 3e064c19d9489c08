"""Ratios of what was found to what is true, held to a bar."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from serverlab.console import say, show, table_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeated:
    """Something that was measured several times."""

    name: str
    true_ns: Sequence[float]
    ratios: Sequence[float]  # of what was found to it


def judged(rows: Iterable[Repeated], bar: float) -> int:
    """Print the ratios, and return 0 if each median is at most `bar` from 1, else 1."""
    table = table_of("what", "true, ns", "found over true", "median")
    held = True
    for row in rows:
        middle = median(row.ratios)
        held = held and abs(middle - 1) <= bar
        table.add_row(
            row.name,
            f"{median(row.true_ns):.0f}",
            " ".join(f"{ratio:.3f}" for ratio in sorted(row.ratios)),
            f"{middle:.3f}",
        )
    show(table)
    say(f"The bar: 1 ± {bar}: {'kept' if held else 'missed'}")
    return 0 if held else 1
