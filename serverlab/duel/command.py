"""`serverlab duel`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from cyclopts import Parameter

from serverlab import console, terminal
from serverlab.analysis.comparisons import TOO_NOISY
from serverlab.analysis.results import results
from serverlab.browser import open_in_browser
from serverlab.compare.ratios import MEASURES, read_gate
from serverlab.design.catalog import catalog
from serverlab.design.from_options import SERVICE
from serverlab.design.plan import make_plan
from serverlab.duel.costs import cost_sentences, costs
from serverlab.duel.entrants import entrants_of
from serverlab.duel.file import experiment_of
from serverlab.duel.outcome import Row, named, outcome, ratio_words, sentences
from serverlab.errors import UsageError
from serverlab.load_result import SCHEMA
from serverlab.machine import doctor
from serverlab.notation import difference, listed
from serverlab.paths import GivenPath  # noqa: TC001 - the command line reads it
from serverlab.report.answer import RatioTable, escaped, write_answer
from serverlab.report.other_work import noise_words, other_work
from serverlab.run_command import run_to_end
from serverlab.running.checks import unsupported
from serverlab.running.host import HERE
from serverlab.running.lock import made_and_locked
from serverlab.running.store import RunFolder, new_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from serverlab.analysis.results import Results
    from serverlab.compare.ratios import Gate

COMMAND = "serverlab duel"
FOR = "60s"
GATED = {name: MEASURES[name] for name in ("goodput", "cpu", "p99")}


def duel(  # noqa: PLR0913 - an option each
    *subjects: str,
    service: str = SERVICE,
    for_: Annotated[str, Parameter(name="--for")] = FOR,
    fail_if: Annotated[list[str] | None, Parameter(negative="")] = None,
    out: GivenPath | None = None,
    json: bool = False,
    markdown: bool = False,
    open_: Annotated[bool, Parameter(name="--open")] = False,
    **settings: Annotated[str, Parameter(show=False)],
) -> int:
    """Compare servers in slices, without a file.

    The others are compared with the first. A subject is an engine, a contestant or its file,
    HOST:PORT of a server that is running, or a command: './server --port {port}'. All other options
    are settings of `serverlab serve` and `serverlab load`, by their names there. The servers take
    turns under one load, in a closed loop and then at a fixed rate, for which --rate says 50% of
    what the slowest of them reached.

    Parameters
    ----------
    subjects
        Two or more; the first is the one with which the others are compared.
    service
        What they serve.
    for_
        How long all of it may take.
    fail_if
        End with status 1 if two differ and their ratio is beyond a bound: "p99 > 1.05x",
        "goodput < 0.97x", "cpu > 1.02x". Several times for several bounds.
    out
        The run's folder; by default runs/TIME-duel.
    json
        Print the outcome as JSON, for programs, and nothing else.
    markdown
        Print the outcome as Markdown, for a pull request, and nothing else.
    open_
        Open the report in a browser.
    """
    if json and markdown:
        raise UsageError("--json and --markdown are two forms of the outcome: give one of them")
    if len(subjects) < 2:
        raise UsageError("give two subjects or more: engines, contestants, commands or addresses")
    gates = [gate_of(text) for text in fail_if or []]
    entrants = entrants_of(subjects, catalog().engines, service)
    read = experiment_of(entrants, settings, catalog(), service=service, seconds=for_)
    plan = make_plan(read)
    unsupported(plan, "the options", read.own_settings)
    form = "json" if json else "markdown" if markdown else ""
    folder = new_folder(out, read.name)
    with made_and_locked(folder, COMMAND):
        run = RunFolder.create(
            folder, experiment=read.text, plan=plan, environment=doctor.environment()
        )
        with console.silenced(silent=bool(form)):
            return run_to_end(
                run, COMMAND, lambda: HERE, partial(told, run, gates, form=form, opens=open_)
            )


def told(
    run: RunFolder, gates: Sequence[Gate], failures: Sequence[str], *, form: str, opens: bool
) -> int:
    """Say what a duel has found; 1 if a trial failed, or a gate is broken."""
    from serverlab.report.page import write_page  # noqa: PLC0415 - what draws takes long to load

    shown = results(run.path)
    write_answer(shown)
    page = write_page(shown)
    rows = outcome(shown)
    judged = [judge(gate, rows) for gate in gates]
    broken = [sentence for one in judged for sentence in one.reasons]
    if form == "json":
        document = as_json(shown, rows, judged, [*failures, *broken])
        terminal.write(msgspec.json.format(msgspec.json.encode(document)).decode() + "\n")
    elif form == "markdown":
        terminal.write_text(as_markdown(shown, rows, judged))
    else:
        show(shown, rows, judged, page)
    for sentence in [*dict.fromkeys(failures), *broken]:
        console.complain(sentence)
    if opens:
        open_in_browser(page)
    return 1 if failures or broken else 0


def gate_of(text: str) -> Gate:
    """A bound that --fail-if gives, of a measure that a duel has."""
    gate = read_gate(text)
    if gate.measure not in GATED:
        raise UsageError(f"--fail-if: a duel has no {gate.measure}; it has {', '.join(GATED)}")
    return gate


@dataclass(frozen=True, slots=True)
class JudgedGate:
    """A bound, and why it is broken; it is kept if there is no reason."""

    gate: Gate
    reasons: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """Whether it is kept, as a sentence."""
        return f"Gate {self.gate.text}: {'broken' if self.reasons else 'kept'}."


def judge(gate: Gate, rows: Sequence[Row]) -> JudgedGate:
    """A bound beside the rows of its measure."""
    return JudgedGate(gate, tuple(gate_sentences(gate, rows)))


def gate_sentences(gate: Gate, rows: Sequence[Row]) -> Iterator[str]:
    """Which subjects are beyond a bound, and which could not be judged."""
    for row in rows:
        if row.measure is not GATED[gate.measure]:
            continue
        over = f"{row.subject} over {row.baseline}{f' {row.where}' if row.where else ''}"
        if row.ratio is None:
            yield f"{gate.text}: {over} could not be judged: {row.verdict}"
        elif gate.is_broken(row.ratio, differs=row.differs):
            yield f"{gate.text}: {over} is {ratio_words(row.ratio)}"


def all_sentences(shown: Results, rows: Sequence[Row], gates: Sequence[JudgedGate]) -> list[str]:
    """What a duel says in words: its subjects, its gates, and what disturbed it."""
    trials = shown.run.counted
    noisy = list(dict.fromkeys(named(row) for row in rows if row.verdict == TOO_NOISY))
    disturbances = [
        f"In {listed(noisy)} {noise_words(trials)}." if noisy else "",
        other_work(trials),
    ]
    return [*sentences(rows), *(one.sentence for one in gates), *filter(None, disturbances)]


def show(shown: Results, rows: Sequence[Row], gates: Sequence[JudgedGate], page: Path) -> None:
    """Print the sentences, the table, where the cost lies, and where the report is."""
    for sentence in all_sentences(shown, rows, gates):
        console.heading(sentence)
    console.ratios(
        RatioTable(
            title=f"{over(rows)}, with 95 % intervals",
            head=head(rows),
            rows=tuple(cells(row, rows) for row in rows),
            note="The verdicts are for all rows together.",
        )
    )
    for sentence in cost_sentences(list(costs(shown))):
        console.sentence(sentence)
    console.say(f"report: {page}")


def head(rows: Sequence[Row]) -> tuple[str, ...]:
    """What the columns of the table hold; the subject has one if there are several."""
    return "", *(["subject"] if are_several(rows) else []), "ratio", "verdict", "noise floor"


def over(rows: Sequence[Row]) -> str:
    """Which ratios these are: `Ratios of new to old`."""
    subject = "" if are_several(rows) else f"of {rows[0].subject} "
    return f"Ratios {subject}to {rows[0].baseline}"


def are_several(rows: Sequence[Row]) -> bool:
    """Whether the first is compared with more than one subject."""
    return len({row.subject for row in rows}) > 1


def cells(row: Row, rows: Sequence[Row]) -> tuple[str, ...]:
    """A row of the table that these are."""
    measure = f"{row.measure.title}{f' {row.where}' if row.where else ''}"
    ratio = "–" if row.ratio is None else ratio_words(row.ratio)
    floor = "–" if row.ratio is None else difference(row.floor)
    return measure, *([row.subject] if are_several(rows) else []), ratio, row.verdict, floor


def as_markdown(shown: Results, rows: Sequence[Row], gates: Sequence[JudgedGate]) -> str:
    """The outcome for a pull request."""
    heads = head(rows)
    lines = [f"{escaped(over(rows))}, with 95 % intervals:\n", markdown_row(heads)]
    lines.append("|---" * (len(heads) - 3) + "|---:|---|---:|")
    lines += [markdown_row(cells(row, rows)) for row in rows]
    after = map(escaped, cost_sentences(list(costs(shown))))
    return (
        "\n\n".join([*map(escaped, all_sentences(shown, rows, gates)), "\n".join(lines), *after])
        + "\n"
    )


def markdown_row(texts: Sequence[str]) -> str:
    """Texts as a line of a table of Markdown."""
    return "| " + " | ".join(map(escaped, texts)) + " |"


def as_json(
    shown: Results, rows: Sequence[Row], gates: Sequence[JudgedGate], failures: Sequence[str]
) -> dict[str, Any]:
    """What --json prints (docs/results-schema.md)."""
    return {
        "schema": SCHEMA,
        "command": "duel",
        "folder": str(shown.run.folder),
        "sentences": all_sentences(shown, rows, gates),
        "rows": [
            {
                "measure": row.measure.name,
                "where": row.where,
                "subject": row.subject,
                "baseline": row.baseline,
                "ratio": row.ratio.estimate if row.ratio else None,
                "low": row.ratio.low if row.ratio and row.ratio.low > 0 else None,
                "high": row.ratio.high if row.ratio and math.isfinite(row.ratio.high) else None,
                "verdict": row.verdict,
                "noise_floor": row.floor,
            }
            for row in rows
        ],
        "costs": [
            {
                "subject": one.subject,
                "where": one.where,
                "user_ns": one.user_ns,
                "kernel_ns": one.kernel_ns,
            }
            for one in costs(shown)
        ],
        "gates": [
            {"gate": one.gate.text, "broken": bool(one.reasons), "reasons": list(one.reasons)}
            for one in gates
        ],
        "failures": list(dict.fromkeys(failures)),
    }
