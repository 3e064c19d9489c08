"""Makes search.html: the answer, the chart, and every trial behind it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from serverlab.files import write_whole
from serverlab.hosts_of_run import HOSTS_FILE
from serverlab.notation import count
from serverlab.report.charts import PageChart
from serverlab.report.library import library
from serverlab.report.method import machine
from serverlab.report.page import environment, page_data
from serverlab.search import chart
from serverlab.search.answer import hosts_sentences, knee_sentence
from serverlab.search.goals import judge
from serverlab.search.screen import curve_cells, purpose, time_text
from serverlab.search.search import CURVE, PEAK, rate_per_s

if TYPE_CHECKING:
    from pathlib import Path

    from serverlab.records import Trial
    from serverlab.running.study import Study
    from serverlab.search.answer import Result

PAGE = "search.html"
LINKED = ("result.json", "asked.json", "trials.jsonl", "environment.json", HOSTS_FILE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A trial, as the page lists it."""

    trial: str
    purpose: str
    rate: str
    p50: str
    p99: str
    outcomes: list[str]


def write_page(study: Study, shown: Result) -> Path:
    """Make the page of a search, and return its path."""
    template = environment("serverlab.search").get_template("search.html.j2")
    path = study.path / PAGE
    write_whole(path, template.render(context(study, shown)).encode())
    return path


def context(study: Study, shown: Result) -> dict[str, Any]:
    """Everything that the template names."""
    drawn = PageChart(
        name=chart.NAME, chart=chart.chart(), rows=chart.rows(shown), scales={"linear": {}}
    )
    asked = shown.asked
    return {
        "title": f"Search: {asked.subject.label}",
        "asked": asked,
        "subject": asked.subject,
        "started_at": shown.records[0].started_at if shown.records else "",
        "answers": shown.answers,
        "count": count,
        "knee": knee_sentence(shown),
        "hosts": hosts_sentences(study, shown),
        "curve": curve_cells(shown),
        "has_curve": bool(shown.points),
        "looks": chart.percentile_looks(),
        "trials": [row(record, shown) for record in shown.records],
        "settings": {
            "serverlab-server": list(asked.subject.server_settings.items()),
            "serverlab-load": list(asked.subject.load_settings.items()),
        },
        "machine": machine(study.environment()),
        "links": [name for name in LINKED if (study.path / name).exists()],
        "page_data": page_data([], [drawn] if shown.points else []),
        "library": library(),
    }


def row(record: Trial, shown: Result) -> Row:
    """A trial, and what it says of each goal."""
    load, length = record.load, str(record.cell["length"])
    if length in {PEAK, CURVE}:
        outcomes = [": ".join(filter(None, (record.verdict.name, record.verdict.reason)))]
    else:
        goals = shown.asked.goals
        outcomes = [
            ": ".join(filter(None, (goal.text if len(goals) > 1 else "", str(outcome), why)))
            for goal in goals
            for outcome, why in [judge(record, goal)]
        ]
    return Row(
        trial=record.trial,
        purpose=purpose(length),
        rate=count(round(rate_per_s(record) or (load.rate.goodput_per_s if load else 0))),
        p50=time_text(load.latency_ns.p50 if load else None),
        p99=time_text(load.latency_ns.p99 if load else None),
        outcomes=outcomes,
    )
