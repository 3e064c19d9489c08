"""How often the laboratory calls an engine different from itself.

Each engine takes turns with itself, in fresh servers in each of ten blocks, at a few and at many
connections. Of the comparisons 5 % may say "different": the bar is that the share, with its
binomial interval, does not lie above that. Names of engines as arguments replace all of them. What
has been measured is kept in runs/alarms, and not measured again.
"""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING

from serverlab.analysis.pairs import compare, has_figure
from serverlab.analysis.results import results
from serverlab.analysis.standings import CRITERIA
from serverlab.console import complain, say, show, table_of
from serverlab.design.catalog import catalog
from serverlab.design.experiment import parse
from serverlab.design.plan import make_plan
from serverlab.design.turns import groups_of
from serverlab.machine.machine import environment
from serverlab.machine.native import ROOT
from serverlab.running.store import RunFolder
from serverlab.running.trial import run_trials
from serverlab.stats.paired import ALARM
from serverlab.stats.share import share_interval

if TYPE_CHECKING:
    from serverlab.analysis.cells import Cell
    from serverlab.analysis.results import Results
    from serverlab.analysis.standings import Criterion

KEPT = ROOT / "runs" / "alarms"
SEED = 1
SERVICE = "echo"
CONNECTIONS = [4, 64]
EVERYTHING = "all together"


def document(engine: str) -> dict[str, object]:
    """The experiment of an engine against itself."""
    return {
        "question": f"Is {engine} different from itself?",
        "server": {"engine": engine, "service": SERVICE},
        "load": {
            "model": "closed",
            "connections": CONNECTIONS,
            "warmup": "200ms",
            "duration": "1s",
            "slice": "100ms",
        },
        "design": {"kind": "interleaved", "blocks": 10, "twin": True},
        **({"engine": {engine: {"threads": max(CONNECTIONS)}}} if needs_threads(engine) else {}),
    }


def needs_threads(engine: str) -> bool:
    """Whether it serves as many connections as it has threads, each to its end, and no more."""
    row = catalog().engines[engine]
    return row.thread_per_connection and "threads" not in row.unsupported_settings


def measured(engine: str) -> Results:
    """Run what is missing of an engine's experiment, and read it."""
    path = KEPT / engine
    experiment = parse(document(engine), name=engine, text="", catalog=catalog())
    if not (path / "plan.json").exists():
        RunFolder.create(
            path,
            experiment="",
            plan=make_plan(experiment, seed=SEED),
            environment=environment(),
        )
    folder = RunFolder(path)
    folder.mend()
    done = {record.trial for record in folder.records()}
    for group in groups_of(folder.plan()):
        if done.issuperset(trial.trial for trial in group):
            continue
        for record in run_trials(group, folder.logs, None, lambda _: None):
            if record.trial not in done:
                folder.append(record)
    return results(path)


def is_alarm(cells: list[Cell], criterion: Criterion) -> bool | None:
    """Whether a cell is called different from its twin; None if that cannot be asked."""
    measure = criterion.measure
    if len(cells) != 2 or not all(has_figure(cell, measure) for cell in cells):
        return None
    ratio = compare(cells[0], cells[1], measure)
    return None if ratio is None else ratio.is_distinguishable


def count(shown: Results, asked: Counter[str], alarms: Counter[str]) -> str:
    """Add an engine's comparisons; returns what it was called different in, in words."""
    said = []
    for criterion in CRITERIA:
        for level in CONNECTIONS:
            pair = [cell for cell in shown.cells if cell.level == level]
            alarm = is_alarm(pair, criterion)
            if alarm is None:
                verdicts = ", ".join(cell.verdict for cell in pair)
                said.append(f"no {criterion.noun} at {level} connections ({verdicts})")
                continue
            for row in (criterion.noun, EVERYTHING):
                asked[row] += 1
                alarms[row] += alarm
            if alarm:
                said.append(f"different in {criterion.noun} at {level} connections")
    return ", ".join(said) or "the same"


def main() -> int:
    """Run the campaign; a status if there are more alarms than there may be."""
    rows = catalog().engines
    names = sys.argv[1:] or [
        name
        for name, row in rows.items()
        if not row.missing_requirement and row.serves in {"", SERVICE}
    ]
    if unknown := [name for name in names if name not in rows]:
        complain(f"there is no engine '{unknown[0]}'")
        return 2
    asked: Counter[str] = Counter()
    alarms: Counter[str] = Counter()
    for name in names:
        say(f"{name}: {count(measured(name), asked, alarms)}")
    table = table_of("compared by", "different", "of", "share", "95 % interval")
    failed = []
    for row in (*(criterion.noun for criterion in CRITERIA), EVERYTHING):
        low, high = share_interval(alarms[row], asked[row])
        share = f"{alarms[row] / asked[row]:.1%}" if asked[row] else "–"
        table.add_row(row, str(alarms[row]), str(asked[row]), share, f"{low:.1%} to {high:.1%}")
        if low > ALARM:
            failed.append(row)
    show(table)
    if failed:
        complain(f"more than {ALARM:.0%} false alarms: {', '.join(failed)}")
    return 1 if failed or not asked else 0


if __name__ == "__main__":
    sys.exit(main())
