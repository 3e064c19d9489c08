"""The command line: each command parses, calls, and says what came of it."""

from __future__ import annotations

import os
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NoReturn

import msgspec
from cyclopts import App, Parameter

from serverlab import console, terminal
from serverlab.contestants.reading import named, shipped
from serverlab.design.catalog import catalog
from serverlab.design.experiment import read_experiment
from serverlab.design.several_hosts import plan_for
from serverlab.errors import UsageError, reason_of
from serverlab.failures import guarded
from serverlab.machine.doctor import examine, mend
from serverlab.machine.native import experiments, given_or_shipped, program
from serverlab.paths import GivenPath  # noqa: TC001 - the command line reads it
from serverlab.running.checks import levels, unsupported

if TYPE_CHECKING:
    from collections.abc import Iterable

TEMPLATE = Path(__file__).parent / "design" / "template.toml"

app = App(
    name="serverlab",
    help="Which way of serving connections fits this workload, by how much, and how certainly?",
    version_flags=["--version"],
)


@app.command
def plan(
    experiment: GivenPath,
    /,
    *,
    seed: int | None = None,
    duration: str | None = None,
    cluster: bool = False,
    all: bool = False,  # noqa: A002 - the name of the option
) -> int:
    """Show what would run, in which order, and how long it takes.

    Parameters
    ----------
    experiment
        An experiment file.
    seed
        Seed of the trial order.
    duration
        Of each trial's window, in place of the experiment's.
    cluster
        Plan for several hosts, as `serverlab run --cluster` does.
    all
        Show every trial, also of a long plan.
    """
    read = read_experiment(given_or_shipped(experiment), catalog())
    made = plan_for(
        read, seed=seed, duration=duration, generators=read.cluster.generators if cluster else 0
    )
    cannot = unsupported(made, str(experiment), read.own_settings)
    console.show(console.plan_table(made, len(made.trials) if all else console.PLANNED_SHOWN))
    if cluster:
        console.sentence(f"The server has a host of its own, and {made.generators} others load it.")
    for why, trials in Counter(
        cannot[levels(trial)] for trial in made.trials if levels(trial) in cannot
    ).items():
        console.sentence(f"UNSUPPORTED on this machine, {trials} trials: {why}")
    return 0


@app.command
def new(path: GivenPath, /) -> int:
    """Write a commented experiment file to begin with.

    Parameters
    ----------
    path
        The file, which must not be there yet.
    """
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(TEMPLATE.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"cannot write {path}: {reason_of(error)}") from error
    console.say(f"{path} is written: `serverlab plan {path}` checks it and shows what would run")
    return 0


@app.command(name="list")
def list_(
    what: Literal["engines", "services", "experiments", "contestants"] = "engines",
    /,
    *,
    json: bool = False,
) -> int:
    """List engines, services, experiments or contestants.

    Parameters
    ----------
    what
        Which list.
    json
        Print it as JSON.
    """
    if what == "experiments":
        folder = experiments()
        paths = sorted(folder.rglob("*.toml"))
        rows = [
            {
                "name": str(path.relative_to(folder.parent)),
                "question": read_experiment(path, catalog()).question,
            }
            for path in paths
        ]
    elif what == "contestants":
        found = [named(name, catalog().services) for name in shipped()]
        rows = [
            {
                "name": one.name,
                "made with": ", ".join(filter(None, (one.language, one.runtime, one.framework))),
                "services": ", ".join(one.services),
                "model": one.model,
            }
            for one in found
        ]
    elif what == "engines":
        rows = [msgspec.to_builtins(engine) for engine in catalog().engines.values()]
    else:
        rows = [
            {"name": service.name, "summary": service.summary}
            for service in catalog().services.values()
        ]
    if json:
        terminal.write(msgspec.json.format(msgspec.json.encode(rows)).decode() + "\n")
        return 0
    columns = {"engines": ["name", "model", "neighbour", "difference"]}.get(what, list(rows[0]))
    table = console.table_of(*columns)
    for row in rows:
        table.add_row(*(row[column] for column in columns))
    console.show(table)
    return 0


# These are imported when they are called, since what they draw and compute with takes seconds to
# load. So that --help need not import them either, the first line of each is here, too.
IMPORTED_LATE = {
    "serverlab.run_command:run": "Run an experiment to its report.",
    "serverlab.run_command:report": "Make a run's report again, and print its answer.",
    "serverlab.audit.command:audit": ("Check results of load generators without a run."),
    "serverlab.claims.command:claims": (
        "Test what five reports claim, and make a page of verdicts."
    ),
    "serverlab.compare.command:compare": (
        "Compare two runs, cell by cell: the second over the first."
    ),
    "serverlab.duel.command:duel": ("Compare servers in slices, without a file."),
    "serverlab.explain.command:explain": (
        "Say where the CPU time of a request goes, and why two servers differ in it."
    ),
    "serverlab.hosts.command:hosts": "Make hosts inside this machine, to try a cluster on.",
    "serverlab.runs.command:runs": (
        "List the runs in a folder, the newest first, with their questions and answers."
    ),
    "serverlab.search.command:search": (
        "Find the highest rate at which latency stays within a bound."
    ),
    "serverlab.stress.command:stress": (
        "Raise connections until a limit is reached, and name the limit."
    ),
    "serverlab.verify_command:verify": (
        "Ask a server the exchanges of a service, and say line by line which hold."
    ),
}
for command, summary in IMPORTED_LATE.items():
    app.command(command, help=summary)

QUIET, VERBOSE = ("--quiet", "-q"), ("--verbose", "-v")
NATIVE = {("serve",), ("load",)}  # their options are those of other programs
Tokens = Annotated[str, Parameter(show=False, allow_leading_hyphen=True)]


@app.command(help_flags=[])
def serve(*arguments: Tokens) -> int:
    """Serve: the options are those of serverlab-server."""
    return become("serverlab-server", arguments)


@app.command(help_flags=[])
def load(*arguments: Tokens) -> int:
    """Load a server: the options are those of serverlab-load."""
    return become("serverlab-load", arguments)


def become(name: str, arguments: tuple[str, ...]) -> int:
    """Replace this process by a native program."""
    path = program(name)
    os.execv(path, [path.name, *arguments])


@app.command
def doctor(*, fix: bool = False) -> int:
    """Check this machine for noise sources, and suggest fixes.

    Parameters
    ----------
    fix
        Fix what a kernel parameter can fix, until the next boot.
    """
    findings = examine()
    if fix:
        mend(findings)
        findings = examine()
    console.show(console.doctor_table(findings))
    return 1 if any(finding.spoils for finding in findings) else 0


@app.command
def completion(shell: Literal["bash", "zsh", "fish"], /) -> int:
    """Print a shell's completion script: `source <(serverlab completion bash)`.

    Parameters
    ----------
    shell
        The shell that reads it.
    """
    terminal.write(app.generate_completion(shell=shell))
    return 0


@app.meta.default
def call(
    *tokens: Tokens,
    quiet: Annotated[bool, Parameter(name=QUIET, negative="")] = False,
    verbose: Annotated[bool, Parameter(name=VERBOSE, negative="")] = False,
) -> int:
    """Call a command.

    Parameters
    ----------
    quiet
        Print the answer and complaints alone, not what leads to them.
    verbose
        Print the command line of each program that is started, on stderr.
    """
    mine = set() if tokens[:1] in NATIVE else {*QUIET, *VERBOSE}  # also behind the command
    given = mine.intersection(tokens)
    console.be(brief=quiet or bool(given & {*QUIET}), verbose=verbose or bool(given & {*VERBOSE}))
    return parsed(app, [token for token in tokens if token not in mine])


def parsed(commands: App, tokens: Iterable[str]) -> int:
    """Let some commands parse the command line."""
    status: int = commands(
        tokens,
        console=console.console,
        result_action="return_value",
        exit_on_error=False,
        print_error=False,
        verbose=False,
    )
    return status


def main() -> NoReturn:
    """Run a command; what goes wrong is one sentence on stderr and an exit status."""
    sys.exit(guarded(lambda: parsed(app.meta, sys.argv[1:])))
