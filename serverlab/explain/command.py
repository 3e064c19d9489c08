"""`serverlab explain`."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from cyclopts import Parameter

from serverlab import console, terminal
from serverlab.analysis.ledger import ledgers
from serverlab.analysis.tail import tails
from serverlab.browser import open_in_browser
from serverlab.design.catalog import catalog
from serverlab.design.from_options import SERVICE
from serverlab.design.plan import make_plan
from serverlab.duel.entrants import entrants_of
from serverlab.errors import INTERRUPTED, LabError, UsageError
from serverlab.explain.file import experiment_of
from serverlab.files import as_name, write_whole
from serverlab.load_result import SCHEMA
from serverlab.machine import doctor
from serverlab.machine.machine import cpus_of_all
from serverlab.paths import GivenPath  # noqa: TC001 - the command line reads it
from serverlab.report import tail_words
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

    from serverlab.explain.page import Content
    from serverlab.quantities import Level
    from serverlab.records import Plan, PlannedTrial
    from serverlab.report.ledger_words import Cells
    from serverlab.slices import ProbedLoad

COMMAND = "serverlab explain"
FOR = "60s"
LEDGER, TAIL, SLICES = "ledger.json", "tail.json", "slices.json"


def explain(
    *subjects: str,
    service: str = SERVICE,
    for_: Annotated[str, Parameter(name="--for")] = FOR,
    out: GivenPath | None = None,
    tail: bool = False,
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

    With --tail the probe follows the requests of some connections from the server's socket to the
    client, and says where the slowest hundredth of them waits.

    One setting of the load may have several values, as in --connections='1 64': each load is
    explained by itself, and all of them together take the time that is given.

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
    tail
        Say where the slowest requests wait, and not what they cost.
    json
        Print the result as JSON, for programs, and nothing else.
    open_
        Open the page in a browser.
    """
    if len(subjects) not in {1, 2}:
        raise UsageError("give one subject, or two whose difference is to be explained")
    entrants = entrants_of(subjects, catalog().engines, service)
    read = experiment_of(entrants, settings, catalog(), service=service, seconds=for_, follows=tail)
    plan = make_plan(read)
    if tail and plan.trials[0].load_settings.get("depth", "1") != "1":
        raise UsageError("--tail follows one request of a connection at a time: leave out --depth")
    for why in unsupported(plan, "the options", read.own_settings).values():
        raise LabError(why)
    folder = new_folder(out, read.name)
    with made_and_locked(folder, COMMAND):
        run = RunFolder.create(
            folder, experiment=read.text, plan=plan, environment=doctor.environment()
        )
        try:
            with console.quietened(quiet=json):
                loads = loads_of(plan, [one.name for one in entrants])
                found = [measured(run, load, follows=tail) for load in loads]
        except KeyboardInterrupt:
            console.complain("stopped: an explanation needs all of its slices")
            return INTERRUPTED
        return told(run, plan, list(zip(loads, found, strict=True)), json=json, opens=open_)


@dataclass(frozen=True, slots=True)
class Load:
    """What the servers are loaded with at a time, and the file of its slices."""

    trials: list[PlannedTrial]  # one for each server
    varied: dict[str, Level] = field(default_factory=dict)  # the setting with several values: this
    slices: str = SLICES

    @property
    def at(self) -> str:
        """What it has that the others have not, in words; empty if there are no others."""
        return " ".join(console.counted(level, name) for name, level in self.varied.items())


def loads_of(plan: Plan, names: Sequence[str]) -> list[Load]:
    """The loads of a plan, in the order of its levels, for the servers in the order given."""
    several = [(name, levels) for name, levels in plan.factors.items() if name != "engine"]
    if not several:
        by_name = {str(trial.cell["engine"]): trial for trial in plan.trials}
        return [Load([by_name[name] for name in names])]
    [(factor, levels)] = several
    by_cell = {(trial.cell["engine"], trial.cell[factor]): trial for trial in plan.trials}
    return [
        Load(
            [by_cell[name, level] for name in names],
            varied={factor: level},
            slices=f"slices-{as_name(f'{factor}-{level}')}.json",
        )
        for level in levels
    ]


def measured(run: RunFolder, load: Load, *, follows: bool) -> ProbedLoad:
    """Measure, and keep what was measured."""
    trials = load.trials
    for verdict in unproven(trials, run.logs, console.complain).values():
        raise LabError(verdict.reason)
    cpus = cpus_of_all(
        settings for trial in trials for settings in (trial.server_settings, trial.load_settings)
    )
    ticker = console.Ticker()
    names = " and ".join(str(trial.cell["engine"]) for trial in trials)
    ticker.begin(f"  {names}{', ' if load.at else ''}{load.at}")
    with measuring(COMMAND, cpus, console.complain), ticker:
        sampled = 0 if follows else GROUPS_SAMPLED
        found = measure(trials, run.logs, ticker.event, sampled_groups=sampled, follows=follows)
    run.write(load.slices, found)
    return found


def content_of_ledger(found: ProbedLoad) -> tuple[Content, dict[str, Any]]:
    """What a request costs, and what two servers differ in: for the page, and for programs."""
    from serverlab.explain import page  # noqa: PLC0415 - what draws takes long to load

    costs, differences = ledgers(found)
    content = page.Content(
        sentences=sentences(costs, differences, found.without_probe),
        figures=page.ledger_figures(costs, differences),
        tables=[cost_table(costs, differences), wait_table(costs)],
        flames=page.flame_figures(costs, found.stacks),
    )
    return content, {"ledgers": costs, "differences": differences}


def content_of_tail(found: ProbedLoad) -> tuple[Content, dict[str, Any]]:
    """Where the slowest requests wait: for the page, and for programs."""
    from serverlab.explain import page  # noqa: PLC0415 - what draws takes long to load

    slow = tails(found)
    content = page.Content(
        sentences=tail_words.sentences(slow, found.requests_lost),
        figures=page.lane_figures(slow),
        tables=[tail_words.lane_table(slow)],
        follows=True,
    )
    return content, {"tails": slow}


def told(
    run: RunFolder, plan: Plan, found: Sequence[tuple[Load, ProbedLoad]], *, json: bool, opens: bool
) -> int:
    """Say what was found."""
    from serverlab.explain.page import write_page  # noqa: PLC0415 - what draws takes long to load

    follows = any(one.requests for _, one in found)
    file, make = (TAIL, content_of_tail) if follows else (LEDGER, content_of_ledger)
    made = [(load, *make(one)) for load, one in found]
    contents = [replace(content, at=load.at) for load, content, _ in made]
    head = {"schema": SCHEMA, "command": "explain", "folder": str(run.path)}
    several = [
        {"load": load.varied, "sentences": content.sentences, **figures}
        for load, content, figures in made
    ]
    document = (
        {**head, "sentences": [one.headline for one in contents], "loads": several}
        if len(several) > 1
        else {**head, "sentences": contents[0].sentences, **made[0][2]}
    )
    text = msgspec.json.format(msgspec.json.encode(document)).decode() + "\n"
    write_whole(run.path / file, text.encode())
    page = write_page(run, plan, contents, [load.slices for load, _ in found])
    if opens:
        open_in_browser(page)
    if json:
        terminal.write(text)
        return 0
    for content in contents:
        console.heading(content.headline)
    for content in contents:
        tell(content)
    console.say(f"page: {page}")
    return 0


def tell(content: Content) -> None:
    """Print what was found of a load, but for the answer."""
    for table in content.tables:
        show(table, content.at)
    for sentence in content.sentences[1:]:
        console.sentence(sentence)


def show(cells: Cells, at: str) -> None:
    """Print a table."""
    console.say()
    console.say(f"{at}: {cells.title}" if at else cells.title)
    table = console.table_of(*cells.head)
    for column in table.columns[1:]:
        column.justify = "right"
    for row in cells.rows:
        table.add_row(*row)
    console.show(table)
