"""Writes index.html: all runs of a folder by question, and the history of their ratios."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.console import counted
from serverlab.files import write_whole
from serverlab.measures import BY_NAME
from serverlab.report.answer import ratio_cell
from serverlab.report.library import library
from serverlab.report.page import REPORT, environment, page_data
from serverlab.report.palette import looks
from serverlab.runs.chart import history_chart
from serverlab.runs.history import histories

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from serverlab.report.charts import PageChart
    from serverlab.report.palette import Look
    from serverlab.runs.history import History, Series
    from serverlab.runs.listed import ListedRun

PAGE = "index.html"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A chart of the page."""

    measure: str
    level: str
    drawn: PageChart


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A question, with the runs that asked it."""

    question: str
    rows: Sequence[Row]
    looks: Sequence[Look]
    charts: Sequence[Chart]
    changes: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A run in the list."""

    when: str
    folder: str
    link: str | None  # to its report; None before there is one
    answer: str


def write_page(folder: Path, found: Sequence[ListedRun]) -> Path:
    """Write the page beside the runs' folders, and return its path."""
    sections = [section(one, number) for number, one in enumerate(histories(found))]
    template = environment("serverlab.runs").get_template("runs.html.j2")
    path = folder / PAGE
    page = template.render(
        title=f"Runs in {folder}",
        sections=sections,
        page_data=page_data([], [one.drawn for part in sections for one in part.charts]),
        library=library(),
    )
    write_whole(path, page.encode())
    return path


def section(shown: History, number: int) -> Section:
    """A question's part of the page; its charts' names begin with its number."""
    subjects = looks(list(dict.fromkeys(one.subject for one in shown.series)))
    return Section(
        question=shown.question,
        rows=[row(run) for run in shown.runs],
        looks=subjects,
        charts=list(charts(shown, f"history-{number}", subjects)),
        changes=[sentence for one in shown.series for sentence in change_sentences(one)],
    )


def row(run: ListedRun) -> Row:
    """A run's line of the list."""
    name = run.folder.name
    return Row(
        when=run.when,
        folder=name,
        link=f"{name}/{REPORT}" if (run.folder / REPORT).exists() else None,
        answer=run.answer.answer if run.answer else "No answer yet.",
    )


def charts(shown: History, name: str, subjects: Sequence[Look]) -> Iterator[Chart]:
    """One for each measure, level and baseline."""
    groups: dict[object, list[Series]] = {}
    for one in shown.series:
        groups.setdefault((one.measure, *one.level.items(), one.baseline), []).append(one)
    measures = list(dict.fromkeys(one.measure for one in shown.series))
    by_measure = sorted(groups.values(), key=lambda group: measures.index(group[0].measure))
    for number, group in enumerate(by_measure):
        first = group[0]
        yield Chart(
            measure=f"{BY_NAME[first.measure].title} over that of {first.baseline}",
            level=level_text(first),
            drawn=history_chart(f"{name}-{number}", group, subjects),
        )


def change_sentences(shown: Series) -> Iterator[str]:
    """Where a series has a change point: from what to what, and in which run."""
    where = level_text(shown)
    for before, point in zip(shown.points, shown.points[1:], strict=False):
        if point.changed:
            yield (
                f"{BY_NAME[shown.measure].title} of `{shown.subject}` over `{shown.baseline}`"
                f"{f', {where}' if where else ''}: {ratio_cell(before.found)} in "
                f"{before.run.folder.name}, {ratio_cell(point.found)} in {point.run.folder.name}."
            )


def level_text(shown: Series) -> str:
    """The level of each factor: "model closed, 64 connections"."""
    return ", ".join(counted(value, name) for name, value in shown.level.items())
