"""`serverlab stress`."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from serverlab import console, terminal
from serverlab.design.catalog import catalog
from serverlab.design.subject import NO_SERVER, ServerOptions, subject_of
from serverlab.errors import INTERRUPTED, UsageError
from serverlab.machine import doctor
from serverlab.machine.machine import cpus_of_all
from serverlab.notation import count
from serverlab.paths import GivenPath  # noqa: TC001 - the command line reads it
from serverlab.running.lock import locked, made_and_locked
from serverlab.running.neighbours import measuring
from serverlab.running.store import new_folder
from serverlab.running.study import RESULT, Study, expect_proof
from serverlab.stress.result import result
from serverlab.stress.run_step import KEPT, refuse_wrong
from serverlab.stress.screen import Screen, show
from serverlab.stress.server_limits import read_limits
from serverlab.stress.steps import Asked
from serverlab.stress.stress import run, steps_of

COMMAND = "serverlab stress"
SERVICE, CONNECTIONS_MAX = "echo", 100_000
UNSAID = (SERVICE, CONNECTIONS_MAX, None)


def stress(  # noqa: PLR0913 - an option each
    *,
    server: ServerOptions = NO_SERVER,
    service: str = SERVICE,
    connections_max: int = CONNECTIONS_MAX,
    server_limit: Annotated[list[str] | None, Parameter(negative="")] = None,
    server_pid: int | None = None,
    out: GivenPath | None = None,
    resume: GivenPath | None = None,
    json: bool = False,
    **settings: Annotated[str, Parameter(show=False)],
) -> int:
    """Raise connections until a limit is reached, and name the limit.

    Each connection is opened, and probed once; it is alive if it answers within a second. All other
    options are settings of `serverlab serve` and `serverlab load`, by their names there; where each
    program has its own, say whose it is: --server-threads=2.

    Parameters
    ----------
    service
        What is served.
    connections_max
        Try no more.
    server_limit
        Start the server with a limit: nofile=200, as=1GiB, nproc=100 as prlimit(1) has them, or
        pids=100 of a cgroup of its own. Several times for several limits.
    server_pid
        The process of --target, if it is on this machine: so that its counters can be read.
    out
        The folder; by default runs/TIME-stress-NAME.
    resume
        The folder of a stress that was stopped: its finished steps are kept.
    json
        Print the result as JSON, and nothing else.
    """
    if resume is not None:
        said = (service, connections_max, server_pid)
        if settings or server.is_named or out or server_limit or said != UNSAID:
            raise UsageError("--resume continues what was asked and takes no other options")
        return resumed(resume, quiet=json)
    if connections_max < 1:
        raise UsageError(f"--connections-max: {connections_max} is not 1 or more")
    if server.engine is None and server_limit:
        raise UsageError("--server-limit is for an engine that is started here: give --engine")
    if server.target is None and server_pid is not None:
        raise UsageError("--server-pid is the process of --target")
    asked = Asked(
        subject=subject_of(
            settings,
            catalog(),
            server=server,
            service=service,
            kept=KEPT,
            model="hold",
            defaults={},
        ),
        connections_max=connections_max,
        server_limits=read_limits(server_limit or []),
        server_pid=server_pid,
    )
    return begun(asked, out, quiet=json)


def begun(asked: Asked, out: GivenPath | None, *, quiet: bool) -> int:
    """Make the folder of a new stress, and run it."""
    refuse_wrong(asked)
    folder = new_folder(out, f"stress-{asked.subject.folder_name}")
    with made_and_locked(folder, COMMAND):
        study = Study.begin(folder, asked=asked, environment=doctor.environment())
        return stress_to_result(study, quiet=quiet)


def resumed(folder: GivenPath, *, quiet: bool) -> int:
    """Go on with a stress that was stopped."""
    study = Study(folder)
    study.asked(Asked, "stress")
    with locked(folder, COMMAND):
        return stress_to_result(study, quiet=quiet)


def stress_to_result(study: Study, *, quiet: bool) -> int:
    """Run what is left of a stress, then say and write what gave."""
    asked = study.asked(Asked, "stress")
    screen = Screen()
    if not (quiet or console.console.is_brief):
        subject = asked.subject
        limits = "".join(f", {name}={count(value)}" for name, value in asked.server_limits.items())
        console.heading(
            f"{subject.engine or subject.target}, {subject.service}{limits}: connections until "
            "something gives"
        )
    expect_proof(asked.subject, study.logs, console.complain)
    try:
        with (
            measuring(COMMAND, cpus_of_all(asked.subject.settings), console.complain),
            console.quietened(quiet=quiet),
            screen.ticker,
        ):
            run(study, screen)
    except KeyboardInterrupt:
        console.complain(
            f"stopped: {len(steps_of(study))} steps are kept; "
            f"`serverlab stress --resume={study.path}` goes on"
        )
        return INTERRUPTED
    steps = steps_of(study)
    path = study.write(RESULT, result(asked, steps))
    if quiet:
        terminal.write(path.read_text(encoding="utf-8"))
        return 0
    show(asked, steps)
    console.say(f"result: {path}")
    return 0
