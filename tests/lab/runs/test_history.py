"""The history of a question: which runs tell it, and which of them are change points."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from serverlab.analysis.comparisons import Comparison
from serverlab.report.answer import Answer
from serverlab.runs.history import histories
from serverlab.runs.listed import ListedRun

DAY = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
Interval = tuple[float | None, float | None]


def run(
    day: int, ratio: float, interval: Interval, *, question: str = "Which?", floor: float = 1.01
) -> ListedRun:
    """A run that compared threads with poll."""
    found = Comparison(
        level={"connections": 64},
        measure="goodput",
        baseline="poll",
        subject="threads",
        ratio=ratio,
        low=interval[0],
        high=interval[1],
        verdict="lower",
        noise_floor=floor,
    )
    return ListedRun(
        folder=Path(f"runs/{day}"),
        planned_at=DAY + datetime.timedelta(days=day),
        question=question,
        answer=Answer(question=question, answer="", comparisons=[found], limits=[]),
    )


def changes(*runs: ListedRun) -> list[bool]:
    """Whether each run is a change point; they come the oldest first, and ask the same."""
    [history] = histories(runs[::-1])
    [series] = history.series
    return [point.changed for point in series.points]


def test_a_run_whose_interval_is_apart_is_a_change_point() -> None:
    steady, slower = (0.88, 0.92), (0.68, 0.72)
    assert changes(run(1, 0.9, steady), run(2, 0.9, steady)) == [False, False]
    assert changes(run(1, 0.9, steady), run(2, 0.7, slower), run(3, 0.7, slower)) == [
        False,
        True,
        False,
    ]
    assert changes(run(1, 0.7, slower), run(2, 0.9, steady)) == [False, True]


@pytest.mark.parametrize("interval", [(None, None), (0.68, None), (0.68, 0.88)])
def test_an_interval_that_reaches_the_one_before_or_has_no_end_is_none(interval: Interval) -> None:
    assert changes(run(1, 0.9, (0.88, 0.92)), run(2, 0.7, interval)) == [False, False]


def test_a_change_below_the_noise_floor_is_none() -> None:
    before = run(1, 0.99, (0.989, 0.991))
    assert changes(before, run(2, 0.97, (0.969, 0.971))) == [False, True]
    assert changes(before, run(2, 0.97, (0.969, 0.971), floor=1.05)) == [False, False]


def test_each_question_has_its_own_history_that_of_the_newest_run_first() -> None:
    runs = [run(day, 0.9, (0.8, 1.0), question=asked) for day, asked in ((3, "A?"), (2, "B?"))]
    runs.append(run(1, 0.9, (0.8, 1.0), question="A?"))
    found = histories(runs)
    assert [one.question for one in found] == ["A?", "B?"]
    assert [len(one.runs) for one in found] == [2, 1]
    assert [len(one.series) for one in found] == [1, 0]
