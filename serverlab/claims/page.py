"""Writes claims.html, a page that holds its charts and their data, and claims.json beside it."""

from __future__ import annotations

import datetime
import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from serverlab.analysis.run_data import read_run
from serverlab.claims.forest import forest
from serverlab.claims.judge_campaign import runs_of
from serverlab.claims.reports.catalog import REPORTS
from serverlab.claims.verdict import Verdict
from serverlab.claims.words import interval_text
from serverlab.files import write_whole
from serverlab.notation import ratio_text
from serverlab.quantities import readable_duration
from serverlab.records import SCHEMA
from serverlab.report.library import library
from serverlab.report.method import machine
from serverlab.report.page import environment, page_data
from serverlab.stats.order import CONFIDENCE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from serverlab.claims.campaign import Campaign
    from serverlab.claims.claim import Report
    from serverlab.claims.finding import Effect
    from serverlab.claims.outcome import Outcome, Tested
    from serverlab.report.charts import PageChart

PAGE, DATA = "claims.html", "claims.json"
TITLE = "Five reports, tested again"
# What its test says of a rival explanation.
RIVAL_WORDS = {
    Verdict.REPRODUCED: "borne out",
    Verdict.CONTRADICTED: "not borne out",
    Verdict.UNDECIDED: str(Verdict.UNDECIDED),
    Verdict.NOT_TESTABLE: str(Verdict.NOT_TESTABLE),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A test as the page shows it."""

    heading: str
    tested: Tested
    chart: PageChart | None
    rows: list[tuple[str, str, str, str, str]]  # of its fold-out table


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A report with those of its claims that the campaign is about."""

    report: Report
    outcomes: tuple[Outcome, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """A run that verdicts rest on."""

    name: str
    question: str
    folder: str
    trials: str
    machine: list[tuple[str, str]]
    warnings: list[str]  # of what the machine did before it


def write_page(folder: Path, planned: Campaign, found: Sequence[Outcome]) -> Path:
    """Write both files, and return the page's path."""
    data = msgspec.json.format(msgspec.json.encode(as_data(planned, found)), indent=1)
    write_whole(folder / DATA, data + b"\n")
    template = environment("serverlab.claims").get_template("claims.html.j2")
    path = folder / PAGE
    write_whole(path, template.render(context(folder, planned, found)).encode())
    return path


def context(folder: Path, planned: Campaign, found: Sequence[Outcome]) -> dict[str, Any]:
    """Everything that the template names."""
    trials = {outcome.claim.id: list(trials_of(outcome)) for outcome in found}
    charts = [one.chart for own in trials.values() for one in own if one.chart is not None]
    runs = run_rows(folder, planned)
    counts = Counter(outcome.verdict for outcome in found)
    return {
        "title": TITLE,
        "further_style": "claims.css",
        "confidence": f"{CONFIDENCE:.0%}",
        "made_at": datetime.datetime.now(datetime.UTC).isoformat(" ", "minutes")[:16],
        "rival_words": RIVAL_WORDS,
        "sections": sections(found),
        "trials": trials,
        "counts": [(verdict, counts[verdict]) for verdict in Verdict if counts[verdict]],
        "runs": runs,
        "warnings": warnings_of(runs),
        "machine": runs[0].machine if runs else [],
        "budget": None if planned.budget_s is None else readable_duration(planned.budget_s),
        "left_out": planned.left_out,
        "data": DATA,
        "page_data": page_data([], charts),
        "library": library(),
    }


def sections(found: Sequence[Outcome]) -> list[Section]:
    """The outcomes by their reports; a report without any has no section."""
    every = [
        Section(
            report=report,
            outcomes=tuple(outcome for outcome in found if outcome.claim in report.claims),
        )
        for report in REPORTS
    ]
    return [section for section in every if section.outcomes]


def trials_of(outcome: Outcome) -> Iterator[Trial]:
    """The tests of a claim, and last that of its rival explanation."""
    several = len(outcome.tests) > 1
    for number, tested in enumerate(outcome.tests, start=1):
        heading = f"Test {number}" if several else "Test"
        yield trial(f"{outcome.claim.id}-{number}", heading, tested)
    if outcome.rival is not None:
        yield trial(f"{outcome.claim.id}-rival", "Rival explanation", outcome.rival)


def trial(name: str, heading: str, tested: Tested) -> Trial:
    """A test with its chart; arithmetic on published figures needs none."""
    effects = tested.finding.effects if tested.test.excerpt is not None else ()
    return Trial(
        heading=heading,
        tested=tested,
        chart=forest(name, effects) if effects else None,
        rows=[effect_row(effect) for effect in effects],
    )


def effect_row(effect: Effect) -> tuple[str, str, str, str, str]:
    """What was compared, the figures, the ratio, what the claim needs, what is published."""
    ratio = effect.ratio
    here = "–" if ratio is None else f"{ratio_text(ratio.estimate)} {interval_text(ratio)}"
    published = "–" if effect.published is None else ratio_text(effect.published)
    return effect.label, effect.figures, here, effect.region.words, published


def run_rows(folder: Path, planned: Campaign) -> list[RunRow]:
    """The runs that there are, each with how much of it is valid."""
    found = []
    for name, path in runs_of(folder, planned).items():
        run = read_run(path)
        valid = sum(one.is_valid for one in run.trials)
        is_within = path.is_relative_to(folder)
        found.append(
            RunRow(
                name=name,
                question=run.plan.question,
                folder=str(path.relative_to(folder) if is_within else path),
                trials=f"{valid} of {sum(not one.repeats for one in run.plan.trials)}",
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


def as_data(planned: Campaign, found: Sequence[Outcome]) -> dict[str, Any]:
    """The outcome for other programs."""
    return {
        "schema": SCHEMA,
        "budget_s": planned.budget_s,
        "cpu": planned.cpu,
        "server_cpus": planned.server_cpus,
        "claims": [
            {
                "id": outcome.claim.id,
                "says": outcome.claim.says,
                "published": dict(outcome.claim.published),
                "verdict": outcome.verdict,
                "sentence": outcome.sentence,
                "tests": [test_data(tested) for tested in outcome.tests],
                "cause": outcome.claim.cause,
                "rival": outcome.rival
                and {
                    "explanation": outcome.claim.rival and outcome.claim.rival.explanation,
                    **test_data(outcome.rival),
                },
            }
            for outcome in found
        ],
    }


def test_data(tested: Tested) -> dict[str, Any]:
    """A test, and what it has found."""
    test, finding = tested.test, tested.finding
    return {
        "asks": test.asks,
        "run": None if test.excerpt is None else test.excerpt.name,
        "experiment": None if test.excerpt is None else test.excerpt.file,
        "verdict": finding.verdict,
        "sentence": finding.sentence,
        "effects": [effect_data(effect) for effect in finding.effects],
    }


def effect_data(effect: Effect) -> dict[str, Any]:
    """A ratio; an end of its interval that is open is null."""
    ratio, joint, region = effect.ratio, effect.jointly, effect.region
    return {
        "label": effect.label,
        "figures": effect.figures,
        "ratio": None if ratio is None else ratio.estimate,
        "low": None if ratio is None else ratio.low,
        "high": None if ratio is None or math.isinf(ratio.high) else ratio.high,
        "jointly": joint
        and {"low": joint.low, "high": None if math.isinf(joint.high) else joint.high},
        "published": effect.published,
        "needs": {
            "low": region.low,
            "high": None if math.isinf(region.high) else region.high,
            "outside": region.is_outside,
        },
        "verdict": effect.verdict,
    }
