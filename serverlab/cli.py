"""The command line: each command parses, calls, and says what came of it."""

from __future__ import annotations

import os
import sys
from pathlib import Path  # noqa: TC003 - the command line reads it
from typing import Annotated, Literal

import msgspec
from cyclopts import App, Parameter
from rich.table import Table

import serverlab.machine.doctor
from serverlab import console
from serverlab.running import runner
from serverlab.design.catalog import catalog
from serverlab.claims.command import claims
from serverlab.compare.command import compare
from serverlab.errors import LabError, UsageError
from serverlab.design.experiment import read_experiment
from serverlab.machine.native import ROOT, program
from serverlab.design.plan import make_plan
from serverlab.report import export as export_report
from serverlab.report import imprecise, write_report
from serverlab.search.command import search
from serverlab.running.store import RunFolder, new_folder
from serverlab.stress.command import stress

app = App(
    name="serverlab",
    help="Which way of serving connections fits this workload, by how much, and how surely?",
    version_flags=["--version"],
)


@app.command
def run(
    experiment: Path | None = None,
    /,
    *,
    out: Path | None = None,
    resume: Path | None = None,
    seed: int | None = None,
    duration: str | None = None,
) -> int:
    """Run an experiment to its report.

    Parameters
    ----------
    experiment
        An experiment file, such as experiments/quickstart.toml.
    out
        The run's folder; by default runs/TIME-EXPERIMENT.
    resume
        The folder of a run that was stopped: its finished trials are kept, the rest is run.
    seed
        Of the order of trials; by default that of the experiment, else a new one.
    duration
        Of each trial's window, in place of the experiment's: 2s.
    """
    if (experiment is None) == (resume is None):
        raise UsageError("give either an experiment file, or --resume with a run's folder")
    if resume is not None:
        if out is not None or seed is not None or duration is not None:
            raise UsageError(
                "--resume goes on with the run's own plan, without --out, --seed and --duration"
            )
        folder = RunFolder(resume)
    else:
        assert experiment is not None
        read = read_experiment(experiment, catalog())
        folder = RunFolder.create(
            new_folder(out, read.name),
            experiment=read.text,
            plan=make_plan(read, seed=seed, duration=duration),
            environment=serverlab.machine.doctor.environment(),
        )
    return run_to_report(folder)


def run_to_report(folder: RunFolder) -> int:
    """Run what is left of a plan, then report."""
    try:
        failures = runner.run(folder, console.Progress())
    except KeyboardInterrupt:
        done, planned = len(folder.records()), len(folder.plan().trials)
        console.complain(
            f"stopped: {done} of {planned} trials are kept; "
            f"`serverlab run --resume {folder.path}` goes on"
        )
        return console.INTERRUPTED
    for failure in failures:
        console.complain(failure)
    for sentence in imprecise(folder.path):
        console.say(f"not as precise as wanted: {sentence}")
    console.say(f"report: {write_report(folder.path)}")
    return 1 if failures else 0


@app.command
def plan(experiment: Path, /, *, seed: int | None = None, duration: str | None = None) -> int:
    """Show what would run, in which order, and how long it takes.

    Parameters
    ----------
    experiment
        An experiment file.
    seed
        Of the order of trials.
    duration
        Of each trial's window, in place of the experiment's.
    """
    read = read_experiment(experiment, catalog())
    console.show(console.plan_table(make_plan(read, seed=seed, duration=duration)))
    return 0


@app.command
def report(run: Path, /, *, export: Path | None = None) -> int:
    """Make a run's report again.

    Parameters
    ----------
    run
        The run's folder.
    export
        A folder for the charts as PNG and SVG and the tables as CSV, beside the report.
    """
    RunFolder(run).plan()
    console.say(f"report: {write_report(run)}")
    if export is not None:
        export_report(run, export)
        console.say(f"charts and tables: {export}")
    return 0


@app.command(name="list")
def list_(
    what: Literal["engines", "services", "experiments"] = "engines", /, *, json: bool = False
) -> int:
    """List engines, services or experiments.

    Parameters
    ----------
    what
        Which list.
    json
        Print it as JSON.
    """
    if what == "experiments":
        paths = sorted((ROOT / "experiments").rglob("*.toml"))
        rows = [
            {
                "name": str(path.relative_to(ROOT)),
                "question": read_experiment(path, catalog()).question,
            }
            for path in paths
        ]
    elif what == "engines":
        rows = [msgspec.to_builtins(engine) for engine in catalog().engines.values()]
    else:
        rows = [
            {"name": service.name, "summary": service.summary}
            for service in catalog().services.values()
        ]
    if json:
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(rows)).decode() + "\n")
        return 0
    columns = {"engines": ["name", "model", "neighbour", "difference"]}.get(what, list(rows[0]))
    table = Table(*columns)
    for row in rows:
        table.add_row(*(row[column] for column in columns))
    console.show(table)
    return 0


app.command(claims)
app.command(compare)
app.command(search)
app.command(stress)

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
    """Say what in this machine would spoil a measurement, and how to mend it.

    Parameters
    ----------
    fix
        Mend what can be mended by a kernel parameter, until the next boot.
    """
    findings = serverlab.machine.doctor.examine()
    if fix:
        serverlab.machine.doctor.mend(findings)
        findings = serverlab.machine.doctor.examine()
    console.show(console.doctor_table(findings))
    return 1 if any(finding.spoils for finding in findings) else 0


def main() -> None:
    """Run a command; what goes wrong is one sentence on stderr and an exit status."""
    try:
        status = app(sys.argv[1:], result_action="return_value")
    except UsageError as error:
        console.complain(str(error))
        sys.exit(2)
    except LabError as error:
        console.complain(str(error))
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(console.INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nobody reads any more
        sys.exit(1)
    sys.exit(status if isinstance(status, int) else 0)
