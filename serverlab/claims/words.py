"""Levels and sides of a ratio, as one says them. Engine names stand in backticks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serverlab.analysis.axes import COUNTED
from serverlab.claims.evidence import Side
from serverlab.notation import NARROW_SPACE, level_text, listed, ratio_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from serverlab.quantities import Level
    from serverlab.stats.paired import Ratio


def level_words(name: str, level: Level) -> str:
    """A level with its factor: "64 connections", "`poll`", "bucket-delay 1-3"."""
    if name == "engine":
        return f"`{level}`"
    if name in COUNTED:
        noun = COUNTED[name]
        return f"{level_text(level)}{NARROW_SPACE}{noun}{'' if level == 1 else 's'}"
    return f"{name} {level_text(level)}"


def levels_words(levels: Mapping[str, Level]) -> str:
    """What has these levels: "`poll` at 64 connections"; without an engine the levels alone."""
    if "engine" not in levels:
        return listed([level_words(*item) for item in levels.items()])
    others = {name: level for name, level in levels.items() if name != "engine"}
    return f"{level_words('engine', levels['engine'])}{where(others)}"


def differing(side: Side, other: Side) -> str:
    """What tells a side from the other: a measure, or levels."""
    own = {name: level for name, level in side.levels.items() if other.levels.get(name) != level}
    parts = [side.measure.title] if side.measure is not other.measure else []
    return " of ".join(filter(None, [*parts, levels_words(own)]))


def shared(side: Side, other: Side) -> dict[str, Level]:
    """The levels that both sides have."""
    return {name: level for name, level in side.levels.items() if other.levels.get(name) == level}


def interval_text(ratio: Ratio) -> str:
    """The interval in brackets; an end that is open is said to be."""
    low = ratio_text(ratio.low) if ratio.low > 0 else "anything"
    high = ratio_text(ratio.high) if ratio.high < float("inf") else "anything"
    return f"({low} to {high})"


def where(levels: Mapping[str, Level]) -> str:
    """Levels to stand behind what has them: " with `poll` at 64 connections", or nothing."""
    counted = [level_words(*item) for item in levels.items() if item[0] in COUNTED]
    others = [level_words(*item) for item in levels.items() if item[0] not in COUNTED]
    parts = [
        f"{word} {listed(found)}" for word, found in (("with", others), ("at", counted)) if found
    ]
    return "".join(f" {part}" for part in parts)


def label(over: Side, under: Side | float) -> str:
    """What is compared, in a few words: "goodput: `poll` over `threads` at 64 connections"."""
    title = over.measure.noun
    if not isinstance(under, Side):
        return f"{title}{where(over.levels)}"
    pair = f"{differing(over, under)} over {differing(under, over)}{where(shared(over, under))}"
    return f"{title}: {pair}" if over.measure is under.measure else pair
