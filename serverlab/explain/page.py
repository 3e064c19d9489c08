"""Makes explain.html: the answer, the charts, and the whole ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from serverlab.documents import decode
from serverlab.environment import Environment
from serverlab.files import write_whole
from serverlab.report.flame_charts import flame_chart, flames_of
from serverlab.report.ledger_charts import difference_chart, part_looks, stack_chart
from serverlab.report.ledger_words import cost_table, shown_parts, wait_table
from serverlab.report.library import library
from serverlab.report.method import machine
from serverlab.report.page import environment, page_data

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from serverlab.analysis.ledger import Difference, Ledger
    from serverlab.records import Plan
    from serverlab.report.charts import PageChart
    from serverlab.report.flame_charts import Flames
    from serverlab.running.store import RunFolder
    from serverlab.slices import SampledStack

PAGE = "explain.html"
LINKED = ("ledger.json", "slices.json", "experiment.toml", "environment.json")


def write_page(
    run: RunFolder,
    plan: Plan,
    sentences: Sequence[str],
    costs: Sequence[Ledger],
    differences: Sequence[Difference],
    stacks: Mapping[str, Sequence[SampledStack]],
) -> Path:
    """Make the page of a ledger, and return its path."""
    charts = [stack_chart(costs)]
    charts += [difference_chart(one, shown_parts(costs)) for one in differences]
    flames = flame_charts(flames_of(stacks, {one.subject: one.cpu_ns.value for one in costs}))
    charts += flames.values()
    first = plan.trials[0]
    context: dict[str, Any] = {
        "title": plan.question,
        "service": first.service,
        "sentences": sentences,
        "looks": part_looks(costs),
        "has_difference": bool(differences),
        "flames": {title: drawn.name for title, drawn in flames.items()},
        "tables": [cost_table(costs, differences), wait_table(costs)],
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


def flame_charts(found: Sequence[Flames]) -> dict[str, PageChart]:
    """A graph a server, and that of their difference, by their titles."""
    made = {one.subject: flame_chart(f"flames-{place}", one) for place, one in enumerate(found)}
    if len(found) == 2:
        title = f"{found[1].subject}: orange takes more than in {found[0].subject}, blue less"
        made[title] = flame_chart("flames-difference", found[1], found[0])
    return made
