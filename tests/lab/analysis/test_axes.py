"""Which factor becomes x, which make panels, and how levels are called."""

from __future__ import annotations

import pytest

from serverlab.analysis.axes import Axes, axes_of
from serverlab.analysis.subjects import Subjects
from serverlab.levels import number_of
from serverlab.quantities import Level


def axes_of_engines(factors: dict[str, list[Level]]) -> Axes:
    subjects = Subjects(
        between=("engine",), names=(), baseline="poll", twin=None, twin_engine=None, twin_of="poll"
    )
    return axes_of(factors, subjects)


ENGINES: dict[str, list[Level]] = {"engine": ["poll", "threads"]}

CHOICES: dict[str, tuple[dict[str, list[Level]], str | None, list[str]]] = {
    "only engines": ({}, None, [""]),
    "a single level is no axis": ({"connections": [64]}, None, [""]),
    "connections": ({"connections": [1, 64]}, "connections", [""]),
    "sizes": ({"payload": ["64 B", "1 KiB"]}, "payload", [""]),
    "the first numeric one": (
        {"queue": ["fifo", "lifo"], "threads": [1, 2], "connections": [8, 64]},
        "threads",
        [
            "queue fifo, connections 8", "queue fifo, connections 64",
            "queue lifo, connections 8", "queue lifo, connections 64",
        ],
    ),
    "words alone": ({"queue": ["fifo", "lifo"]}, None, ["queue fifo", "queue lifo"]),
    "lists of CPUs, by how many they are": (
        {"cpus": ["0", "0-1", "0,2-4"], "connections": [1, 64]},
        "cpus",
        ["connections 1", "connections 64"],
    ),
    "as many CPUs, but others": ({"cpus": ["0", "1"]}, None, ["cpus 0", "cpus 1"]),
    "no list of CPUs": ({"cpus": ["0", "all"]}, None, ["cpus 0", "cpus all"]),
    "half in numbers": ({"threads": [1, "all"]}, None, ["threads 1", "threads all"]),
    "the same number twice": ({"payload": ["1 KiB", "1024 B"]}, None, [
        "payload 1 KiB", "payload 1024 B",
    ]),
}  # fmt: skip


@pytest.mark.parametrize(("factors", "x", "panels"), CHOICES.values(), ids=CHOICES.keys())
def test_the_first_numeric_factor_is_x_and_the_others_make_panels(
    factors: dict[str, list[Level]], x: str | None, panels: list[str]
) -> None:
    axes = axes_of_engines(ENGINES | factors)
    assert axes.factor == x
    assert [panel.label for panel in axes.panels] == panels


@pytest.mark.parametrize(
    ("level", "number"),
    [
        (64, 64.0),
        (0.5, 0.5),
        ("64", 64.0),
        ("64 B", 64.0),
        ("1.5KiB", 1536.0),
        ("250us", 0.00025),
        ("fifo", None),
        ("64 apples", None),
        ("on 1", None),
    ],
)
def test_a_level_is_a_number_if_it_has_a_known_unit_or_none(
    level: str | float, number: float | None
) -> None:
    assert number_of(level, "payload") == (None if number is None else pytest.approx(number))


def test_levels_lie_in_the_order_of_their_size_not_of_the_file() -> None:
    axes = axes_of_engines({**ENGINES, "payload": ["1 KiB", "64 B", "16 KiB"]})
    assert axes.levels == ("64 B", "1 KiB", "16 KiB")
    assert axes.positions() == [64, 1024, 16384]


def test_cpus_are_counted_on_the_axis_and_in_words() -> None:
    axes = axes_of_engines({**ENGINES, "cpus": ["0-3", "0", "0-1"]})
    assert axes.levels == ("0", "0-1", "0-3")
    assert axes.positions() == [1, 2, 4]
    assert (axes.title, axes.text("0-3")) == ("CPUs", "4")
    assert axes.at("0") == "at 1 CPU"
    assert axes.at("0", "0-1") == "at 1 and 2 CPUs"


@pytest.mark.parametrize(
    ("factor", "levels", "words"),
    [
        ("connections", (1,), "at 1 connection"),
        ("connections", (64,), "at 64 connections"),
        ("connections", (1, 64, 10_000), "at 1, 64 and 10\u202f000 connections"),
        ("threads", (1,), "at 1 thread"),
        ("depth", (16,), "at depth 16"),
    ],
)
def test_a_level_is_put_into_words(factor: str, levels: tuple[int, ...], words: str) -> None:
    assert axes_of_engines({**ENGINES, factor: [1, 16, 64]}).at(*levels) == words


def test_without_an_x_factor_there_is_no_level_to_name() -> None:
    assert axes_of_engines(ENGINES).at(None) == ""
