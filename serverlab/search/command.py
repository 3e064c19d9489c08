"""`serverlab search`."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from serverlab import console, terminal
from serverlab.design.catalog import catalog
from serverlab.design.subject import NO_SERVER, ServerOptions, subject_of
from serverlab.errors import INTERRUPTED, UsageError
from serverlab.hosts.places import ONE_MACHINE, Cluster, ClusterOptions, places_of
from serverlab.machine import doctor
from serverlab.machine.machine import cpus_of_all
from serverlab.paths import GivenPath  # noqa: TC001 - the command line reads it
from serverlab.quantities import budget_s, duration_s
from serverlab.running.lock import locked, made_and_locked
from serverlab.running.neighbours import measuring
from serverlab.running.store import new_folder
from serverlab.running.study import RESULT, Study, expect_proof
from serverlab.search.answer import hosts_sentences, result, result_file
from serverlab.search.goals import read_goal
from serverlab.search.screen import Screen, show
from serverlab.search.search import KEPT, Asked, refuse_wrong, run, trials_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from serverlab.design.subject import Server, Subject
    from serverlab.running.host import Hosts
    from serverlab.search.goals import Goal

COMMAND = "serverlab search"
CONNECTIONS = "64"
SERVICE, BUDGET, PRECISION, REPEATS = "echo", "5m", 0.03, 3
UNSAID = (SERVICE, BUDGET, None, PRECISION, REPEATS, None, True, None)
DURATION_MAX_S = 10.0  # of a trial, unless it is said
TRIALS = 30  # of full length in a budget: twelve of the curve, six of two settled sides, and others
PRECISION_MIN, PRECISION_MAX = 0.005, 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """How long all of a search may take, and its trials, as the command line says it."""

    budget: str
    duration: str | None

    def checked_duration(self) -> str:
        """That of a trial of full length. Raises UsageError if one of the two is no time."""
        if budget_s(self.budget) <= 0:
            raise UsageError(f"--budget: {self.budget} is no time")
        of_budget = f"{min(DURATION_MAX_S, budget_s(self.budget) / TRIALS):.3g}s"
        duration = of_budget if self.duration is None else self.duration
        if duration_s(duration) <= 0:
            raise UsageError(f"--duration: {duration} is no time")
        return duration


def search(  # noqa: PLR0913 - an option each
    *,
    slo: Annotated[list[str] | None, Parameter(negative="")] = None,
    server: ServerOptions = NO_SERVER,
    service: str = SERVICE,
    budget: str = BUDGET,
    duration: str | None = None,
    precision: float = PRECISION,
    repeats: int = REPEATS,
    rate_max: float | None = None,
    curve: bool = True,
    out: GivenPath | None = None,
    resume: GivenPath | None = None,
    seed: int | None = None,
    cluster: ClusterOptions = ONE_MACHINE,
    json: bool = False,
    **settings: Annotated[str, Parameter(show=False)],
) -> int:
    """Find the highest rate at which latency stays within a bound.

    The status is 1 if there is a bound that no rate has kept.

    All other options are settings of `serverlab serve` and `serverlab load`, by their names there:
    --connections=64 --payload=1KiB. Where each program has its own, say whose it is:
    --server-threads=2 --load-cpus=1.

    Parameters
    ----------
    slo
        What is to be kept, such as "p99 <= 5ms" or "p50 <= 1ms and p99.9 <= 20ms"; several times
        for several searches that share their trials. Any percentile: p50, p95, p99.9.
    service
        What is served.
    budget
        How long all of it may take; the answer is what is known by then.
    duration
        The window of a trial of full length; by default a thirtieth of the budget, at most 10s.
    precision
        The rate that is found and the one that is too high differ by this share at most.
    repeats
        Trials that have to agree about a rate.
    rate_max
        Try no rate above.
    curve
        Measure twelve loads from 10 % to 120 % of what was found, too.
    out
        The folder; by default runs/TIME-search-NAME.
    resume
        The folder of a search that was stopped: its finished trials are kept.
    seed
        Of the schedules; by default a new one.
    json
        Print the result as JSON, and nothing else.
    """
    if resume is not None:
        said = (service, budget, duration, precision, repeats, rate_max, curve, seed)
        if settings or slo or server.is_named or out or said != UNSAID:
            raise UsageError("--resume continues what was asked and takes no other options")
        return resumed(resume, cluster, quiet=json)
    generators = cluster.loading()
    served = subject(settings, server, service, several_hosts=generators > 0)
    times = Times(budget=budget, duration=duration)
    asked = asked_of(
        served, slo or [], times, precision=precision, repeats=repeats, rate_max=rate_max,
        curve=curve, seed=seed, generators=generators,
    )  # fmt: skip
    return begun(asked, out, cluster, quiet=json)


def subject(
    settings: dict[str, str],
    server: Server,
    service: str,
    *,
    several_hosts: bool,
) -> Subject:
    """The server that the search loads."""
    if several_hosts and server.engine is None:
        raise UsageError("--cluster serves on a host of its own: give --engine")
    return subject_of(
        settings,
        catalog(),
        server=server,
        service=service,
        kept=KEPT,
        model="open",
        defaults={"connections": CONNECTIONS},
        several_hosts=several_hosts,
    )


def asked_of(  # noqa: PLR0913 - an option each
    subject: Subject,
    slo: list[str],
    times: Times,
    *,
    precision: float,
    repeats: int,
    rate_max: float | None,
    curve: bool,
    seed: int | None,
    generators: int,
) -> Asked:
    """What the command line asks, checked."""
    if not slo:
        raise UsageError('--slo is missing: the bound to keep, such as --slo="p99 <= 5ms"')
    if not PRECISION_MIN <= precision <= PRECISION_MAX:
        raise UsageError(f"--precision: {precision:g} is not from {PRECISION_MIN} to 0.5")
    if repeats < 1:
        raise UsageError(f"--repeats: {repeats} is not 1 or more")
    if rate_max is not None and rate_max <= 0:
        raise UsageError(f"--rate-max: {rate_max:g} is no rate")
    duration = times.checked_duration()
    goals = [read_goal(text) for text in dict.fromkeys(slo)]
    refuse_too_few_requests(goals, duration_s(duration), rate_max)
    return Asked(
        subject=subject,
        goals=goals,
        budget=times.budget,
        duration=duration,
        precision=precision,
        repeats=repeats,
        rate_max=rate_max,
        curve=curve,
        seed=random.SystemRandom().randrange(2**31) if seed is None else seed,
        generators=generators,
    )


def refuse_too_few_requests(
    goals: Sequence[Goal], duration_s: float, rate_max: float | None
) -> None:
    """Raise UsageError if no rate that may be tried has enough requests for a goal."""
    for goal in goals:
        lowest_per_s = goal.requests_min / duration_s
        if rate_max is not None and rate_max < lowest_per_s:
            raise UsageError(
                f"--rate-max={rate_max:g} has too few requests in {duration_s:g} s for "
                f"'{goal.text}': it takes {lowest_per_s:,.0f}/s, or a longer --duration"
            )


def begun(asked: Asked, out: GivenPath | None, where: Cluster, *, quiet: bool) -> int:
    """Make the folder of a new search, and run it."""
    refuse_wrong(asked)
    folder = new_folder(out, f"search-{asked.subject.folder_name}")
    with places_of(where, asked.generators) as places, made_and_locked(folder, COMMAND):
        study = Study.begin(folder, asked=asked, environment=doctor.environment())
        return search_to_page(study, places, quiet=quiet)


def resumed(folder: GivenPath, where: Cluster, *, quiet: bool) -> int:
    """Go on with a search that was stopped."""
    study = Study(folder)
    generators = study.asked(Asked, "search").generators
    where.expect_again(folder, generators)
    with places_of(where, generators) as places, locked(folder, COMMAND):
        return search_to_page(study, places, quiet=quiet)


def search_to_page(study: Study, places: Callable[[], Hosts], *, quiet: bool) -> int:
    """Run what is left of a search, then say and write what was found."""
    asked = study.asked(Asked, "search")
    screen = Screen(asked)
    if not (quiet or console.console.is_brief):
        goals = ", ".join(goal.text for goal in asked.goals)
        console.heading(f"{asked.subject.label}: the highest rate that keeps {goals}")
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
            f"stopped: {len(trials_of(study))} trials are kept; "
            f"`serverlab search --resume={study.path}` goes on"
        )
        return INTERRUPTED
    from serverlab.search.page import write_page  # noqa: PLC0415 - what draws takes long to load

    shown = result(asked, trials_of(study))
    study.write(RESULT, result_file(shown))
    page = write_page(study, shown)
    status = int(any(answer.highest_per_s is None for answer in shown.answers))
    if quiet:
        terminal.write((study.path / RESULT).read_text(encoding="utf-8"))
        return status
    show(shown)
    for sentence in hosts_sentences(study, shown):
        console.sentence(sentence)
    console.say(f"page: {page}")
    return status
