"""`serverlab run` and `serverlab report`."""

from __future__ import annotations

from serverlab import console
from serverlab.design.catalog import catalog
from serverlab.design.experiment import read_experiment
from serverlab.design.plan import make_plan
from serverlab.errors import INTERRUPTED, OutputError, UsageError
from serverlab.machine import doctor
from serverlab.paths import GivenPath  # noqa: TC001 - the command line reads it
from serverlab.report import export as export_report
from serverlab.report import imprecise, write_report
from serverlab.running import runner
from serverlab.running.checks import unsupported
from serverlab.running.lock import locked, made_and_locked
from serverlab.running.store import RunFolder, new_folder

COMMAND = "serverlab run"


def run(
    experiment: GivenPath | None = None,
    /,
    *,
    out: GivenPath | None = None,
    resume: GivenPath | None = None,
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
                "--resume continues the run's own plan, without --out, --seed and --duration"
            )
        RunFolder(resume).plan()
        with locked(resume, COMMAND):
            return run_to_report(RunFolder(resume))
    assert experiment is not None
    read = read_experiment(experiment, catalog())
    planned = make_plan(read, seed=seed, duration=duration)
    unsupported(planned, str(experiment), read.own_settings)
    path = new_folder(out, read.name)
    with made_and_locked(path, COMMAND):
        environment = doctor.environment()
        folder = RunFolder.create(path, experiment=read.text, plan=planned, environment=environment)
        return run_to_report(folder)


def run_to_report(folder: RunFolder) -> int:
    """Run what is left of a plan, then report."""
    try:
        failures = runner.run(folder, console.Progress(), COMMAND)
    except KeyboardInterrupt:
        return stopped(folder, "stopped", INTERRUPTED)
    except OutputError as error:
        return stopped(folder, f"stopped, as {error}", error.status)
    for failure in failures:
        console.complain(failure)
    for sentence in imprecise(folder.path):
        console.say(f"not as precise as wanted: {sentence}")
    console.say(f"report: {write_report(folder.path)}")
    return 1 if failures else 0


def stopped(folder: RunFolder, why: str, status: int) -> int:
    """Say how a run goes on that has not come to its end."""
    done, planned = len(folder.records()), len(folder.plan().trials)
    console.complain(
        f"{why}: {done} of {planned} trials are kept; "
        f"`serverlab run --resume {folder.path}` goes on"
    )
    return status


def report(run: GivenPath, /, *, export: GivenPath | None = None) -> int:
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
