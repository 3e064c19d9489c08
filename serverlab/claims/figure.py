"""A figure of a report: what it shows by its published numbers, and the same from runs here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from serverlab.claims.evidence import Side
    from serverlab.claims.excerpt import Excerpt
    from serverlab.quantities import Level


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A published number."""

    series: str
    x: str
    y: float
    is_least: bool = False  # the report says only that it is more than that


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """The same from a run."""

    series: str
    x: str
    side: Side
    excerpt: Excerpt
    unit: float = 1  # of the axis, in the measure's own unit


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """Both, in the same axes."""

    id: str  # "4.1"
    title: str
    x: str  # the title of the axis
    y: str
    xs: tuple[str, ...]  # the places on x, in their order
    published: tuple[Mark, ...]
    here: tuple[Point, ...]
    note: str  # how much of the report's figure its numbers are, and how ours differ
    is_log: bool = False
    has_bars: bool = False

    @property
    def series(self) -> list[str]:
        """What is compared, in the order of the report."""
        names = [mark.series for mark in self.published] + [point.series for point in self.here]
        return list(dict.fromkeys(names))


def marks(series: str, values: Iterable[tuple[Level, float]]) -> tuple[Mark, ...]:
    """A published line."""
    return tuple(Mark(series=series, x=str(x), y=y) for x, y in values)


def points(
    series: str,
    side: Side,
    excerpt: Excerpt,
    factor: str,
    levels: Iterable[Level],
    unit: float = 1,
) -> tuple[Point, ...]:
    """A line of ours, along a factor."""
    return tuple(
        Point(
            series=series,
            x=str(level),
            side=side.at(**{factor: level}),
            excerpt=excerpt,
            unit=unit,
        )
        for level in levels
    )
