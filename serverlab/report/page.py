"""Makes report.html: one file that holds its charts, its data and the library that draws them."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from serverlab.analysis.results import results
from serverlab.files import write_whole
from serverlab.measures import GROUPS
from serverlab.plain_text import plain, plain_json
from serverlab.report import curve_chart, method, timeline_charts
from serverlab.report.advice import advice
from serverlab.report.charts import SCALE_MODES, PageChart, chart, scales
from serverlab.report.contestants_table import contestants_table
from serverlab.report.details import details_table
from serverlab.report.family_tree import family_trees
from serverlab.report.findings import findings
from serverlab.report.generators_table import generators_table
from serverlab.report.library import library
from serverlab.report.network_layer import ceiling, ceiling_rows
from serverlab.report.palette import looks
from serverlab.report.points import cell_fields, points
from serverlab.report.ratio_chart import ratio_charts
from serverlab.report.scaling_layers import predictions
from serverlab.report.scaling_table import scaling_table, summary
from serverlab.report.tables import cell_table, flags, rejections
from serverlab.report.why import whys

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from serverlab.analysis.axes import Axes
    from serverlab.analysis.results import Results
    from serverlab.measure import Measure
    from serverlab.report.points import Row

REPORT = "report.html"
LINKED = (
    "answer.json",
    "trials.jsonl",
    "plan.json",
    "environment.json",
    "experiment.toml",
    "connections",
    "ledgers",
    "logs",
)
LOG_SPAN_MIN = 20  # between the ends of x, from where the low levels would crowd on a linear axis


def write_report(run_folder: Path) -> Path:
    """Make the report of a run from its files, and return its path."""
    return write_page(results(run_folder))


def write_page(shown: Results) -> Path:
    """Make the page of a run that has been analysed, and return its path."""
    page = environment().get_template("report.html.j2").render(context(shown))
    path = shown.run.folder / REPORT
    write_whole(path, page.encode())
    return path


def environment(package: str = "serverlab.report") -> Environment:
    """The environment of a package's templates, which may use those of the report."""
    loaders = [PackageLoader(name, ".") for name in (package, "serverlab.report")]
    made = Environment(
        loader=ChoiceLoader(loaders),
        autoescape=True,
        finalize=printed,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["names"] = with_names
    return made


def printed(value: object) -> object:
    """What a template prints of a value: no text of a run turns a line around, or is not seen."""
    return plain(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def with_names(text: str) -> Markup:
    """Text in which names in backticks become code."""
    marked = re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(plain(text))))
    return Markup(marked)  # noqa: S704 (it was escaped first)


def context(shown: Results) -> dict[str, Any]:
    """Everything that the template names."""
    run, axes, cells = shown.run, shown.axes, shown.cells
    invalid, unsupported = rejections(axes, cells)
    charts = {
        measure.name: measure_chart(shown, measure)
        for group in GROUPS
        for measure in group.measures
    }
    curves = [requests_chart(kind, shown) for kind in curve_chart.KINDS if shown.curves]
    over_time = timeline_charts.drawn(shown.timelines, looks(shown.subjects))
    ratios = ratio_charts(shown)
    return {
        "title": run.plan.question,
        "run": run,
        "axes": axes,
        "started_at": min((trial.started_at for trial in run.trials), default=""),
        "findings": findings(shown),
        "advice": advice(run.plan, shown.compared),
        "whys": whys(shown),
        "trees": family_trees(run.plan, shown.compared),
        "looks": looks(shown.subjects),
        "groups": GROUPS,
        "charts": charts,
        "drawn": [name for name, one in charts.items() if one is not None],
        "ratios": ratios,
        "curves": [
            (kind, curve_chart.note(kind, shown.curves, axes))
            for kind in curve_chart.KINDS
            if shown.curves
        ],
        "over_time": [one.shows for one in over_time],
        "over_time_note": timeline_charts.note(shown.timelines, axes) if over_time else "",
        "page_data": page_data(
            [cell_fields(cell, axes) for cell in cells],
            [*(one.drawn for one in ratios), *charts.values(), *curves, *map(of_time, over_time)],
        ),
        "modes": SCALE_MODES,
        "mode": default_mode(axes),
        "scalings": scaling_table(shown.scalings)
        if any(one.law for one in shown.scalings)
        else None,
        "no_scaling": summary(shown.scalings),
        "shows_ceiling": bool(ceiling_rows(shown)),
        "table": cell_table(axes, cells),
        "details": details_table(axes, cells),
        "generators": generators_table(run.trials),
        "contestants": contestants_table(run.trials),
        "invalid": invalid,
        "unsupported": unsupported,
        "flags": flags(axes, cells),
        "method": method.method(run),
        "server_settings": method.common_settings(run.trials, "server_settings"),
        "load_settings": method.common_settings(run.trials, "load_settings"),
        "machine": method.machine(run.environment),
        "links": [name for name in LINKED if is_there(run.folder / name)],
        "library": library(),
    }


def is_there(path: Path) -> bool:
    """Whether it is a file, or a folder that is not empty."""
    return any(path.iterdir()) if path.is_dir() else path.exists()


def measure_chart(shown: Results, measure: Measure) -> PageChart | None:
    """The chart of a measure, with its scales by mode; None if no trial has the measure."""
    drawn = points(measure, shown.cells)
    if not any(drawn.figures):
        return None
    return PageChart(
        name=measure.name,
        chart=chart(
            drawn,
            shown.axes,
            looks(shown.subjects),
            [*predictions(shown, measure), *ceiling(shown, measure)],
        ),
        figures=drawn.figures,
        scales={mode: scales(drawn, shown.axes, mode) for mode in SCALE_MODES},
    )


def requests_chart(kind: curve_chart.CurveKind, shown: Results) -> PageChart:
    """A chart of requests per connection; it has rows and scales of its own."""
    return PageChart(
        name=kind.name,
        chart=curve_chart.chart(kind, looks(shown.subjects)),
        rows=curve_chart.rows(kind, shown.curves),
        scales={mode: {} for mode in SCALE_MODES},
    )


def of_time(drawn: timeline_charts.Drawn) -> PageChart:
    """A chart over time for the page; as that of requests, it has rows and scales of its own."""
    return PageChart(
        name=drawn.shows.name,
        chart=drawn.chart,
        rows=drawn.rows,
        scales={mode: {} for mode in SCALE_MODES},
    )


def default_mode(axes: Axes) -> str:
    """Logarithmic x if the levels span more than a decade."""
    ends = [level for level in (axes.positions()[:1] + axes.positions()[-1:]) if level > 0]
    return "log-x" if len(ends) == 2 and ends[1] / ends[0] >= LOG_SPAN_MIN else "linear"


def page_data(cells: Sequence[Row], charts: Iterable[PageChart | None]) -> Markup:
    """What the page's script draws, in JSON that can stand in a script element.

    No text in it can end the element.
    """
    drawn = [chart_data(one) for one in charts if one is not None]
    content = {"cells": cells, "charts": drawn}
    text = plain_json(json.dumps(content, ensure_ascii=False, separators=(",", ":")))
    return Markup(text.replace("<", "\\u003c"))  # noqa: S704 (no < is left)


def chart_data(drawn: PageChart) -> dict[str, Any]:
    """A chart by the names that the script has for its parts."""
    parts = {
        "name": drawn.name,
        "spec": drawn.chart.to_dict(validate=False),  # tests do, and it takes half of the time
        "rows": drawn.rows,
        "figures": drawn.figures,
        "scales": drawn.scales,
    }
    return {name: part for name, part in parts.items() if part is not None}
