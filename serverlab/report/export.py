"""The report as files: every chart as PNG and SVG, the tables as CSV."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import polars
import vl_convert

from serverlab.analysis.results import results
from serverlab.errors import LabError, reason_of
from serverlab.measures import MEASURES
from serverlab.plain_text import plain
from serverlab.report import curve_chart, timeline_charts
from serverlab.report.charts import chart, scales
from serverlab.report.csv_rows import (
    cell_rows,
    connecting_rows,
    curve_rows,
    scaling_rows,
    timeline_rows,
    trial_rows,
)
from serverlab.report.network_layer import ceiling
from serverlab.report.page import default_mode
from serverlab.report.palette import looks
from serverlab.report.points import points, rows
from serverlab.report.scaling_layers import predictions

if TYPE_CHECKING:
    from pathlib import Path

    from serverlab.analysis.results import Results
    from serverlab.measure import Measure
    from serverlab.report.charts import Scale
    from serverlab.report.points import Row

WIDTH = 720
PIXELS_PER_POINT = 2  # of the PNGs, for screens and slides


def export(run_folder: Path, out: Path) -> None:
    """Write every chart and table of a run into a folder, which is made if it is not there."""
    shown = results(run_folder)
    try:
        out.mkdir(parents=True, exist_ok=True)
        for measure in MEASURES:
            for panel in range(len(shown.axes.panels)):
                export_chart(shown, measure, panel, out)
        if shown.curves:
            export_curves(shown, out)
        if shown.timelines:
            export_timelines(shown, out)
        export_table(cell_rows(shown), out / "cells.csv")
        export_table(trial_rows(shown), out / "trials.csv")
        if any(one.law for one in shown.scalings):
            export_table(scaling_rows(shown), out / "scaling.csv")
    except OSError as error:
        raise LabError(f"cannot write into {out}: {reason_of(error)}") from error


def export_chart(shown: Results, measure: Measure, panel: int, out: Path) -> None:
    """One chart of one panel; none if no trial of it has the measure."""
    cells = [cell for cell in shown.cells if cell.panel == panel]
    drawn = points(measure, cells)
    if not any(drawn.figures):
        return
    label = shown.axes.panels[panel].label
    further = [*predictions(shown, measure), *ceiling(shown, measure)]
    made = chart(drawn, shown.axes, looks(shown.subjects), further)
    spec = made.to_dict(validate=False)
    set_scales(spec, scales(drawn, shown.axes, default_mode(shown.axes)))
    spec |= standing_alone(rows(drawn, shown.axes, cells), measure.title, label or measure.note)
    set_panel(spec, panel)
    write_chart(spec, out, f"{measure.name}{file_part(label)}")


def export_curves(shown: Results, out: Path) -> None:
    """The requests of each connection, charts for each panel that has a log, and their tables."""
    for kind in curve_chart.KINDS:
        data = curve_chart.rows(kind, shown.curves)
        note = curve_chart.note(kind, shown.curves, shown.axes)
        for panel in sorted({curve.cell.panel for curve in shown.curves}):
            label = shown.axes.panels[panel].label
            spec = curve_chart.chart(kind, looks(shown.subjects)).to_dict(validate=False)
            spec |= standing_alone(data, kind.title, *filter(None, (label, note)))
            set_panel(spec, panel)
            write_chart(spec, out, f"{kind.name}{file_part(label)}")
    export_table(curve_rows(shown), out / f"{curve_chart.SORTED.name}.csv")
    export_table(connecting_rows(shown), out / f"{curve_chart.BY_CONNECTING.name}.csv")


def export_timelines(shown: Results, out: Path) -> None:
    """The charts over time of each panel, and the table of all trials' moments."""
    note = timeline_charts.note(shown.timelines, shown.axes)
    for drawn in timeline_charts.drawn(shown.timelines, looks(shown.subjects)):
        for panel in sorted({line.cell.panel for line in shown.timelines}):
            label = shown.axes.panels[panel].label
            spec = drawn.chart.to_dict(validate=False)
            spec |= standing_alone(drawn.rows, drawn.shows.title, *filter(None, (label, note)))
            set_panel(spec, panel)
            write_chart(spec, out, f"{drawn.shows.name}{file_part(label)}")
    export_table(timeline_rows(shown), out / "timelines.csv")


def standing_alone(data: list[Row], title: str, *subtitle: str) -> dict[str, Any]:
    """What a chart needs outside of the page."""
    return {
        "data": {"values": data},
        "title": {"text": title, "subtitle": list(subtitle), "anchor": "start"},
        "width": WIDTH,
        "background": "white",
    }


def write_chart(spec: dict[str, Any], out: Path, stem: str) -> None:
    """One chart with its legend, as SVG and PNG."""
    add_legend(spec)
    (out / f"{stem}.svg").write_text(plain(vl_convert.vegalite_to_svg(spec)), encoding="utf-8")
    (out / f"{stem}.png").write_bytes(vl_convert.vegalite_to_png(spec, scale=PIXELS_PER_POINT))


def export_table(table: list[Row], path: Path) -> None:
    """One CSV file; the type of a column is that of all its values."""
    polars.DataFrame(table, infer_schema_length=None).write_csv(path)


def set_panel(spec: dict[str, Any], panel: int) -> None:
    """Show the panel that the data are of."""
    for param in spec["params"]:
        if param["name"] == "panel":
            param["value"] = panel


def set_scales(spec: dict[str, Any], by_channel: dict[str, Scale]) -> None:
    """Do what the page's switch does."""
    for layer in spec["layer"]:
        for channel, scale in by_channel.items():
            if layer["encoding"][channel]["type"] == "quantitative":
                layer["encoding"][channel]["scale"] = scale


def add_legend(spec: dict[str, Any]) -> None:
    """Name the engines of lines; bars have them on their axis."""
    for layer in spec["layer"]:
        encoding = layer["encoding"]
        for channel in {"color", "shape", "strokeDash"} & encoding.keys():
            if encoding["y"]["type"] == "quantitative":
                encoding[channel]["legend"] = {"title": None, "symbolOpacity": 1, "labelLimit": 300}


def file_part(label: str) -> str:
    """A panel's label as part of a file name."""
    kept = re.sub(r"[^a-z0-9.]+", "-", label.lower())
    return f"-{kept}" if kept else ""
