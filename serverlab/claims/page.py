"""Writes claims.html, a page that holds its charts and their data, and claims.json beside it."""

from __future__ import annotations

import datetime
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from serverlab.analysis.run_data import read_run
from serverlab.claims.data import as_json, command_of
from serverlab.claims.figure_chart import drawn
from serverlab.claims.forest import forest
from serverlab.claims.judge_campaign import runs_of
from serverlab.claims.reports.catalog import REPORTS
from serverlab.claims.summary import summary
from serverlab.claims.words import interval_text
from serverlab.files import write_whole
from serverlab.notation import difference, ratio_text
from serverlab.quantities import readable_duration
from serverlab.report.library import library
from serverlab.report.method import machine
from serverlab.report.page import environment, page_data
from serverlab.stats.order import CONFIDENCE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from serverlab.claims.beside import Beside
    from serverlab.claims.campaign import Campaign
    from serverlab.claims.claim import Report
    from serverlab.claims.evidence import Evidence
    from serverlab.claims.figure_chart import Drawn
    from serverlab.claims.finding import Effect
    from serverlab.claims.outcome import ArmOutcome, Outcome, Tested
    from serverlab.report.charts import PageChart

PAGE, DATA = "claims.html", "claims.json"
TITLE = "Five reports, tested again"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A test as the page shows it."""

    heading: str
    tested: Tested
    chart: PageChart | None
    rows: list[tuple[str, str, str, str, str]]  # of its fold-out table


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    """A claim as the page shows it."""

    outcome: Outcome
    figures: list[Drawn]  # drawn here
    elsewhere: list[tuple[str, str]]  # figures that another claim's article has: both ids
    observed: list[Trial]
    caused: list[Trial]
    command: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A report with those of its claims that the campaign is about."""

    report: Report
    articles: tuple[Article, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """A run that verdicts rest on."""

    name: str
    question: str
    folder: str
    trials: str
    reach: str  # of a ratio's interval, as it was expected
    machine: list[tuple[str, str]]
    warnings: list[str]  # of what the machine did before it


def write_page(
    folder: Path,
    planned: Campaign,
    found: Sequence[Outcome],
    runs: Mapping[str, Evidence],
    ledgers: Mapping[str, Beside],
) -> Path:
    """Write both files, and return the page's path; `ledgers` are by the ids of their claims."""
    write_whole(folder / DATA, as_json(planned, found, ledgers))
    template = environment("serverlab.claims").get_template("claims.html.j2")
    path = folder / PAGE
    given = context(folder, planned, found, runs) | {"ledgers": ledgers}
    write_whole(path, template.render(given).encode())
    return path


def context(
    folder: Path, planned: Campaign, found: Sequence[Outcome], runs: Mapping[str, Evidence]
) -> dict[str, Any]:
    """Everything that the template names."""
    shown = sections(found, runs)
    rows = run_rows(folder, planned)
    return {
        "title": TITLE,
        "further_style": "claims.css",
        "confidence": f"{CONFIDENCE:.0%}",
        "made_at": datetime.datetime.now(datetime.UTC).isoformat(" ", "minutes")[:16],
        "summary": summary(found),
        "sections": shown,
        "runs": rows,
        "warnings": warnings_of(rows),
        "machine": rows[0].machine if rows else [],
        "server_cpus": planned.server_cpus,
        "budget": None if planned.budget_s is None else readable_duration(planned.budget_s),
        "left_out": planned.left_out,
        "data": DATA,
        "page_data": page_data([], charts_of(shown)),
        "library": library(),
    }


def sections(found: Sequence[Outcome], runs: Mapping[str, Evidence]) -> list[Section]:
    """The outcomes by their reports; a report without any has no section."""
    every = []
    for report in REPORTS:
        places: dict[str, str] = {}  # of the report's figures: each is drawn once
        own = [outcome for outcome in found if outcome.claim in report.claims]
        articles = tuple(article(outcome, places, runs) for outcome in own)
        every.append(Section(report=report, articles=articles))
    return [section for section in every if section.articles]


def article(outcome: Outcome, places: dict[str, str], runs: Mapping[str, Evidence]) -> Article:
    """A claim with the figures that no claim before it has drawn."""
    claim = outcome.claim
    new = [figure for figure in claim.figures if figure.id not in places]
    known = [(figure.id, places[figure.id]) for figure in claim.figures if figure.id in places]
    places |= {figure.id: claim.id for figure in new}
    return Article(
        outcome=outcome,
        figures=[drawn(figure, runs) for figure in new],
        elsewhere=known,
        observed=list(trials_of(f"{claim.id}-observed", outcome.observed)),
        caused=list(trials_of(f"{claim.id}-caused", outcome.caused)),
        command=command_of(outcome),
    )


def charts_of(shown: Sequence[Section]) -> list[PageChart | None]:
    """All that the page's script draws."""
    return [
        chart
        for section in shown
        for one in section.articles
        for chart in (
            *(half for figure in one.figures for half in (figure.published, figure.here)),
            *(trial.chart for trial in (*one.observed, *one.caused)),
        )
    ]


def trials_of(name: str, found: ArmOutcome | None) -> Iterator[Trial]:
    """The tests of an arm, each with its chart."""
    tests = found.tests if found is not None else ()
    for number, tested in enumerate(tests, start=1):
        effects = tested.finding.effects
        yield Trial(
            heading=f"Test {number}" if len(tests) > 1 else "Test",
            tested=tested,
            chart=forest(f"{name}-{number}", effects) if effects else None,
            rows=[effect_row(effect) for effect in effects],
        )


def effect_row(effect: Effect) -> tuple[str, str, str, str, str]:
    """What was compared, the figures, the ratio, what a yes needs, what is published."""
    ratio = effect.ratio
    here = "–" if ratio is None else f"{ratio_text(ratio.estimate)} {interval_text(ratio)}"
    published = "–" if effect.published is None else ratio_text(effect.published)
    return effect.label, effect.figures, here, effect.region.words, published


def run_rows(folder: Path, planned: Campaign) -> list[RunRow]:
    """The runs that there are, each with how much of it is valid."""
    reaches = {part.name: part.reach for part in planned.parts}
    found = []
    for name, path in runs_of(folder, planned).items():
        run, reach = read_run(path), reaches.get(name)
        valid = sum(one.is_valid for one in run.trials)
        is_within = path.is_relative_to(folder)
        found.append(
            RunRow(
                name=name,
                question=run.plan.question,
                folder=str(path.relative_to(folder) if is_within else path),
                trials=f"{valid} of {sum(not one.repeats for one in run.plan.trials)}",
                reach="–" if reach is None else f"± {difference(1 + reach)}",
                machine=machine(run.environment),
                warnings=run.environment.warnings,
            )
        )
    return found


def warnings_of(runs: Sequence[RunRow]) -> list[tuple[str, int]]:
    """What was not in order before the runs: the first of each kind, and of how many runs."""
    first: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for warning in (warning for run in runs for warning in run.warnings):
        kind = warning.partition(":")[0]
        first.setdefault(kind, warning)
        counts[kind] += 1
    return [(warning, counts[kind]) for kind, warning in first.items()]
