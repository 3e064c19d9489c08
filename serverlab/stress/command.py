"""`serverlab stress`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from serverlab import console, terminal
from serverlab.design.catalog import catalog
from serverlab.design.subject import NO_SERVER, ServerOptions, subject_of
from serverlab.errors import INTERRUPTED, UsageError
from serverlab.hosts.places import ONE_MACHINE, Cluster, ClusterOptions, places_of
from serverlab.hosts_of_run import read_hosts
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
from serverlab.stress.server_limits import PIDS, read_limits
from serverlab.stress.steps import Asked
from serverlab.stress.stress import run, steps_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from serverlab.design.subject import Server
    from serverlab.running.host import Hosts

COMMAND = "serverlab stress"
SERVICE, CONNECTIONS_MAX = "echo", 100_000
UNSAID = (SERVICE, CONNECTIONS_MAX, None)


def stress(  # noqa: PLR0913 - an option each
    *,
    server: ServerOptions = NO_SERVER,
    cluster: ClusterOptions = ONE_MACHINE,
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
        The process of --target, if it is on this machine and its port does not show it: so that
        its counters can be read.
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
        return resumed(resume, cluster, quiet=json)
    if connections_max < 1:
        raise UsageError(f"--connections-max: {connections_max} is not 1 or more")
    generators, limits = cluster.loading(), read_limits(server_limit or [])
    refuse_what_is_not_here(server, limits, server_pid, generators)
    asked = Asked(
        subject=subject_of(
            settings,
            catalog(),
            server=server,
            service=service,
            kept=KEPT,
            model="hold",
            defaults={},
            several_hosts=generators > 0,
        ),
        connections_max=connections_max,
        server_limits=limits,
        server_pid=server_pid,
        generators=generators,
    )
    return begun(asked, out, cluster, quiet=json)


def refuse_what_is_not_here(
    server: Server, limits: Mapping[str, int], server_pid: int | None, generators: int
) -> None:
    """Raise UsageError for what only another server, or a server on this machine, can have."""
    if server.engine is None and limits:
        raise UsageError("--server-limit is for an engine that is started here: give --engine")
    if server.target is None and server_pid is not None:
        raise UsageError("--server-pid is the process of --target")
    if generators and server.engine is None:
        raise UsageError("--cluster serves on a host of its own: give --engine")
    if generators and PIDS in limits:
        raise UsageError("--server-limit: pids are of a cgroup of this machine, not of a host")


def begun(asked: Asked, out: GivenPath | None, where: Cluster, *, quiet: bool) -> int:
    """Make the folder of a new stress, and run it."""
    refuse_wrong(asked)
    folder = new_folder(out, f"stress-{asked.subject.folder_name}")
    with places_of(where, asked.generators) as places, made_and_locked(folder, COMMAND):
        study = Study.begin(folder, asked=asked, environment=doctor.environment())
        return stress_to_result(study, places, quiet=quiet)


def resumed(folder: GivenPath, where: Cluster, *, quiet: bool) -> int:
    """Go on with a stress that was stopped."""
    study = Study(folder)
    generators = study.asked(Asked, "stress").generators
    where.expect_again(folder, generators)
    with places_of(where, generators) as places, locked(folder, COMMAND):
        return stress_to_result(study, places, quiet=quiet)


def stress_to_result(study: Study, places: Callable[[], Hosts], *, quiet: bool) -> int:
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
            run(study, screen, places)
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
    show(asked, steps, read_hosts(study.path))
    console.say(f"result: {path}")
    return 0
