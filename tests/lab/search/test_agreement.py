"""The curve of a search confirms its answer, or the answer says that it does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from serverlab.load_result import LoadResult, Verdict
from serverlab.records import PlannedTrial, Trial
from serverlab.search.answer import result, result_file
from serverlab.search.curve import SHARES
from serverlab.search.search import next_trial
from tests.lab import report_data
from tests.lab.search_data import ASKED

if TYPE_CHECKING:
    from collections.abc import Callable

CAPACITY_PER_S = 50_000.0
CALM_NS, QUEUED_NS = 1_000_000, 9_000_000


def trial_of_capacity(planned: PlannedTrial, capacity_per_s: float) -> Trial:
    """What a server of this capacity does: at a higher rate its requests queue up."""
    rate_per_s = float(planned.cell["rate"])
    load = report_data.load(connections=8, goodput=rate_per_s or capacity_per_s)
    p99_ns = CALM_NS if rate_per_s <= capacity_per_s else QUEUED_NS
    load["latency_ns"] = {"p50": CALM_NS, "p90": CALM_NS, "p99": p99_ns, "p99_9": QUEUED_NS}
    return planned.ended("", Verdict("VALID", ""), load=msgspec.convert(load, LoadResult))


def searched(capacity_of: Callable[[PlannedTrial, int], float]) -> list[Trial]:
    """A whole search of a server whose capacity may change: by a trial, and how often its rate was.

    Of the curve alone how often a load was tried counts.
    """
    records: list[Trial] = []
    while (planned := next_trial(ASKED, records)) is not None:
        times = sum(one.cell == planned.cell for one in records)
        records.append(trial_of_capacity(planned, capacity_of(planned, times)))
    return records


def curve_of(records: list[Trial]) -> list[object]:
    return [one.cell["share"] for one in records if one.cell["length"] == "curve"]


def test_a_curve_of_the_same_server_confirms_the_answer() -> None:
    records = searched(lambda *_: CAPACITY_PER_S)
    assert curve_of(records) == list(SHARES)
    [answer] = result(ASKED, records).answers
    assert answer.curve == "The curve confirms it."
    assert answer.highest_per_s == pytest.approx(CAPACITY_PER_S, rel=0.03)


def test_one_disturbed_load_is_repeated_and_contradicts_nothing() -> None:
    def disturbed(planned: PlannedTrial, times: int) -> float:
        return 1.0 if planned.cell.get("share") == 0.5 and times == 0 else CAPACITY_PER_S

    records = searched(disturbed)
    assert curve_of(records) == [*SHARES, 0.5, 0.5]
    found = result(ASKED, records)
    assert [answer.curve for answer in found.answers] == ["The curve confirms it."]
    assert {point.p99_ns for point in found.points if point.share == 0.5} == {CALM_NS}


def test_a_server_that_has_become_slower_contradicts_its_answer() -> None:
    def slower(planned: PlannedTrial, _: int) -> float:
        return (0.85 if "share" in planned.cell else 1.0) * CAPACITY_PER_S

    records = searched(slower)
    assert curve_of(records) == [*SHARES, 0.9, 0.9, 1.0, 1.0]
    [goal] = result_file(result(ASKED, records)).goals
    assert goal.curve.startswith("The curve contradicts it: 3 of 3 trials at 4")
    assert goal.curve.count("/s, no higher, did not keep it") == 2


def test_a_server_that_has_become_faster_contradicts_its_answer() -> None:
    def faster(planned: PlannedTrial, _: int) -> float:
        return (1.15 if "share" in planned.cell else 1.0) * CAPACITY_PER_S

    [answer] = result(ASKED, searched(faster)).answers
    assert "The curve contradicts it: 3 of 3 trials at 5" in answer.curve
    assert answer.curve.count("/s, higher, kept it") == 1
