"""Flame graphs: boxes stand on their callers, and are as wide as what they take."""

from __future__ import annotations

import pytest

from serverlab.report.flame_charts import Flames, flame_chart, flame_rows, flames_of, label
from serverlab.slices import SampledStack

STACKS = [
    SampledStack(["main", "loop", "read"], 30),
    SampledStack(["main", "loop", "write"], 50),
    SampledStack(["main", "loop"], 10),
    SampledStack(["main", "stop"], 10),
]
FIRST = Flames(subject="first", stacks=STACKS, cpu_ns=10_000)
SECOND = Flames(
    subject="second",
    stacks=[SampledStack(["main", "loop", "read"], 60), SampledStack(["main", "poll"], 40)],
    cpu_ns=20_000,
)


def test_a_box_is_as_wide_as_it_and_what_it_calls_take() -> None:
    rows = {row["function"]: row for row in flame_rows(FIRST, None)}
    widths = {name: float(str(row["to"])) - float(str(row["from"])) for name, row in rows.items()}
    assert widths == pytest.approx({"main": 10, "loop": 9, "read": 3, "write": 5, "stop": 1})
    assert [rows[name]["depth"] for name in ("main", "loop", "stop", "write")] == [0, 1, 1, 2]


def test_boxes_lie_within_their_callers_and_beside_each_other() -> None:
    rows = {row["function"]: row for row in flame_rows(FIRST, None)}

    def ends(name: str) -> tuple[float, float]:
        return float(str(rows[name]["from"])), float(str(rows[name]["to"]))

    assert ends("main") == (0, 10)
    for above, below in (("loop", "main"), ("stop", "main"), ("read", "loop"), ("write", "loop")):
        assert ends(below)[0] <= ends(above)[0] <= ends(above)[1] <= ends(below)[1]
    assert ends("read")[1] <= ends("write")[0]
    assert ends("loop")[1] <= ends("stop")[0]


def test_a_difference_is_in_time_of_a_request_and_not_in_samples() -> None:
    more = {row["function"]: row["more"] for row in flame_rows(SECOND, FIRST)}
    assert more == pytest.approx({"main": 10, "loop": 12 - 9, "read": 12 - 3, "poll": 8})


def test_narrow_boxes_are_left_out_and_labels_fit() -> None:
    stacks = [SampledStack(["main"], 10_000), SampledStack(["main", "rare"], 5)]
    rows = flame_rows(Flames(subject="x", stacks=stacks, cpu_ns=1000), None)
    assert [row["function"] for row in rows] == ["main"]
    assert label("a_function", 0.001) == ""
    assert label("a_long_name_of_a_function", 0.05) == "a_long_n…"
    assert label("short", 0.05) == "short"


def test_servers_without_samples_have_no_graph() -> None:
    stacks = {"first": STACKS, "second": []}
    assert [one.subject for one in flames_of(stacks, {"first": 1.0, "second": 1.0})] == ["first"]


def test_the_charts_are_valid() -> None:
    for base in (None, FIRST):
        flame_chart("flames", SECOND, base).chart.to_dict()
