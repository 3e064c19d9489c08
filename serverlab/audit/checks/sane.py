"""Figures that are no figures: below nothing, or of no size that anything has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serverlab.audit.finding import Finding, Judgement

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serverlab.audit.row import Row

FIGURE_MIN, FIGURE_MAX = 1e-12, 1e18  # seconds, or requests: no load has fewer, or so many


def sane(row: Row) -> Iterator[Finding]:
    """Negative and endless figures, and percentiles above 100 %. The other checks need none."""
    for name, value in figures(row):
        if value != 0 and not FIGURE_MIN <= value < FIGURE_MAX:
            yield impossible(f"{name} is {shown(value)}")
    for share in row.percentiles_s:
        if not 0 <= share <= 1:
            yield impossible(f"p{100 * share:g} is no percentile")


def shown(value: float) -> str:
    """A figure of any size: a text may have an integer that no double holds."""
    return f"{value:g}" if abs(value) < FIGURE_MAX else f"not below {FIGURE_MAX:g}"


def figures(row: Row) -> Iterator[tuple[str, float]]:
    """The figures that a row has, with their names."""
    known: dict[str, float | None] = {
        "the rate": row.rate_per_s,
        "the rate that was asked for": row.offered_per_s,
        "the time": row.duration_s,
        "the number of requests": row.requests,
        "the number of errors": row.errors,
        "the number of connections": row.places,
        "the shortest latency": row.min_s,
        "the mean latency": row.mean_s,
        "the longest latency": row.max_s,
        "the generator's CPU time": row.generator_busy,
        "the server's CPU time": row.server_busy,
    }
    known |= {f"p{100 * share:g}": value for share, value in row.percentiles_s.items()}
    for name, value in known.items():
        if value is not None:
            yield name, value


def impossible(reason: str) -> Finding:
    """A finding of this check."""
    return Finding(judgement=Judgement.IMPOSSIBLE, check="figure", reason=reason)
