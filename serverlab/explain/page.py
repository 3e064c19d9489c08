"""Makes explain.html: the answer, the charts, and the whole ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from serverlab.documents import decode
from serverlab.environment import Environment
from serverlab.explain.chart import difference_chart, part_looks, stack_chart
from serverlab.explain.words import cost_table, shown_parts, wait_table
from serverlab.files import write_whole
from serverlab.report.library import library
from serverlab.report.method import machine
from serverlab.report.page import environment, page_data

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from serverlab.explain.ledger import Difference, Ledger
    from serverlab.records import Plan
    from serverlab.running.store import RunFolder

PAGE = "explain.html"
LINKED = ("ledger.json", "slices.jsonl", "probe.json", "experiment.toml", "environment.json")


def write_page(
    run: RunFolder,
    plan: Plan,
    sentences: Sequence[str],
    ledgers: Sequence[Ledger],
    differences: Sequence[Difference],
) -> Path:
    """Make the page of a ledger, and return its path."""
    charts = [stack_chart(ledgers)]
    charts += [difference_chart(one, shown_parts(ledgers)) for one in differences]
    first = plan.trials[0]
    context: dict[str, Any] = {
        "title": plan.question,
        "service": first.service,
        "sentences": sentences,
        "looks": part_looks(ledgers),
        "has_difference": bool(differences),
        "tables": [cost_table(ledgers, differences), wait_table(ledgers)],
        "settings": {
            "serverlab-server": list(first.server_settings.items()),
            "serverlab-load": list(first.load_settings.items()),
        },
        "machine": machine(decode(run.path / "environment.json", Environment, "run")),
        "links": [name for name in LINKED if (run.path / name).exists()],
        "page_data": page_data([], charts),
        "library": library(),
    }
    path = run.path / PAGE
    template = environment("serverlab.explain").get_template("explain.html.j2")
    write_whole(path, template.render(context).encode())
    return path
