"""`serverlab explain`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from cyclopts import Parameter

from serverlab import console, terminal
from serverlab.analysis.ledger import ledgers
from serverlab.browser import open_in_browser
from serverlab.design.catalog import catalog
from serverlab.design.from_options import SERVICE
from serverlab.design.plan import make_plan
from serverlab.duel.entrants import entrants_of
from serverlab.errors import INTERRUPTED, LabError, UsageError
from serverlab.explain.file import experiment_of
from serverlab.files import write_whole
from serverlab.load_result import SCHEMA
from serverlab.machine import doctor
from serverlab.machine.machine import cpus_of_all
from serverlab.paths import GivenPath  # noqa: TC001 - the command line reads it
from serverlab.report.ledger_words import cost_table, sentences, wait_table
from serverlab.running.checks import unsupported
from serverlab.running.lock import made_and_locked
from serverlab.running.neighbours import measuring
from serverlab.running.probed_load import measure
from serverlab.running.proof import unproven
from serverlab.running.store import RunFolder, new_folder
from serverlab.slices import GROUPS_SAMPLED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from serverlab.analysis.ledger import Difference, Ledger
    from serverlab.records import Plan
    from serverlab.report.ledger_words import Cells
    from serverlab.slices import ProbedLoad

COMMAND = "serverlab explain"
FOR = "60s"
RESULT, SLICES = "ledger.json", "slices.json"


def explain(
    *subjects: str,
    service: str = SERVICE,
    for_: Annotated[str, Parameter(name="--for")] = FOR,
    out: GivenPath | None = None,
    json: bool = False,
    open_: Annotated[bool, Parameter(name="--open")] = False,
    **settings: Annotated[str, Parameter(show=False)],
) -> int:
    """Say where the CPU time of a request goes, and why two servers differ in it.

    A subject is an engine, a contestant or its file, HOST:PORT of a server that is running, or a
    command: './server --port {port}'. All other options are settings of `serverlab serve` and
    `serverlab load`, by their names there. The servers take turns under one load, and a probe in
    the kernel comes and goes between their slices. Without root there is no probe: then it says
    only how much is in user mode and in the kernel.

    Parameters
    ----------
    subjects
        One, or two: then what the second costs more than the first is explained.
    service
        What they serve.
    for_
        How long all of it may take.
    out
        The folder; by default runs/TIME-explain.
    json
        Print the ledger as JSON, for programs, and nothing else.
    open_
        Open the page in a browser.
    """
    if len(subjects) not in {1, 2}:
        raise UsageError("give one subject, or two whose difference is to be explained")
    entrants = entrants_of(subjects, catalog().engines, service)
    read = experiment_of(entrants, settings, catalog(), service=service, seconds=for_)
    plan = make_plan(read)
    for why in unsupported(plan, "the options", read.own_settings).values():
        raise LabError(why)
    folder = new_folder(out, read.name)
    with made_and_locked(folder, COMMAND):
        run = RunFolder.create(
            folder, experiment=read.text, plan=plan, environment=doctor.environment()
        )
        try:
            with console.quietened(quiet=json):
                found = measured(run, plan, [one.name for one in entrants])
        except KeyboardInterrupt:
            console.complain("stopped: a ledger needs all of its slices")
            return INTERRUPTED
        return told(run, plan, found, json=json, opens=open_)


def measured(run: RunFolder, plan: Plan, names: Sequence[str]) -> ProbedLoad:
    """Measure, and keep what was measured."""
    by_name = {str(trial.cell["engine"]): trial for trial in plan.trials}
    trials = [by_name[name] for name in names]
    for verdict in unproven(trials, run.logs, console.complain).values():
        raise LabError(verdict.reason)
    cpus = cpus_of_all(
        settings for trial in trials for settings in (trial.server_settings, trial.load_settings)
    )
    ticker = console.Ticker()
    ticker.begin(f"  {' and '.join(names)}")
    with measuring(COMMAND, cpus, console.complain), ticker:
        found = measure(trials, run.logs, ticker.event, sampled_groups=GROUPS_SAMPLED)
    run.write(SLICES, found)
    return found


def told(run: RunFolder, plan: Plan, found: ProbedLoad, *, json: bool, opens: bool) -> int:
    """Say what was found."""
    from serverlab.explain.page import write_page  # noqa: PLC0415 - what draws takes long to load

    costs, differences = ledgers(found)
    said = sentences(costs, differences, found.without_probe)
    document = as_json(run, said, costs, differences)
    text = msgspec.json.format(msgspec.json.encode(document)).decode() + "\n"
    write_whole(run.path / RESULT, text.encode())
    page = write_page(run, plan, said, costs, differences, found.stacks)
    if opens:
        open_in_browser(page)
    if json:
        terminal.write(text)
        return 0
    console.heading(said[0])
    show(cost_table(costs, differences))
    show(wait_table(costs))
    for sentence in said[1:]:
        console.sentence(sentence)
    console.say(f"page: {page}")
    return 0


def show(cells: Cells) -> None:
    """Print a table."""
    console.say()
    console.say(cells.title)
    table = console.table_of(*cells.head)
    for column in table.columns[1:]:
        column.justify = "right"
    for row in cells.rows:
        table.add_row(*row)
    console.show(table)


def as_json(
    run: RunFolder,
    said: Sequence[str],
    costs: Sequence[Ledger],
    differences: Sequence[Difference],
) -> dict[str, Any]:
    """What --json prints (docs/results-schema.md)."""
    return {
        "schema": SCHEMA,
        "command": "explain",
        "folder": str(run.path),
        "sentences": list(said),
        "ledgers": costs,
        "differences": differences,
    }
