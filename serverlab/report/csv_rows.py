"""The tables for other programs: plain rows, base units, a column for each measure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from serverlab.analysis.all_requests import percentiles
from serverlab.analysis.cells import measures_of
from serverlab.analysis.timelines import moments
from serverlab.measures import MEASURES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from serverlab.analysis.cells import Cell
    from serverlab.analysis.results import Results
    from serverlab.measure import Measure
    from serverlab.records import Trial
    from serverlab.report.points import Row
    from serverlab.stats.usl import Law

DIGITS = 9
BASE_UNITS = {"time": "_ns", "memory": "_bytes", "requests/s": "_per_s"}


def cell_rows(shown: Results) -> list[Row]:
    """A row per cell: its levels, its verdict, each measure with its extremes, in base units."""
    measures = measures_of(shown.cells)
    return [
        {
            **levels_of(cell),
            "verdict": cell.verdict,
            "reason": cell.reason,
            "blocks_valid": len(cell.valid),
            "blocks_planned": cell.planned,
            "saturated": cell.limit,
            **figure_columns(cell, measures),
            **merged_columns(cell),
        }
        for cell in shown.cells
    ]


def levels_of(cell: Cell) -> Row:
    """Engine and levels by factor."""
    return dict(cell.levels)


def figure_columns(cell: Cell, measures: Sequence[Measure]) -> dict[str, float | None]:
    """Three columns a measure; empty where the cell has no valid figure."""
    columns: dict[str, float | None] = {}
    for measure in measures:
        figure = cell.figures.get(measure.name)
        name = column(measure)
        columns[name] = tidy(figure.value) if figure else None
        columns[f"{name}_low"] = tidy(figure.low) if figure else None
        columns[f"{name}_high"] = tidy(figure.high) if figure else None
    return columns


def merged_columns(cell: Cell) -> dict[str, float | None]:
    """The percentiles of all requests of a cell together, with their intervals."""
    values = percentiles(cell)
    columns: dict[str, float | None] = {}
    for measure in MEASURES:
        if measure.name in values:
            one, name = values[measure.name], f"{column(measure)}_merged"
            columns |= {name: one.value, f"{name}_low": one.low, f"{name}_high": one.high}
    return columns


def trial_rows(shown: Results) -> list[Row]:
    """A row per trial, those that are not valid included."""
    measures = measures_of(shown.cells)
    return [trial_row(cell, trial, measures) for cell in shown.cells for trial in cell.trials]


def trial_row(cell: Cell, trial: Trial, measures: Sequence[Measure]) -> Row:
    """One trial with what it measured."""
    return {
        "trial": trial.trial,
        "block": trial.block,
        "order": trial.order,
        "started_at": trial.started_at,
        **levels_of(cell),
        "verdict": trial.verdict.name,
        "reason": trial.verdict.reason,
        "saturated": trial.saturated,
        **{column(measure): tidy(measure.figure(trial)) for measure in measures},
    }


def scaling_rows(shown: Results) -> list[Row]:
    """A row per scaling law, or per reason why there is none."""
    return [
        {
            "subject": one.subject,
            "factor": one.factor,
            "where": one.where,
            **(law_columns(one.law) if one.law is not None else {}),
            "refusal": one.refusal,
        }
        for one in shown.scalings
    ]


def law_columns(law: Law) -> dict[str, float | None]:
    """Parameters with their intervals, and the predicted peak."""
    parameters = {"rate_per_s": law.rate, "serial": law.serial, "crosstalk": law.crosstalk}
    columns: dict[str, float | None] = {}
    for name, part in parameters.items():
        low, high = (part.low, part.high) if part.has_interval else (None, None)
        columns |= {name: tidy(part.value), f"{name}_low": tidy(low), f"{name}_high": tidy(high)}
    low, high = law.peak_interval
    peak = {"peak": law.peak, "peak_low": low, "peak_high": high}
    finite = {name: tidy(end) if math.isfinite(end) else None for name, end in peak.items()}
    return columns | finite | {"miss": tidy(law.miss)}


def curve_rows(shown: Results) -> list[Row]:
    """A row for each connection of each curve, sorted as they are drawn."""
    return [
        {**levels_of(curve.cell), "trial": curve.trial, "requests": requests}
        for curve in shown.curves
        for requests in curve.requests
    ]


def connecting_rows(shown: Results) -> list[Row]:
    """A row for each connection of each curve, in the order of connecting, from 1 on."""
    return [
        {**levels_of(curve.cell), "trial": curve.trial, "place": place, "requests": requests}
        for curve in shown.curves
        for place, requests in enumerate(curve.by_connecting, start=1)
    ]


def timeline_rows(shown: Results) -> list[Row]:
    """A row for each moment of each trial: what the load or the looks at the server know of it."""
    return [
        {
            **levels_of(cell),
            "trial": trial.trial,
            "t_s": tidy(moment.t_s),
            "established": moment.established,
            "server_cpus_busy": tidy(moment.cpus_busy),
            "server_rss_bytes": moment.rss_bytes,
            "server_threads": moment.threads,
            "server_descriptors": moment.descriptors,
        }
        for cell in shown.cells
        for trial in cell.trials
        for moment in moments(trial)
    ]


def column(measure: Measure) -> str:
    """A measure's name as a column, with its unit last."""
    return measure.name.replace("-", "_").replace(".", "_") + BASE_UNITS.get(measure.kind, "")


def tidy(value: float | None) -> float | None:
    """Without the digits that only arithmetic has made."""
    return None if value is None else float(f"{value:.{DIGITS}g}")
