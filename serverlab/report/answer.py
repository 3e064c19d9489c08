"""The answer of a run apart from its page: for programs, for a terminal, for a pull request."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from serverlab.analysis.comparisons import (
    NOT_DISTINGUISHABLE,
    TOO_NOISY,
    Comparison,
    comparison,
    comparisons,
    is_too_noisy,
)
from serverlab.analysis.ledger_sums import Estimate  # noqa: TC001 - msgspec reads it
from serverlab.analysis.stages import stages_of
from serverlab.files import write_whole
from serverlab.load_result import SCHEMA
from serverlab.measures import BY_NAME
from serverlab.notation import difference, ratio_text
from serverlab.report.csv_rows import cell_rows
from serverlab.report.findings import findings
from serverlab.report.points import Row  # noqa: TC001 - msgspec reads it
from serverlab.report.why import whys

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from serverlab.analysis.axes import Axes
    from serverlab.analysis.results import Results
    from serverlab.analysis.stages import Stage
    from serverlab.analysis.standings import Criterion

ANSWER = "answer.json"
PRECISE = 0.02  # half of an interval, as a share, below which a third decimal says something
ALIKE = "≈"  # beside a ratio that is not distinguishable from 1
ALIKE_MEANS = f"{ALIKE} not distinguishable"


class Explained(msgspec.Struct, frozen=True, kw_only=True):
    """What an engine costs more than its neighbour, and by which parts."""

    engine: str
    neighbour: str
    sentence: str
    cpu_ns: Estimate
    rest_ns: Estimate


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """answer.json: what a run allows to be said, for programs."""

    schema: int = SCHEMA
    question: str
    answer: str
    comparisons: list[Comparison]
    limits: list[str]
    cells: list[Row] = []  # as in cells.csv; older runs do not have them here
    explained: list[Explained] = []  # none unless [design] explain asked for it


@dataclass(frozen=True, slots=True, kw_only=True)
class RatioTable:
    """Subjects beside the baseline, by one measure: a row a subject, a column a level."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]  # each begins with its subject, the best one first
    note: str


def answer(shown: Results) -> Answer:
    """What a run allows to be said."""
    run = shown.run
    found = findings(shown)
    return Answer(
        question=run.plan.question,
        answer=plain_words(found.headline),
        comparisons=list(comparisons(run.plan, shown.compared)),
        limits=[plain_words(caveat) for caveat in found.caveats],
        cells=cell_rows(shown),
        explained=explained(shown),
    )


def explained(shown: Results) -> list[Explained]:
    """The ledgers of a run, in short."""
    return [
        Explained(
            engine=why.found.subject,
            neighbour=why.found.baseline,
            sentence=why.sentence,
            cpu_ns=why.found.cpu_ns,
            rest_ns=why.found.rest_ns,
        )
        for why in whys(shown)
    ]


def plain_words(text: str) -> str:
    """A sentence without the marks of names."""
    return text.replace("`", "")


def write_answer(shown: Results) -> Path:
    """Write a run's answer.json, and return its path."""
    path = shown.run.folder / ANSWER
    write_whole(path, msgspec.json.format(msgspec.json.encode(answer(shown))) + b"\n")
    return path


def ratio_tables(shown: Results) -> list[RatioTable]:
    """The ratios that the answer rests on, a table for each measure."""
    compared = shown.compared
    panels = {
        panel.short: stages_of(shown.run.plan, compared, place)
        for place, panel in enumerate(compared.axes.panels)
    }
    criteria: dict[Criterion, dict[str, list[Stage]]] = {}
    for label, stages in panels.items():
        for criterion in dict.fromkeys(asked for one in stages for asked in one.spoken_of):
            criteria.setdefault(criterion, {})[label] = stages
    tables = [ratio_table(compared.axes, criterion, own) for criterion, own in criteria.items()]
    return [table for table in tables if table.rows]


def ratio_table(
    axes: Axes, criterion: Criterion, panels: Mapping[str, Sequence[Stage]]
) -> RatioTable:
    """The table of one measure: in each panel the best subject first."""
    every = [one for stages in panels.values() for one in stages]
    levels = sorted({one.level for one in every}, key=axes.place)
    rows: list[tuple[str, ...]] = []
    for label, stages in panels.items():
        at_level = {one.level: one for one in stages}
        by_subject: dict[str, list[Comparison | None]] = {}
        for place, level in enumerate(levels):
            for made in compared_at(at_level[level], criterion) if level in at_level else ():
                by_subject.setdefault(made.subject, [None] * len(levels))[place] = made
        rows += [
            (
                f"{subject}, {label}" if len(panels) > 1 else subject,
                *(
                    cell_text(subject, made, at_level[level]) if level in at_level else ""
                    for level, made in zip(levels, row, strict=True)
                ),
            )
            for subject, row in by_middle(by_subject, criterion.measure.name)
        ]
    return RatioTable(
        title=title(criterion, every),
        head=("", *(axes.at(level).removeprefix("at ") for level in levels)),
        rows=tuple(rows),
        note=note(criterion, every),
    )


def compared_at(one: Stage, criterion: Criterion) -> list[Comparison]:
    """Each subject of a level beside the baseline; none by a measure not spoken of there."""
    if criterion not in one.spoken_of:
        return []
    found = one.standings[criterion.measure.name]
    made = (comparison(found, cell, {}) for cell in one.cells)
    return [one for one in made if one is not None]


def title(criterion: Criterion, stages: Sequence[Stage]) -> str:
    """What the ratios are of."""
    bases = [one.standings[criterion.measure.name].baseline for one in stages]
    base = next((one.subject for one in bases if one is not None), "")
    better = "more" if criterion.more_is_better else "less"
    return f"{criterion.measure.title} over that of {base} ({better} is better)"


def note(criterion: Criterion, stages: Sequence[Stage]) -> str:
    """The noise floor at each level, and what a mark means."""
    found = [one.standings[criterion.measure.name] for one in stages]
    floors = [difference(one.floor) for one in found if one.twin_ratio is not None]
    several = len(floors) > len({one.level for one in stages})  # panels
    told = list(dict.fromkeys(floors)) if several else floors
    return f"Noise floor {', '.join(told)}; {ALIKE_MEANS}." if told else f"{ALIKE_MEANS}."


def by_middle(
    by_subject: Mapping[str, list[Comparison | None]], measure: str
) -> list[tuple[str, list[Comparison | None]]]:
    """Subjects with what they have at each level, the best one first."""
    return sorted(
        by_subject.items(),
        key=lambda item: middle(item[1]),
        reverse=BY_NAME[measure].more_is_better,
    )


def middle(row: Sequence[Comparison | None]) -> float:
    """The geometric mean of a row's ratios."""
    logs = [math.log(one.ratio) for one in row if one is not None]
    return sum(logs) / len(logs)


def cell_text(subject: str, found: Comparison | None, one: Stage) -> str:
    """A ratio with its interval, or why there is none: `STARVED`."""
    if found is None:
        for cell in one.cells:
            if cell.subject == subject and cell.trials and not cell.valid:
                return cell.verdict
    return ratio_cell(found)


def ratio_cell(found: Comparison | None) -> str:
    """A ratio with its interval, which one block does not give: `1.44 [1.43, 1.46]`."""
    if found is None:
        return "–"
    if found.low is not None and found.high is not None and is_too_noisy(found.low, found.high):
        return TOO_NOISY
    text = with_interval(found.ratio, found.low, found.high)
    return f"{text} {ALIKE}" if found.verdict == NOT_DISTINGUISHABLE else text


def with_interval(ratio: float, low: float | None, high: float | None) -> str:
    """A ratio and its interval, if that is known, with as many decimals as it is worth."""
    if low is None or high is None:
        return ratio_text(ratio)
    digits = 3 if high - low < 2 * PRECISE * ratio else 2
    texts = [f"{value:.{digits}f}" for value in (ratio, low, high)]
    return f"{texts[0]} [{texts[1]}, {texts[2]}]"


def markdown(shown: Results) -> str:
    """The answer for a pull request: the question, a sentence, the tables, what limits it."""
    found = findings(shown)
    parts = [f"**{escaped(shown.run.plan.question)}**", with_spans(found.headline)]
    parts += ["\n".join(markdown_table(table)) for table in ratio_tables(shown)]
    if found.caveats:
        limits = "\n".join(f"- {with_spans(caveat)}" for caveat in found.caveats)
        parts.append(
            f"<details><summary>What limits this answer</summary>\n\n{limits}\n\n</details>"
        )
    return "\n\n".join(parts) + "\n"


def markdown_table(table: RatioTable) -> Iterator[str]:
    """Lines of a table of Markdown, below its title."""
    yield f"{escaped(table.title)}\n"
    yield "| " + " | ".join(map(escaped, table.head)) + " |"
    yield "|---" + "|---:" * (len(table.head) - 1) + "|"
    for subject, *ratios in table.rows:
        yield "| " + " | ".join(map(escaped, (subject, *ratios))) + " |"
    yield f"\n{escaped(table.note)}"


def escaped(text: str) -> str:
    """A text in which no character means something to Markdown, and which stays on its line."""
    line = re.sub(r"[\r\n]+", " ", text)
    return re.sub(r"[\\`*_<>|#&~]|\](?=[(\[:])", r"\\\g<0>", line)


def with_spans(sentence: str) -> str:
    """A sentence of which what stands between two backticks is code, and all else is escaped.

    A name may have a backtick itself. Then it ends its span early, and its rest is escaped.
    """
    *pairs, last = re.split(r"`([^`\r\n]+)`", sentence)
    parts = [f"{escaped(text)}`{code}`" for text, code in zip(pairs[::2], pairs[1::2], strict=True)]
    return "".join([*parts, escaped(last)])
