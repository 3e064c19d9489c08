"""The wording of a standing: each case that a level of a run can present, and what is said."""

from __future__ import annotations

import itertools
from statistics import median

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from serverlab.analysis.cells import Cell, Figure
from serverlab.analysis.standings import (
    BY_GOODPUT,
    BY_SERVER_CPU,
    Criterion,
    Standing,
    beaten_pairs,
    best_first,
    standing,
)
from serverlab.analysis.subjects import Subjects
from serverlab.measures import GOODPUT, SERVER_CPU
from serverlab.notation import NARROW_SPACE
from serverlab.report.sentences import clause, sentence
from serverlab.stats.paired import Ratio

BASELINE, TWIN = "poll", "poll again"
SUBJECTS = Subjects(
    between=("engine",), names=(), baseline=BASELINE, twin=TWIN, twin_engine=TWIN, twin_of=BASELINE
)


def cell(engine: str, *values: float, measure: str = GOODPUT.name) -> Cell:
    """A cell of which only one measure is known, a value a block; none is a cell without any."""
    by_block = dict(enumerate(values, start=1))
    figures = {}
    if values:
        middle = sorted(values)[len(values) // 2]
        figure = Figure(value=middle, low=min(values), high=max(values), by_block=by_block)
        figures[measure] = figure
    return Cell(
        subject=engine, levels={}, level=64, panel=0, planned=3, trials=(), figures=figures,
        rejected={},
    )  # fmt: skip


def standing_of(*cells: Cell, criterion: Criterion = BY_GOODPUT) -> Standing:
    return standing(cells, criterion, SUBJECTS)


def plain(text: str) -> str:
    return text.replace(NARROW_SPACE, " ")


CASES = {
    "none was measured": ([cell("poll"), cell("threads")], "No valid trial gave it."),
    "one engine, one block": (
        [cell("poll", 1000)],
        "`poll` has a goodput of 1 000 requests/s.",
    ),
    "one engine, three blocks": (
        [cell("poll", 1000, 900, 1100), cell("threads")],
        "`poll` has a goodput of 1 000 requests/s (900 to 1 100 requests/s over the blocks).",
    ),
    "a clear winner": (
        [cell("poll", 1000, 1010, 990), cell("threads", 1500, 1510, 1490)],
        ("`threads` has the highest goodput: 1 500 requests/s, 1.50 times that of `poll` "
        "(1.49 to 1.51)."),
    ),
    "the baseline wins over one": (
        [cell("poll", 1000, 1010, 990), cell("threads", 500, 510, 490)],
        ("The baseline `poll` has the highest goodput: 1 000 requests/s, `threads` 0.500 times "
        "that (0.488 to 0.513)."),
    ),
    "the baseline wins over several": (
        [cell("poll", 1000, 1000, 1000), cell("a", 500, 500, 500), cell("b", 800, 800, 800)],
        ("The baseline `poll` has the highest goodput: 1 000 requests/s, the others 0.500 to 0.800 "
        "times that (intervals within 0.500 to 0.800)."),
    ),
    "two are level": (
        [cell("poll", 1000, 900, 1100), cell("threads", 1020, 950, 1040)],
        "`poll` and `threads` are not distinguishable here in goodput: 1 000 to 1 020 requests/s.",
    ),
    "many are level": (
        [cell(engine, 1000, 900, 1100) for engine in ("poll", "a", "b", "c")],
        "The 4 engines are not distinguishable here in goodput: 1 000 requests/s.",
    ),
    "one block tells nothing apart": (
        [cell("poll", 1000), cell("threads", 5000)],
        "`poll` and `threads` are not distinguishable here in goodput: 1 000 to 5 000 requests/s.",
    ),
    "the baseline and another lead": (
        [cell("poll", 1000, 900, 1100), cell("a", 1000, 1100, 900), cell("b", 500, 450, 550)],
        ("The baseline `poll` and `a` have the highest goodput and are not distinguishable here: "
        "1 000 requests/s, `b` 0.500 times that of `poll` (0.325 to 0.768)."),
    ),
    "two others lead": (
        [cell("poll", 500, 450, 550), cell("a", 1000, 900, 1100), cell("b", 1000, 1100, 900)],
        ("`a` and `b` have the highest goodput and are not distinguishable here: 1 000 requests/s, "
        "2.00 times that of `poll` (intervals within 1.30 to 3.07)."),
    ),
    "all but one lead": (
        [cell("low", 500, 450, 550), *(cell(one, 1000, 900, 1100) for one in ("a", "b", "c", "d"))],
        ("All engines but `low` have the highest goodput and are not distinguishable here: "
        "1 000 requests/s."),
    ),
    "all that could be measured but one lead": (
        [
            cell("low", 500, 450, 550),
            *(cell(one, 1000, 900, 1100) for one in ("a", "b", "c", "d")),
            cell("failed"),
        ],
        ("`a`, `b`, `c` and `d` have the highest goodput and are not distinguishable here: "
        "1 000 requests/s."),
    ),
    "the baseline failed": (
        [cell("poll"), cell("a", 1000, 1000, 1000), cell("b", 500, 500, 500)],
        "`a` has the highest goodput: 1 000 requests/s, `b` 0.500 times that (0.500 to 0.500).",
    ),
    "a difference within the noise floor": (
        [
            cell("poll", 1000, 1000, 1000),
            cell("poll again", 1040, 1050, 960),
            cell("threads", 1030, 1030, 1030),
        ],
        "`poll` and `threads` are not distinguishable here in goodput: 1 000 to 1 030 requests/s.",
    ),
    "a difference beyond the noise floor": (
        [
            cell("poll", 1000, 1000, 1000),
            cell("poll again", 1010, 1000, 990),
            cell("threads", 1030, 1030, 1030),
        ],
        ("`threads` has the highest goodput: 1 030 requests/s, 1.030 times that of `poll` "
        "(1.014 to 1.046)."),
    ),
    "blocks that are not shared": (
        [
            Cell(
                subject="poll", levels={}, level=64, panel=0, planned=3, trials=(), rejected={},
                figures={"goodput": Figure(value=100, low=100, high=100, by_block={7: 100})},
            ),
            cell("threads", 1000, 1000),
        ],
        "`poll` and `threads` are not distinguishable here in goodput: 100 to 1 000 requests/s.",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("cells", "expected"), CASES.values(), ids=CASES.keys())
def test_a_standing_is_put_into_words(cells: list[Cell], expected: str) -> None:
    assert plain(sentence(standing_of(*cells))) == expected


def test_of_a_cost_the_least_is_the_best() -> None:
    cells = [
        cell("poll", 10_000, 10_000, 10_000, measure=SERVER_CPU.name),
        cell("threads", 8_000, 8_000, 8_000, measure=SERVER_CPU.name),
    ]
    assert plain(sentence(standing_of(*cells, criterion=BY_SERVER_CPU))) == (
        "`threads` has the lowest server CPU per request: 8.00 µs, 0.800 times that of `poll` "
        "(0.800 to 0.800)."
    )


def test_an_engine_beaten_by_any_does_not_lead() -> None:
    """A wide spread is no merit: it may hide from the best, but not from one that is steady."""
    best, steady = cell("best", 1290, 1420, 1300), cell("steady", 1300, 1300, 1300)
    wide = cell("wide", 1100, 1500, 1200)
    assert [leader.subject for leader in standing_of(best, wide).leaders] == ["best", "wide"]
    beaten = cell("beaten", 1000, 1000, 1000)
    found = standing_of(best, steady, wide, beaten)
    assert [leader.subject for leader in found.leaders] == ["best", "steady", "wide"]
    assert [other.subject for other in found.others] == ["beaten"]


def test_an_engine_below_a_beaten_one_does_not_lead() -> None:
    """Seen: `poll` among the leaders at 0.986 of `epoll-level`, which was beaten."""
    cells = [
        cell("poll", 1000, 1000, 1000),
        cell("best", 1100, 1101, 1099),
        cell("noisy", 700, 1600, 800),
    ]
    found = standing_of(*cells)
    assert [one.subject for one in found.leaders] == ["best"]
    assert [one.subject for one in found.undecided] == ["noisy"]
    assert plain(sentence(found)) == (
        "`best` has the highest goodput: 1 100 requests/s, 1.10 times that of `poll` "
        "(1.10 to 1.10). Not decided: whether `noisy` leads too."
    )


figures = st.dictionaries(st.integers(1, 4), st.integers(90, 110), max_size=4)


@settings(derandomize=True, max_examples=200, deadline=None)
@given(
    table=st.lists(figures, min_size=1, max_size=6),
    steady=st.booleans(),
    criterion=st.sampled_from([BY_GOODPUT, BY_SERVER_CPU]),
)
def test_no_engine_stands_above_a_leader_without_being_one(
    table: list[dict[int, int]],
    steady: bool,  # noqa: FBT001 - hypothesis draws it
    criterion: Criterion,
) -> None:
    """Of any figures, in any blocks; of `steady` engines most pairs are decided."""
    names = ["poll", "poll again", "a", "b", "c", "d"]
    cells = [
        of_blocks(name, {block: 100 * number + value / 50 for block, value in values.items()})
        if steady
        else of_blocks(name, {block: float(value) for block, value in values.items()})
        for number, (name, values) in enumerate(zip(names, table, strict=False), start=1)
    ]
    found = standing_of(*cells, criterion=criterion)
    measured = [one for one in cells if one.figures and one.subject != TWIN]
    assert {*found.leaders, *found.others} == set(measured)
    assert found.leaders or not measured
    ordered = best_first(measured, found.ratios, criterion, found.baseline)
    assert ordered[: len(found.leaders)] == sorted(found.leaders, key=ordered.index)
    for leader, other in itertools.permutations(found.leaders, 2):
        assert not found.beats(leader, other)
    for one in found.undecided:
        assert one in found.others
        assert not any(found.beats(other, one) for other in measured)


def of_blocks(engine: str, by_block: dict[int, float]) -> Cell:
    """A cell with a goodput and a cost in these blocks."""
    values = list(by_block.values())
    figure = Figure(
        value=median(values) if values else 0, low=min(values, default=0),
        high=max(values, default=0), by_block=by_block,
    )  # fmt: skip
    return Cell(
        subject=engine, levels={}, level=64, panel=0, planned=4, trials=(), rejected={},
        figures={measure.name: figure for measure in (GOODPUT, SERVER_CPU)} if values else {},
    )  # fmt: skip


def test_leaders_are_named_in_the_order_of_the_plan_whatever_their_figures() -> None:
    low = [cell("a", 990, 1000, 1010), cell("b", 1000, 990, 1020), cell("c", 500, 500, 500)]
    high = [cell("a", 1000, 990, 1020), cell("b", 990, 1000, 1010), cell("c", 500, 500, 500)]
    names = [[leader.subject for leader in standing_of(*cells).leaders] for cells in (low, high)]
    assert names == [["a", "b"], ["a", "b"]]


def test_more_than_six_names_are_counted() -> None:
    level = [cell(f"e{number}", 1000, 900, 1100) for number in range(1, 9)]
    behind = [cell(f"f{number}", 100, 90, 110) for number in range(1, 4)]
    assert sentence(standing_of(*level, *behind)).startswith(
        "`e1`, `e2`, `e3`, `e4`, `e5` and 3 more have the highest goodput"
    )


def test_a_clause_has_no_brackets_of_its_own() -> None:
    found = standing_of(cell("poll", 1000, 1010, 990), cell("threads", 1500, 1510, 1490))
    assert clause(found) == "1.50 times that of `poll`, 1.49 to 1.51"


def test_what_one_pair_would_prove_one_of_many_does_not() -> None:
    better = Ratio(estimate=1.1, low=1.01, high=1.2, pairs=3, p_value=0.03)
    alike = Ratio(estimate=1, low=0.9, high=1.1, pairs=3, p_value=1)
    alone = {("a", "b"): better}
    assert beaten_pairs(alone, BY_GOODPUT, 1) == {("a", "b")}
    assert beaten_pairs(alone, BY_SERVER_CPU, 1) == {("b", "a")}
    assert beaten_pairs(alone, BY_GOODPUT, 1.2) == set()
    assert beaten_pairs(alone | {("a", "c"): alike}, BY_GOODPUT, 1) == set()
