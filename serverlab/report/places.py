"""Where something holds, in words: at which levels of x, and in which panels."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from serverlab.analysis.axes import factor_text
from serverlab.notation import level_text, listed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from serverlab.analysis.axes import Axes, Panel
    from serverlab.quantities import Level


def places_text(
    axes: Axes, places: Sequence[tuple[int, Level | None]], among: Collection[int]
) -> str:
    """Panels with levels: "at 64 connections", "with threads at 1 and 64 connections".

    Panels are not named where it holds in all of those `among` which it is looked for.
    """
    levels: dict[int, list[Level | None]] = {}
    for panel, level in places:
        levels.setdefault(panel, []).append(level)
    panels: dict[tuple[Level | None, ...], list[int]] = {}
    for panel, own in levels.items():
        panels.setdefault(tuple(own), []).append(panel)
    return listed(
        [
            " ".join(filter(None, (panels_text(axes, numbers, among), axes.at(*own))))
            for own, numbers in panels.items()
        ]
    )


def panels_text(axes: Axes, numbers: Iterable[int], among: Collection[int]) -> str:
    """Panels by what they have in common, if that is theirs alone, or else one by one."""
    panels = [axes.panels[number] for number in numbers]
    if len(panels) == len(among):
        return ""
    held = levels_held(panels)
    if math.prod(map(len, held.values())) != len(panels):
        return f"with {'; '.join(panel.label for panel in panels)}"
    everywhere = levels_held([axes.panels[number] for number in among])
    parts = [
        levels_text(name, levels)
        for name, levels in held.items()
        if len(levels) < len(everywhere[name])
    ]
    return f"with {', '.join(parts)}"


def levels_held(panels: Sequence[Panel]) -> dict[str, list[Level]]:
    """Of each factor, the levels that panels have."""
    return {
        name: list(dict.fromkeys(panel.levels[name] for panel in panels))
        for name in panels[0].levels
    }


def levels_text(name: str, levels: Sequence[Level]) -> str:
    """Levels of a factor: "threads and poll", "queue fifo"."""
    first, *others = levels
    return listed([factor_text(name, first), *map(level_text, others)])
