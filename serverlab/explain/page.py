"""Makes explain.html: the answer, the charts, and all figures."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from serverlab.documents import decode
from serverlab.environment import Environment
from serverlab.files import write_whole
from serverlab.report.flame_charts import flame_chart, flames_of
from serverlab.report.ledger_charts import difference_chart, part_looks, stack_chart
from serverlab.report.ledger_words import shown_parts
from serverlab.report.library import library
from serverlab.report.method import machine
from serverlab.report.page import environment, page_data
from serverlab.report.tail_charts import lane_chart, lane_looks
from serverlab.report.tail_words import SHARES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from serverlab.analysis.ledger import Difference, Ledger
    from serverlab.analysis.tail import Tail
    from serverlab.records import Plan
    from serverlab.report.charts import PageChart
    from serverlab.report.flame_charts import Flames
    from serverlab.report.ledger_words import Cells
    from serverlab.report.palette import Look
    from serverlab.running.store import RunFolder
    from serverlab.slices import SampledStack

PAGE = "explain.html"
LINKED = ("ledger.json", "tail.json")


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart with its caption."""

    caption: str
    chart: PageChart
    remark: str = ""
    looks: list[Look] = field(default_factory=list)

    def named(self, number: int) -> Figure:
        """With a chart whose name is of the load of that number alone."""
        return replace(self, chart=replace(self.chart, name=f"{self.chart.name}-{number}"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What the page of an explanation says of one load."""

    sentences: list[str]
    figures: list[Figure]
    tables: list[Cells]
    flames: list[Figure] = field(default_factory=list)
    follows: bool = False  # requests
    at: str = ""  # the setting of the load that has several values, with this one

    @property
    def headline(self) -> str:
        """The answer."""
        return f"At {self.at}: {self.sentences[0]}" if self.at else self.sentences[0]

    def named(self, number: int) -> Content:
        """With charts whose names are of the load of that number alone."""
        return replace(
            self,
            figures=[one.named(number) for one in self.figures],
            flames=[one.named(number) for one in self.flames],
        )


def write_page(run: RunFolder, plan: Plan, found: Sequence[Content], slices: Sequence[str]) -> Path:
    """Make the page of an explanation, and return its path; `slices` are the files of its loads."""
    first = plan.trials[0]
    varied = {name for name, levels in plan.factors.items() if len(levels) > 1}
    contents = [
        one.named(number) if len(found) > 1 else one for number, one in enumerate(found, start=1)
    ]
    linked = (*LINKED, *slices, "experiment.toml", "environment.json")
    charts = [one.chart for content in contents for one in (*content.figures, *content.flames)]
    context: dict[str, Any] = {
        "title": plan.question,
        "service": first.service,
        "contents": contents,
        "settings": {
            "serverlab-server": list(first.server_settings.items()),
            "serverlab-load": [
                (name, value) for name, value in first.load_settings.items() if name not in varied
            ],
        },
        "machine": machine(decode(run.path / "environment.json", Environment, "run")),
        "links": [name for name in linked if (run.path / name).exists()],
        "page_data": page_data([], charts),
        "library": library(),
    }
    path = run.path / PAGE
    template = environment("serverlab.explain").get_template("explain.html.j2")
    write_whole(path, template.render(context).encode())
    return path


def ledger_figures(costs: Sequence[Ledger], differences: Sequence[Difference]) -> list[Figure]:
    """What a request costs, and what two servers differ in."""
    made = [Figure("Server CPU time of a request", stack_chart(costs), looks=part_looks(costs))]
    remark = "with 95 % intervals; grey: not beyond doubt"
    return made + [
        Figure("What differs", difference_chart(one, shown_parts(costs)), remark)
        for one in differences
    ]


def lane_figures(tails: Sequence[Tail]) -> list[Figure]:
    """Where the slowest requests are, and those in the middle."""
    return [
        Figure(f"Where the {SHARES[name]} of all requests is", lane_chart(tails, name), looks=looks)
        for name, looks in (("slowest", lane_looks(tails)), ("middle", []))
    ]


def flame_figures(
    costs: Sequence[Ledger], stacks: Mapping[str, Sequence[SampledStack]]
) -> list[Figure]:
    """A graph a server, and that of their difference."""
    found: list[Flames] = flames_of(stacks, {one.subject: one.cpu_ns.value for one in costs})
    made = [
        Figure(one.subject, flame_chart(f"flames-{place}", one)) for place, one in enumerate(found)
    ]
    if len(found) == 2:
        title = f"{found[1].subject}: orange takes more than in {found[0].subject}, blue less"
        made.append(Figure(title, flame_chart("flames-difference", found[1], found[0])))
    return made
