"""Makes search.html: the answer, the chart, and every trial behind it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from serverlab.report.method import machine
from serverlab.notation import count
from serverlab.report.page import as_json, environment, library
from serverlab.search import chart
from serverlab.search.answer import knee_sentence
from serverlab.search.goals import judge
from serverlab.search.screen import curve_cells, purpose, time_text
from serverlab.search.search import CURVE, PEAK

if TYPE_CHECKING:
    from pathlib import Path

    from serverlab.search.answer import Result
    from serverlab.running.store import Record
    from serverlab.running.study import Study

PAGE = "search.html"
LINKED = ("result.json", "asked.json", "trials.jsonl", "environment.json")


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
    path.write_text(template.render(context(study, shown)), encoding="utf-8")
    return path


def context(study: Study, shown: Result) -> dict[str, Any]:
    """Everything that the template names."""
    drawn = {
        "name": chart.NAME,
        "spec": chart.chart().to_dict(),
        "rows": chart.rows(shown),
        "scales": {"linear": {}},
    }
    asked = shown.asked
    return {
        "title": f"Search: {asked.subject.label}",
        "asked": asked,
        "subject": asked.subject,
        "started_at": shown.records[0]["started_at"] if shown.records else "",
        "answers": shown.answers,
        "count": count,
        "knee": knee_sentence(shown),
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
        "page_data": as_json({"cells": [], "charts": [drawn] if shown.points else []}),
        "library": library(),
    }


def row(record: Record, shown: Result) -> Row:
    """A trial, and what it says of each goal."""
    load, length = record["load"], record["cell"]["length"]
    latency = load["latency_ns"] if load else {"p50": None, "p99": None}
    if length in {PEAK, CURVE}:
        verdict = record["verdict"]
        outcomes = [": ".join(filter(None, (verdict["name"], verdict["reason"])))]
    else:
        goals = shown.asked.goals
        outcomes = [
            ": ".join(filter(None, (goal.text if len(goals) > 1 else "", str(outcome), why)))
            for goal in goals
            for outcome, why in [judge(record, goal)]
        ]
    rate_per_s = record["cell"]["rate"] or (load["rate"]["goodput_per_s"] if load else 0)
    return Row(
        trial=record["trial"],
        purpose=purpose(length),
        rate=count(round(rate_per_s)),
        p50=time_text(latency["p50"]),
        p99=time_text(latency["p99"]),
        outcomes=outcomes,
    )
