"""A report's figure beside ours: the same axes, and nothing that is not known."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from serverlab.analysis.results import results
from serverlab.claims.evidence import Evidence, Side
from serverlab.claims.excerpt import Excerpt
from serverlab.claims.figure import Figure, Mark, marks, points
from serverlab.claims.figure_chart import drawn
from serverlab.measures import GOODPUT
from tests.lab.report_data import write_run

RUN = Excerpt(name="run", file="run.toml", window_s=1, shortest_s=1, blocks=3)


def figure(**changes: Any) -> Figure:  # noqa: ANN401 - its fields
    fields: dict[str, Any] = {
        "id": "1.0",
        "title": "Throughput",
        "x": "clients",
        "y": "thousands of requests/s",
        "xs": ("1", "64", "1000", "5000"),
        "published": (*marks("poll", [(1, 200)]), Mark(series="poll", x="64", y=9, is_least=True)),
        "here": points(
            "poll", Side(measure=GOODPUT).at(engine="poll"), RUN, "connections", (1, 64), 1000
        ),
        "note": "It is.",
    }
    return Figure(**{**fields, **changes})


@pytest.fixture
def runs(tmp_path: Path) -> dict[str, Evidence]:
    return {"run": Evidence(shown=results(write_run(tmp_path / "run")))}


def domains(chart: Any) -> list[Any]:  # noqa: ANN401 - a chart
    layers = chart.chart.to_dict()["layer"]
    return [layer["encoding"]["y"]["scale"]["domain"] for layer in layers]


@pytest.mark.parametrize("has_bars", [False, True])
@pytest.mark.parametrize("is_log", [False, True])
def test_both_halves_have_the_same_axes(
    runs: dict[str, Evidence], *, has_bars: bool, is_log: bool
) -> None:
    found = drawn(figure(has_bars=has_bars, is_log=is_log), runs)
    assert found.published is not None
    assert found.here is not None
    ends = domains(found.published) + domains(found.here)
    assert all(one == ends[0] for one in ends)
    assert ends[0][0] < 9
    assert ends[0][1] > 200


def test_ours_are_medians_in_the_unit_of_the_axis(runs: dict[str, Evidence]) -> None:
    found = drawn(figure(), runs)
    assert found.here is not None
    rows = found.here.rows or []
    assert [(row["x"], row["figure"]) for row in rows] == [("1", "55.1"), ("64", "55.0")]


def test_what_the_report_says_only_the_least_of_is_marked(runs: dict[str, Evidence]) -> None:
    found = drawn(figure(), runs)
    assert found.published is not None
    exact, least = found.published.rows or []
    assert (exact["least"], least["least"]) == (False, True)
    assert least["figure"] == "more than 9.00"


def test_what_was_not_run_or_published_is_not_drawn(runs: dict[str, Evidence]) -> None:
    assert drawn(figure(), {}).here is None
    assert drawn(figure(published=()), runs).published is None
    beyond = points("poll", Side(measure=GOODPUT).at(engine="poll"), RUN, "connections", (5000,))
    assert drawn(figure(here=beyond), runs).here is None


@pytest.mark.parametrize(("is_log", "named"), [(True, ("poll, 1",)), (False, ())])
def test_a_zero_is_named_where_a_logarithmic_axis_cannot_show_it(
    runs: dict[str, Evidence], *, is_log: bool, named: tuple[str, ...]
) -> None:
    nothing = points(
        "poll", Side(measure=GOODPUT).at(engine="poll"), RUN, "connections", (1,), math.inf
    )
    assert drawn(figure(here=nothing, is_log=is_log), runs).zeros == named
