"""`serverlab run` and `serverlab report`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
from cyclopts import Parameter

from serverlab import console, terminal
from serverlab.analysis.results import results
from serverlab.browser import open_in_browser
from serverlab.design.catalog import catalog
from serverlab.design.experiment import read_experiment
from serverlab.design.from_options import SERVICE, experiment_of
from serverlab.design.several_hosts import plan_for
from serverlab.errors import FAILED, INTERRUPTED, OutputError, OwnError, UsageError, reason_of
from serverlab.hosts.places import (
    ONE_MACHINE,
    Cluster,
    ClusterOptions,
    places_of,
)
from serverlab.machine import doctor
from serverlab.machine.native import given_or_shipped
from serverlab.paths import GivenPath  # noqa: TC001 - the command line reads it
from serverlab.report.answer import (
    answer,
    plain_words,
    ratio_tables,
    write_answer,
)
from serverlab.report.answer import markdown as as_markdown
from serverlab.report.findings import findings
from serverlab.report.sentences import shortened
from serverlab.report.shortfall import imprecise
from serverlab.report.why import whys
from serverlab.running import runner
from serverlab.running.checks import unsupported
from serverlab.running.explaining import explain, unexplained
from serverlab.running.lock import locked, made_and_locked
from serverlab.running.store import RunFolder, new_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from serverlab.analysis.results import Results
    from serverlab.records import Plan
    from serverlab.report.answer import RatioTable
    from serverlab.running.host import Hosts

COMMAND = "serverlab run"
FOR = "60s"  # an experiment from options takes so long


def run(  # noqa: PLR0913 - an option each
    experiment: GivenPath | None = None,
    /,
    *,
    engine: str | None = None,
    contestant: str | None = None,
    service: str | None = None,
    by: str | None = None,
    for_: Annotated[str | None, Parameter(name="--for")] = None,
    out: GivenPath | None = None,
    resume: GivenPath | None = None,
    seed: int | None = None,
    duration: str | None = None,
    cluster: ClusterOptions = ONE_MACHINE,
    open_: Annotated[bool, Parameter(name="--open")] = False,
    **settings: Annotated[str, Parameter(show=False)],
) -> int:
    """Run an experiment to its report.

    Without a file, options describe it: --engine="poll threads" --connections="1 64" --rate=50%.
    All other options are settings of `serverlab serve` and `serverlab load`, by their names there.
    A value of several words is a factor. The run's folder keeps the file that they make.

    Parameters
    ----------
    experiment
        An experiment file, such as experiments/quickstart.toml.
    engine
        Without a file: the engines that are compared.
    contestant
        Without a file: servers that are not serverlab's, by their names or files.
    service
        Without a file: what is served; echo unless it is said.
    by
        Without a file: the measures that decide, such as "server-cpu-per-request latency-p99".
    for_
        Without a file: how long all of it may take, 60s unless it is said.
    out
        The run's folder; by default runs/TIME-EXPERIMENT.
    resume
        The folder of a run that was stopped: its finished trials are kept, the rest is run.
    seed
        Seed of the trial order; by default that of the experiment, else a new one.
    duration
        Of each trial's window, in place of the experiment's: 2s.
    open_
        Open the report in a browser.
    """
    options = {"service": service, "by": by, "for": for_, **settings}
    expect_one_kind(experiment, resume, engine or contestant, options)
    if resume is not None:
        if out is not None or seed is not None or duration is not None:
            raise UsageError(
                "--resume continues the run's own plan, without --out, --seed and --duration"
            )
        return resumed(resume, cluster, opens=open_)
    if engine is None and contestant is None:
        read = read_experiment(given_or_shipped(experiment or Path()), catalog())
    else:
        asked = {"service": service or SERVICE, "by": by or "", "seconds": for_ or FOR}
        servers = {"engine": engine or "", "contestant": contestant or ""}
        read = experiment_of(settings, catalog(), **servers, **asked)
    generators = cluster.loading(read.cluster.generators)
    planned = plan_for(read, seed=seed, duration=duration, generators=generators)
    unsupported(planned, str(experiment or "the options"), read.own_settings)
    return begun(new_folder(out, read.name), read.text, planned, cluster, opens=open_)


def expect_one_kind(
    experiment: Path | None,
    resume: Path | None,
    servers: str | None,
    options: Mapping[str, str | None],
) -> None:
    """Raise UsageError unless there is a file, a run to resume, or options with servers."""
    if sum(given is not None for given in (experiment, resume, servers)) != 1:
        raise UsageError(
            "give an experiment file, or --resume with a run's folder, or --engine and what else "
            "describes an experiment"
        )
    if servers is None and (given := [name for name, value in options.items() if value]):
        raise UsageError(f"--{given[0]} describes an experiment without a file: give --engine, too")


def begun(path: Path, experiment: str, planned: Plan, cluster: Cluster, *, opens: bool) -> int:
    """Make a run's folder with the text of its experiment, and run the plan."""
    with (
        places_of(cluster, planned.generators, planned.server_node) as places,
        made_and_locked(path, COMMAND),
    ):
        environment = doctor.environment()
        folder = RunFolder.create(
            path, experiment=experiment, plan=planned, environment=environment
        )
        return run_to_report(folder, places, opens=opens)


def resumed(path: Path, cluster: Cluster, *, opens: bool) -> int:
    """Run what is left of a run's plan."""
    plan = RunFolder(path).plan()
    cluster.expect_again(path, plan.generators)
    with (
        places_of(cluster, plan.generators, plan.server_node) as places,
        locked(path, COMMAND),
    ):
        return run_to_report(RunFolder(path), places, opens=opens)


def run_to_report(folder: RunFolder, places: Callable[[], Hosts], *, opens: bool) -> int:
    """Run what is left of a plan, then report, and open the report if that is wanted."""

    def tell(failures: list[str]) -> int:
        explain_edges(folder)
        for failure in failures:
            console.complain(failure)
        if wide := imprecise(folder.path):
            console.sentence(f"target precision not reached: {'; '.join(shortened(wide))}")
        page = show_answer(results(folder.path))
        if opens:
            open_in_browser(page)
        return 1 if failures else 0

    return run_to_end(folder, COMMAND, places, tell)


def explain_edges(folder: RunFolder) -> None:
    """Explain each engine beside its neighbour, if the experiment asks for that."""
    ticker = console.Ticker()
    with console.quietened(), ticker:
        for edge in unexplained(folder, folder.plan()):
            ticker.begin(f"  {edge.name} beside {edge.neighbour.cell['engine']}")
            if why := explain(folder, edge, ticker.event):
                console.complain(why)


def run_to_end(
    folder: RunFolder,
    command: str,
    places: Callable[[], Hosts],
    tell: Callable[[list[str]], int],
) -> int:
    """Run what is left of a plan; the status that `tell` gives, which is told what failed.

    A run that is stopped says how it goes on.
    """
    try:
        with console.quietened():
            progress = console.Progress(partial(standing, folder.path))
            failures = runner.run(folder, progress, command, places)
    except KeyboardInterrupt:
        return stopped(folder, "stopped", INTERRUPTED)
    except OutputError as error:
        return stopped(folder, f"stopped, as {error}", error.status)
    except OwnError as error:
        return stopped(folder, f"stopped: {error}", error.status)
    except OSError as error:
        where = f"{error.filename}: " if error.filename is not None else ""
        return stopped(folder, f"stopped: {where}{reason_of(error)}", FAILED)
    return tell(failures)


def standing(folder: Path) -> RatioTable | None:
    """The ratios of a run so far, by its decisive measure."""
    return next(iter(ratio_tables(results(folder))), None)


def show_answer(shown: Results) -> Path:
    """Print the answer of a run in a few lines, and where its report is, which is made again.

    Return the report's path.
    """
    from serverlab.report.page import write_page  # noqa: PLC0415 - what draws takes long to load

    write_answer(shown)
    path = write_page(shown)
    console.heading(plain_words(findings(shown).headline))
    for table in ratio_tables(shown):
        console.ratios(table)
    for why in whys(shown):
        console.sentence(why.sentence)
    console.say(f"report: {path}")
    return path


def stopped(folder: RunFolder, why: str, status: int) -> int:
    """Say how a run goes on that has not come to its end."""
    done, planned = len(folder.records()), len(folder.plan().trials)
    console.complain(
        f"{why}: {done} of {planned} trials are kept; "
        f"`serverlab run --resume {folder.path}` goes on"
    )
    return status


def report(
    run: GivenPath,
    /,
    *,
    export: GivenPath | None = None,
    json: bool = False,
    markdown: bool = False,
    open_: Annotated[bool, Parameter(name="--open")] = False,
) -> int:
    """Make a run's report again, and print its answer.

    Parameters
    ----------
    run
        The run's folder.
    export
        A folder for the charts as PNG and SVG and the tables as CSV, beside the report.
    json
        Print the answer as JSON, for programs, and nothing else.
    markdown
        Print the answer as Markdown, for a pull request, and nothing else.
    open_
        Open the report in a browser.
    """
    if json and markdown:
        raise UsageError("--json and --markdown are two forms of the answer: give one of them")
    RunFolder(run).plan()
    shown = results(run)
    with console.silenced(silent=json or markdown):
        page = show_answer(shown)
    if open_:
        open_in_browser(page)
    if export is not None:
        from serverlab.report import export as files  # noqa: PLC0415 - as above

        files.export(run, export)
        with console.quietened(quiet=json or markdown):
            console.say(f"charts and tables: {export}")
    if json:
        terminal.write(msgspec.json.format(msgspec.json.encode(answer(shown))).decode() + "\n")
    elif markdown:
        terminal.write_text(as_markdown(shown))
    return 0
