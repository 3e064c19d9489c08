"""A search in a terminal: each trial in a line, then what was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab import console
from serverlab.notation import NARROW_SPACE, count, readable
from serverlab.search.answer import knee_sentence
from serverlab.search.goals import Outcome, judge
from serverlab.search.search import CURVE, PEAK, rate_per_s

if TYPE_CHECKING:
    from serverlab.records import PlannedTrial, Trial
    from serverlab.running.events import Event
    from serverlab.search.answer import Result
    from serverlab.search.search import Asked

STYLES = {
    Outcome.KEPT: console.GOOD,
    Outcome.BROKEN: console.DOUBTFUL,
    Outcome.LATE: console.BAD,
    Outcome.FULL: console.BAD,
}
PURPOSES = {PEAK: "closed loop", CURVE: "curve"}


class Screen:
    """A search as it goes."""

    def __init__(self, asked: Asked) -> None:
        """For a search that is asked this."""
        self.asked = asked
        self.ticker = console.Ticker()

    def begin(self, trial: PlannedTrial) -> None:
        """A trial begins."""
        rate = f"{count(rate_per_s(trial))}/s" if rate_per_s(trial) else ""
        self.ticker.begin(f"  {purpose(str(trial.cell['length'])):<12}{rate:>10}")

    def event(self, event: Event) -> None:
        """The load says something."""
        self.ticker.event(event)

    def end(self, record: Trial) -> None:
        """A trial has ended; with several goals, the first that was not kept is named."""
        line = trial_line(record)
        if record.cell["length"] in PURPOSES:
            return self.ticker.end(line, record.verdict.name)
        judged = [(goal, *judge(record, goal)) for goal in self.asked.goals]
        goal, outcome, why = next((one for one in judged if one[1] is not Outcome.KEPT), judged[0])
        named = f"{goal.text}: " if len(judged) > 1 and why else ""
        return self.ticker.end(line, outcome, f"{named}{why}", style=STYLES[outcome])


def purpose(length: str) -> str:
    """What a trial is for."""
    return PURPOSES.get(length, f"{length} trial")


def trial_line(record: Trial) -> str:
    """A finished trial: what for, its rate, its median and p99."""
    load, what_for = record.load, f"  {purpose(str(record.cell['length'])):<12}"
    if load is None:
        return what_for
    rate = count(round(rate_per_s(record) or load.rate.goodput_per_s))
    p50, p99 = time_text(load.latency_ns.p50), time_text(load.latency_ns.p99)
    return f"{what_for}{rate:>8}/s  p50 {p50:>8}  p99 {p99:>8}"


def time_text(value_ns: float | None) -> str:
    """A latency in the unit that suits it; a dash where there is none."""
    return "–" if value_ns is None else readable(value_ns, "time").replace(NARROW_SPACE, " ")


def show(shown: Result) -> None:
    """The answers, and the curve."""
    console.say()
    for answer in shown.answers:
        console.heading(f"{answer.goal.text}: {answer.headline}")
        console.sentence(f"{answer.sentence} {answer.curve}".strip())
    if shown.points:
        curve = curve_cells(shown)
        table = console.table_of(*curve.head)
        for column in table.columns[:-1]:
            column.justify = "right"
        for row in curve.rows:
            table.add_row(*row)
        console.show(table)
        console.sentence(f"{knee_sentence(shown)} A star marks the loads from there on.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cells:
    """A table as text."""

    head: tuple[str, ...]
    rows: list[list[str]]


def curve_cells(shown: Result) -> Cells:
    """Each load of the curve; a star marks those above the knee."""
    head = ("load", "offered/s", "p50", "p99", "p99.9", "server CPU", "verdict")
    rows = []
    for point in shown.points:
        bends = shown.knee is not None and point.share >= shown.knee.at.share
        cpu = "–" if point.server_cpu_us is None else f"{point.server_cpu_us:.2f} µs"
        times = [time_text(value) for value in (point.p50_ns, point.p99_ns, point.p99_9_ns)]
        share = f"{'* ' if bends else ''}{point.share:.0%}"
        rows.append([share, count(round(point.offered_per_s)), *times, cpu, point.verdict])
    return Cells(head=head, rows=rows)
