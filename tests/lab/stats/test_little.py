"""Little's law as a bound: what no closed loop can exceed, and what a report makes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from serverlab.analysis.results import results
from serverlab.report.details import HEAD, details_table
from serverlab.stats.little import ClosedLoop, broken, in_flight
from tests.lab.report_data import Record, write_run

if TYPE_CHECKING:
    from pathlib import Path


def test_a_hundred_places_of_a_millisecond_carry_a_hundred_thousand_a_second() -> None:
    assert ClosedLoop(places=100, shortest_s=0.001).rate_max_per_s == pytest.approx(100_000)
    thinking = ClosedLoop(places=100, shortest_s=0.001, think_s=0.009)
    assert thinking.rate_max_per_s == pytest.approx(10_000)
    assert in_flight(rate_per_s=10_000, time_s=0.001) == pytest.approx(10)


@given(
    places=st.integers(1, 20),
    shortest_s=st.floats(0.001, 0.1),
    window_s=st.floats(0.01, 2),
    seed=st.integers(0, 2**32),
)
def test_what_a_closed_loop_really_does_never_breaks_the_law(
    places: int, shortest_s: float, window_s: float, seed: int
) -> None:
    """A window falls anywhere on places that send one request after the other."""
    drawn = numpy.random.default_rng(seed)
    count = int((window_s + 1) / shortest_s) + 2
    times = shortest_s * (1 + drawn.exponential(0.1, (places, count)))
    ends = numpy.cumsum(times, axis=1) - drawn.uniform(0, 1)
    rate_per_s = float(((ends >= 0) & (ends < window_s)).sum()) / window_s
    assert broken(ClosedLoop(places=places, shortest_s=shortest_s), rate_per_s, window_s) == ""


def test_what_is_more_than_the_places_have_time_for_is_said_with_its_figures() -> None:
    loop = ClosedLoop(places=10, shortest_s=0.001)
    assert broken(loop, 10_300, 1) == (
        "10300 requests per second, where 10 in flight that take at least 1000.0 µs each allow "
        "10000"
    )
    assert broken(loop, 10_200, 1) == ""


def too_fast(trial: Record) -> Record:
    """The baseline, ten times as fast as its latency allows."""
    if trial["cell"]["engine"] != "poll":
        return trial
    rate = {**trial["load"]["rate"], "goodput_per_s": 10 * trial["load"]["rate"]["goodput_per_s"]}
    return {**trial, "load": {**trial["load"], "rate": rate}}


def test_a_trial_above_the_bound_is_impossible_and_in_no_figure(tmp_path: Path) -> None:
    shown = results(write_run(tmp_path, edit=too_fast))
    cells = [cell for cell in shown.cells if cell.subject == "poll"]
    assert {cell.verdict for cell in cells} == {"IMPOSSIBLE"}
    assert "requests per second, where 64 in flight" in cells[1].reason
    assert not any(cell.figures for cell in cells)


def test_every_closed_loop_shows_its_bound_and_how_near_it_comes(tmp_path: Path) -> None:
    shown = results(write_run(tmp_path))
    column = ["engine", "connections", *(name for name, _ in HEAD)].index("goodput at most")
    entries = [row[column] for row in details_table(shown.axes, shown.cells).rows]
    assert {entry.small for entry in entries} == {"50\u202f% of it reached"}


def test_an_open_loop_has_no_such_bound(tmp_path: Path) -> None:
    def opened(trial: Record) -> Record:
        load = trial["load"]
        return {**trial, "load": {**load, "load": {**load["load"], "model": "open"}}}

    shown = results(write_run(tmp_path, edit=opened))
    column = ["engine", "connections", *(name for name, _ in HEAD)].index("goodput at most")
    assert {row[column].text for row in details_table(shown.axes, shown.cells).rows} == {"–"}
