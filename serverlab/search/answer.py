"""What a search has found, in words and as it is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from serverlab.design.subject import Subject  # noqa: TC001 - msgspec reads it
from serverlab.hosts_of_run import read_hosts
from serverlab.load_result import SCHEMA
from serverlab.notation import count
from serverlab.report.caveats import shared_machine
from serverlab.report.method import hosts
from serverlab.search import agreement
from serverlab.search.curve import RULE, Point, knee
from serverlab.search.goals import Outcome
from serverlab.search.search import (
    START_SHARE,
    answer,
    curve_checks,
    peak_per_s,
    points,
    terms,
    tried,
)
from serverlab.search.steps import Ending, Found, limit_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from serverlab.records import Trial
    from serverlab.running.study import Study
    from serverlab.search.curve import Knee
    from serverlab.search.goals import Goal
    from serverlab.search.search import Asked
    from serverlab.search.steps import Side, Tried

# Of the lowest rate, where that is not kept.
NOT_EVEN = {
    Ending.FOUND: "not kept even",
    Ending.CLIENT_LIMITED: "the generator, not the server, is the limit even",
    Ending.NETWORK_BOUND: "the network, not the server, is the limit even",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A goal's answer, as far as there is one."""

    goal: Goal
    found: Found
    sentence: str
    curve: str  # whether the curve confirms it, in a sentence; empty if it says nothing

    @property
    def headline(self) -> str:
        """The rate as one quotes it."""
        if self.highest_per_s is None:
            return "no rate"
        at_least = "" if self.found.ending is Ending.FOUND else "at least "
        return f"{at_least}{count(whole_number(self.highest_per_s))} requests/s"

    @property
    def highest_per_s(self) -> float | None:
        """The highest rate that was kept: settled, unless the time was over before."""
        return self.found.kept.rate_per_s if self.found.kept else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """All that a search has found."""

    asked: Asked
    records: Sequence[Trial]
    answers: list[Answer]
    points: list[Point]
    knee: Knee | None


def result(asked: Asked, records: Sequence[Trial]) -> Result:
    """What the trials say together; goals without an answer yet are left out."""
    curve = sorted(points(records), key=lambda point: point.share)
    ended = [
        (goal, one)
        for goal in asked.goals
        if isinstance(one := answer(asked, goal, records), Found)
    ]
    return Result(
        asked=asked,
        records=records,
        answers=[
            Answer(
                goal=goal,
                found=one,
                sentence=sentence(asked, goal, one, records),
                curve=confirmation(goal, one, records),
            )
            for goal, one in ended
        ],
        points=curve,
        knee=knee(curve),
    )


def confirmation(goal: Goal, one: Found, records: Sequence[Trial]) -> str:
    """Whether the curve confirms an answer; empty if that rests on the curve, too."""
    if one.ending in {Ending.OUT_OF_TIME, Ending.UNSETTLED}:
        return ""
    return agreement.sentence(list(curve_checks(goal, one, records).values()))


def sentence(asked: Asked, goal: Goal, one: Found, records: Sequence[Trial]) -> str:
    """A goal's answer as one says it."""
    said = words(asked, goal, one, records)
    return f"{said[0].upper()}{said[1:]}."


def words(asked: Asked, goal: Goal, one: Found, records: Sequence[Trial]) -> str:
    """The sentence, without its capital and its full stop."""
    kept, broken = one.kept, one.broken
    below = f"kept at {rate_text(kept)} in {share(kept, kept.kept)}" if kept else ""
    above = f"at {rate_text(broken)} not" if broken else ""
    because = f" ({broken.why})" if broken and broken.why else ""
    match one.ending:
        case Ending.FOUND:
            assert broken is not None
            missed = broken.trials - broken.kept
            return f"{below}, {above} in {share(broken, missed)}{because}"
        case Ending.CLIENT_LIMITED | Ending.NETWORK_BOUND:
            limit = "generator" if one.ending is Ending.CLIENT_LIMITED else "network"
            return (
                f"at least that: {below}; {above} because the {limit}, and not the server, was "
                f"the limit{because}"
            )
        case Ending.ALL_KEPT:
            return f"at least that: {below}, the highest rate that was asked for"
        case Ending.NONE_KEPT:
            assert broken is not None
            lowest = terms(asked, goal, records).lowest_per_s
            subject = NOT_EVEN[limit_of(broken)]
            return (
                f"{subject} at {count(round(lowest))}/s{because}, the lowest rate that has enough "
                f"requests in {asked.duration} for this percentile"
            )
        case Ending.UNSETTLED:
            why = lateness(tried(goal, records)) or "trials of the same rate kept disagreeing"
            return f"{known(one)}. Not settled: {why}"
        case Ending.OUT_OF_TIME:
            advice = lateness(tried(goal, records)) or "a longer --budget repeats these rates"
            return f"{known(one)}. Not settled within {asked.budget}: {advice}"


def known(one: Found) -> str:
    """What trials say that settle nothing: "at least 5 000/s, by 1 trial of 1; 6 251/s not"."""
    kept, broken = one.kept, one.broken
    said = ["no rate was kept"]
    if kept is not None:
        said = [f"at least {rate_text(kept)}, kept in {share(kept, kept.kept)}"]
    if broken is not None:
        because = f" ({broken.why})" if broken.why else ""
        missed = share(broken, broken.trials - broken.kept)
        said.append(f"{rate_text(broken)} not, in {missed}{because}")
    return "; ".join(said)


def lateness(own: Sequence[Tried]) -> str:
    """What to do if the generator was late in most trials, which more time does not change."""
    late = sum(one.outcome is Outcome.LATE for one in own)
    if 2 * late <= len(own):
        return ""
    return (
        f"the generator was late in {late} of {len(own)} trials, which more time does not change: "
        "let nothing else run on its CPUs, or give it others (--load-cpus, --load-threads)"
    )


def rate_text(side: Side) -> str:
    """A side's rate."""
    return f"{count(whole_number(side.rate_per_s))}/s"


def whole_number(rate_per_s: float) -> float:
    """A rate without the digits that shares of it have left."""
    return round(rate_per_s) if rate_per_s >= 100 else rate_per_s


def share(side: Side, agreeing: int) -> str:
    """How many of a side's trials agree."""
    return f"{agreeing} of {side.trials} trial{'' if side.trials == 1 else 's'}"


def knee_sentence(found: Result) -> str:
    """Where the curve bends, and by which rule."""
    if not found.points:
        return ""
    if found.knee is None:
        return f"There is no knee on this curve. {RULE}"
    at, after = found.knee.at, found.knee.after
    where = (
        f"between {count(round(after.offered_per_s))}/s and {count(round(at.offered_per_s))}/s "
        f"({after.share:.0%} and {at.share:.0%} of {whole(found)})"
        if after
        else f"below {count(round(at.offered_per_s))}/s"
    )
    return f"The knee lies {where}. {RULE}"


def whole(shown: Result) -> str:
    """What the curve's shares are of."""
    if any(answer.highest_per_s for answer in shown.answers):
        return "the highest rate that was found"
    return f"{START_SHARE:.0%} of the closed loop's goodput"


def hosts_sentences(study: Study, shown: Result) -> list[str]:
    """On which hosts a search ran; none if that was this machine."""
    found = read_hosts(study.path)
    return [*hosts(shown.asked.generators, shown.records, found), *shared_machine(found)]


class SideFound(msgspec.Struct, frozen=True, kw_only=True):
    """A rate, and what its trials of full length say."""

    rate_per_s: float
    trials: int
    kept: int
    broken: int
    generator_late: int
    network_full: int
    why: str


class GoalFound(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to a goal."""

    slo: str
    ending: Ending
    highest_per_s: float | None
    kept: SideFound | None
    not_kept: SideFound | None
    sentence: str
    curve: str


class KneeFound(msgspec.Struct, frozen=True, kw_only=True):
    """Where the curve bends."""

    after_per_s: float | None
    at_per_s: float
    rule: str = RULE


class ResultFile(msgspec.Struct, frozen=True, kw_only=True):
    """result.json (docs/results-schema.md)."""

    schema: int = SCHEMA
    command: str = "search"
    subject: Subject
    precision: float
    peak_goodput_per_s: float | None
    goals: list[GoalFound]
    curve: list[Point]
    knee: KneeFound | None
    trials: int


def result_file(shown: Result) -> ResultFile:
    """The result, as it is written."""
    return ResultFile(
        subject=shown.asked.subject,
        precision=shown.asked.precision,
        peak_goodput_per_s=peak_per_s(shown.records) if shown.records else None,
        goals=[
            GoalFound(
                slo=answer.goal.text,
                ending=answer.found.ending,
                highest_per_s=answer.highest_per_s,
                kept=side_found(answer.found.kept),
                not_kept=side_found(answer.found.broken),
                sentence=answer.sentence,
                curve=answer.curve,
            )
            for answer in shown.answers
        ],
        curve=shown.points,
        knee=None if shown.knee is None else knee_found(shown.knee),
        trials=len(shown.records),
    )


def knee_found(bend: Knee) -> KneeFound:
    """Where the curve bends, by its rates alone."""
    after = None if bend.after is None else bend.after.offered_per_s
    return KneeFound(after_per_s=after, at_per_s=bend.at.offered_per_s)


def side_found(side: Side | None) -> SideFound | None:
    """A side of an answer."""
    return (
        None
        if side is None
        else SideFound(
            rate_per_s=side.rate_per_s,
            trials=side.trials,
            kept=side.kept,
            broken=side.broken,
            generator_late=side.late,
            network_full=side.full,
            why=side.why,
        )
    )
