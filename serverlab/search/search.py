"""Runs a search: trial after trial, each on disk before the next is chosen."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from serverlab import wrong_reply
from serverlab.design.catalog import catalog
from serverlab.design.plan import told_load, told_server, trial_s
from serverlab.design.subject import Subject  # noqa: TC001 - msgspec reads it
from serverlab.errors import LabError, UsageError
from serverlab.quantities import budget_s, duration_s
from serverlab.records import PlannedTrial
from serverlab.running.checks import ADDRESS, LOAD, SERVER, require
from serverlab.running.host import HERE
from serverlab.running.network import with_network
from serverlab.running.runner import refuse_unmeasurable_build
from serverlab.running.study import ASKED, Question, run_trial
from serverlab.running.trial import SERVER_DIED, now, verdict_of
from serverlab.search.agreement import Check, checks
from serverlab.search.curve import SHARES, Point, point_of
from serverlab.search.goals import Goal, judge
from serverlab.search.steps import Ending, Found, Length, Step, Terms, Tried, next_step, so_far
from serverlab.verdicts import VerdictName

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from serverlab.quantities import Level
    from serverlab.records import Trial
    from serverlab.running.events import Event
    from serverlab.running.host import Hosts
    from serverlab.running.study import Study

OF_GOALS = {str(length): length for length in Length}
PEAK, CURVE = "peak", "curve"  # lengths of trials that belong to no goal
SHORT_SHARE = 0.1  # of the full window
SHORT_MIN_S = 1.0
SHORT_WARMUP = "200ms"
START_SHARE = 0.5  # of the peak of a closed loop, where a search begins
# Set by the search for each trial.
KEPT = {"model", "rate", "duration", "seed", "slice", "order", "backlog-max"}


class Asked(Question, frozen=True, kw_only=True):
    """What a search is asked."""

    subject: Subject
    goals: list[Goal]
    budget: str = ""  # empty: as long as it takes
    duration: str
    precision: float
    repeats: int
    rate_max: float | None
    curve: bool
    seed: int
    generators: int = 0  # on hosts of their own; 0: one, beside the server
    command: str = "search"


class Display(Protocol):
    """What shows a search as it goes."""

    def begin(self, trial: PlannedTrial) -> None:
        """A trial begins."""

    def event(self, event: Event) -> None:
        """The load of the trial says something."""

    def end(self, record: Trial) -> None:
        """A trial has ended."""


def run(study: Study, display: Display, places: Callable[[], Hosts] = lambda: HERE) -> None:
    """Run the trials that are missing until every goal has its answer, and the curve is drawn.

    `places` is asked before each trial for the hosts that it is to have.
    """
    refuse_unmeasurable_build()
    study.mend()
    asked = study.asked(Asked, "search")
    asked.subject.check(study.path / ASKED, catalog())
    records = trials_of(study)
    while (trial := next_trial(asked, records)) is not None:
        display.begin(trial)
        record = run_on(places, study, trial, asked.subject, display)
        refuse_useless(study, record)
        study.append(record)
        records.append(record)
        display.end(record)


def run_on(
    places: Callable[[], Hosts],
    study: Study,
    trial: PlannedTrial,
    subject: Subject,
    display: Display,
) -> Trial:
    """The record of a trial, also of one for which there are no hosts."""
    try:
        hosts = with_network(places(), study)
    except LabError as error:
        return trial.ended(now(), verdict_of(error))
    return run_trial(trial, subject, study.logs, display.event, hosts)


def trials_of(study: Study) -> list[Trial]:
    """The trials that are on disk. Raises UsageError for one that no search has run."""
    trials = study.records()
    for trial in trials:
        numbers = ("rate", "share") if trial.cell.get("length") == CURVE else ("rate",)
        values = [trial.cell.get(name) for name in numbers]
        if "length" not in trial.cell or not all(isinstance(one, int | float) for one in values):
            raise UsageError(f"{study.trials}: {trial.trial} is no trial of a search")
    if trials and trials[0].load is None:
        raise UsageError(f"{study.trials}: {trials[0].trial}, the first, has no result")
    return trials


def refuse_wrong(asked: Asked) -> None:
    """Raise LabError if the programs would not start with what is asked: at a rate, or without."""
    trials = [trial_of(asked, 1, PEAK, 0, {}), trial_of(asked, 2, Length.FULL, 1000, {})]
    if asked.subject.target is None and asked.subject.contestant is None:
        require(SERVER, told_server(trials[0]))
    address = asked.subject.target or ADDRESS
    require(LOAD, *(told_load(trial, [address]) for trial in trials))


def refuse_useless(study: Study, record: Trial) -> None:
    """Raise LabError for a trial after which no other one makes sense, or that says nothing.

    A server that dies at a rate does not keep it. Any other failure is not the server's.
    """
    verdict, load = record.verdict, record.load
    if verdict.name == VerdictName.UNSUPPORTED:
        raise LabError(verdict.reason)
    if record.cell["length"] == PEAK and not (load and load.rate.goodput_per_s):
        wrong = None if load is None else load.requests.wrong_reply
        if wrong is not None:
            said = wrong_reply.sentence(wrong, record.service, record.load_settings)
            raise LabError(f"no reply of the server is right: {said}")
        raise LabError(f"the server did not reply: {verdict.reason}")
    if verdict.name == VerdictName.FAILED and not verdict.reason.startswith(SERVER_DIED):
        raise LabError(
            f"{record.trial} failed: {verdict.reason}; the trials before it are kept: "
            f"`serverlab search --resume={study.path}` goes on"
        )


def next_trial(asked: Asked, records: Sequence[Trial]) -> PlannedTrial | None:
    """The trial that the others leave to be run; None if there is nothing more to find out."""
    if not records:
        return trial_of(asked, 1, PEAK, 0, {})
    number = len(records) + 1
    for goal in asked.goals:
        step = found(asked, goal, records)
        if isinstance(step, Step):
            return trial_of(asked, number, step.length, step.rate_per_s, {})
    if asked.curve and (load := load_of_curve(asked, records)) is not None:
        share, rate = load
        return trial_of(asked, number, CURVE, rate, {"share": share})
    return None


def load_of_curve(asked: Asked, records: Sequence[Trial]) -> tuple[float, float] | None:
    """The share and the rate that the curve lacks, or that contradicts an answer: once more."""
    done = loads(records)
    for share in SHARES:
        if share not in done:
            return share, share * reference_per_s(asked, records)
    for share, trials in done.items():
        if is_over(asked, records):
            break
        if len(trials) < asked.repeats and is_in_doubt(asked, share, records):
            return share, rate_per_s(trials[0])
    return None


def answer(asked: Asked, goal: Goal, records: Sequence[Trial]) -> Step | Found:
    """A goal's answer. If it was not settled, the curve is evidence, too.

    Nor is it if the generator was too late even for the lowest rate.
    """
    one = found(asked, goal, records)
    if not isinstance(one, Found):
        return one
    was_late = one.kept is None and one.broken is not None and one.broken.late > one.broken.broken
    if one.ending is not Ending.OUT_OF_TIME and not was_late:
        return one
    known = so_far(evidence(goal, records), asked.repeats)
    if one.ending is Ending.OUT_OF_TIME:
        return known
    return one if known.kept is None else replace(known, ending=Ending.UNSETTLED)


def evidence(goal: Goal, records: Sequence[Trial]) -> list[Tried]:
    """All trials at a rate, those of the curve as of full length, which they are."""
    return tried(goal, records, {**OF_GOALS, CURVE: Length.FULL})


def is_in_doubt(asked: Asked, share: float, records: Sequence[Trial]) -> bool:
    """Whether a load of the curve contradicts an answer, and might not if it is repeated."""
    answers = [(goal, found(asked, goal, records)) for goal in asked.goals]
    found_checks = [
        curve_checks(goal, one, records) for goal, one in answers if isinstance(one, Found)
    ]
    return any(share in checked and checked[share].is_in_doubt for checked in found_checks)


def curve_checks(goal: Goal, one: Found, records: Sequence[Trial]) -> dict[float, Check]:
    """What the curve says of a goal's answer, by the shares of its loads."""
    long_enough = {
        share: kept
        for share, trials in loads(records).items()
        if (kept := [trial for trial in trials if is_long_enough(trial, goal)])
    }
    return checks(long_enough, goal, one)


def found(asked: Asked, goal: Goal, records: Sequence[Trial]) -> Step | Found:
    """What a goal's own trials say: the next one, or the answer."""
    own = tried(goal, records)
    step = next_step(own, terms(asked, goal, records))
    kept_s = curve_s(asked) if asked.curve else 0.0
    if isinstance(step, Step) and is_over(asked, records, kept_s=kept_s):
        return so_far(own, asked.repeats)
    return step


def is_over(asked: Asked, records: Sequence[Trial], *, kept_s: float = 0) -> bool:
    """Whether the budget is spent but for what is kept of it, by the trials that are on disk."""
    if not asked.budget:
        return False
    whole_s = budget_s(asked.budget)
    return sum(map(trial_s, records)) >= max(whole_s - kept_s, whole_s / 2)


def curve_s(asked: Asked) -> float:
    """How long the curve takes, about."""
    return len(SHARES) * trial_s(trial_of(asked, 1, CURVE, 1, {}))


def tried(
    goal: Goal, records: Sequence[Trial], lengths: Mapping[str, Length] = OF_GOALS
) -> list[Tried]:
    """Each trial at a rate, as a goal sees it: several goals share their trials.

    A trial that was too short for this goal, because another one needs fewer requests, is none.
    """
    return [
        Tried(
            rate_per_s=rate_per_s(record),
            length=lengths[str(record.cell["length"])],
            outcome=outcome,
            why=why,
        )
        for record in records
        if record.cell["length"] in lengths and is_long_enough(record, goal)
        for outcome, why in [judge(record, goal)]
    ]


def rate_per_s(trial: PlannedTrial) -> float:
    """The rate of a trial; 0 of the closed loop, which has none."""
    return float(trial.cell["rate"])


def is_long_enough(trial: PlannedTrial, goal: Goal) -> bool:
    """Whether a trial was planned with as many requests as a goal needs."""
    planned_s = duration_s(trial.load_settings["duration"])
    return planned_s * rate_per_s(trial) >= 0.99 * goal.requests_min


def terms(asked: Asked, goal: Goal, records: Sequence[Trial]) -> Terms:
    """Where to look for a goal's rate: above what its percentiles need, around the peak."""
    return Terms(
        lowest_per_s=goal.requests_min / duration_s(asked.duration),
        highest_per_s=asked.rate_max or math.inf,
        start_per_s=START_SHARE * peak_per_s(records),
        precision=asked.precision,
        repeats=asked.repeats,
    )


def peak_per_s(records: Sequence[Trial]) -> float:
    """The goodput of the closed loop with which a search begins."""
    first = records[0].load
    assert first is not None, "`trials_of` has refused the others"
    return first.rate.goodput_per_s


def reference_per_s(asked: Asked, records: Sequence[Trial]) -> float:
    """What the curve's shares are of: the highest rate that kept a goal, else the start."""
    endings = [found(asked, goal, records) for goal in asked.goals]
    kept = [
        one.kept.rate_per_s for one in endings if isinstance(one, Found) and one.kept is not None
    ]
    return max(kept, default=START_SHARE * peak_per_s(records))


def loads(records: Sequence[Trial]) -> dict[float, list[Trial]]:
    """The trials of each load of the curve, by its share."""
    by_share: dict[float, list[Trial]] = {}
    for record in records:
        if record.cell["length"] == CURVE:
            by_share.setdefault(float(record.cell["share"]), []).append(record)
    return by_share


def points(records: Sequence[Trial]) -> list[Point]:
    """The curve, as far as it has come; of a load that was repeated, the middle one by its p99."""
    curve = []
    for share, trials in loads(records).items():
        made = [point for trial in trials if (point := point_of(share, trial)) is not None]
        if made:
            curve.append(sorted(made, key=p99_or_infinite)[(len(made) - 1) // 2])
    return curve


def p99_or_infinite(point: Point) -> float:
    """Its p99; infinite among the unanswered."""
    return math.inf if point.p99_ns is None else point.p99_ns


def trial_of(
    asked: Asked, number: int, length: str, rate_per_s: float, cell: dict[str, Level]
) -> PlannedTrial:
    """Resolve a step to what is passed to the two programs."""
    subject = asked.subject
    load = {"warmup": "1s", **subject.load_settings, "seed": str(asked.seed + number)}
    load["duration"] = asked.duration
    if length in {PEAK, Length.SHORT}:
        needed_s = 0.0
        if length == Length.SHORT:
            needed_s = max(goal.requests_min for goal in asked.goals) / rate_per_s
        full_s = duration_s(asked.duration)
        short_s = max(SHORT_MIN_S, SHORT_SHARE * full_s, needed_s)
        load |= {"duration": f"{min(full_s, short_s):.3f}s", "warmup": SHORT_WARMUP}
    if length == PEAK:
        unused = catalog().unused("closed", load)
        load = {name: value for name, value in load.items() if name not in unused}
    else:
        load |= {"model": "open", "rate": f"{rate_per_s:.10g}"}
    return PlannedTrial(
        trial=f"{number:03}-{length}",
        block=1,
        order=number,
        cell={"length": str(length), "rate": rate_per_s, **cell},
        engine=subject.engine or "",
        service=subject.service,
        server_settings=subject.server_settings,
        load_settings=load,
        contestant=subject.contestant,
    )
