"""The rule that chooses what `make check` runs keeps what it promises."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest

from tests.choosing import Case, Left, Parts, chosen

ENGINES = ["threads", "poll", "epoll", "uring", "fibers"]
SERVICES = ["echo", "forum", "http"]
NOTHING = Parts(every_engine=[], check_all=[])


def cases_of(file: str, functions: int, service: str, kinds: int = 1) -> list[Case]:
    """Tests of a file, each with every engine and so many other parameters."""
    return [
        Case(file=file, function=f"test_{number}", engine=engine, service=service, others=str(kind))
        for number, engine, kind in product(range(functions), ENGINES, range(kinds))
    ]


SUITE = [
    *cases_of("test_echo.py", 3, "echo", kinds=4),
    *cases_of("test_forum.py", 9, "forum"),
    *cases_of("test_http.py", 2, "http"),
    *(Case(file="test_load.py", function="test_load", others=str(kind)) for kind in range(7)),
]


def kept(engines_each: int = 1, parts: Parts = NOTHING) -> list[Case]:
    """What is chosen of the suite."""
    is_chosen = chosen(SUITE, engines_each, parts)
    return [case for case, is_kept in zip(SUITE, is_chosen, strict=True) if is_kept]


@pytest.mark.parametrize("engines_each", [1, 2])
def test_every_engine_meets_every_service(engines_each: int) -> None:
    met = {(case.engine, case.service) for case in kept(engines_each) if case.engine}
    assert met == set(product(ENGINES, SERVICES))


@pytest.mark.parametrize("engines_each", [1, 3])
def test_every_function_runs_with_each_of_its_other_parameters(engines_each: int) -> None:
    runs = Counter((case.file, case.function, case.others) for case in kept(engines_each))
    assert runs.keys() == {(case.file, case.function, case.others) for case in SUITE}
    assert min(runs[test] for test in runs if test[0] != "test_load.py") == engines_each


def test_every_engine_is_chosen_about_equally_often() -> None:
    often = Counter(case.engine for case in kept() if case.engine)
    assert max(often.values()) - min(often.values()) <= 2


def test_tests_without_an_engine_are_all_chosen() -> None:
    assert [case for case in kept() if not case.engine] == SUITE[-7:]


@pytest.mark.parametrize("name", ["test_http.py", "test_http.py::test_1"])
def test_what_is_for_every_engine_runs_with_each(name: str) -> None:
    runs = kept(parts=Parts(every_engine=[name], check_all=[]))
    assert {case.engine for case in runs if case.function == "test_1"} >= set(ENGINES)
    assert {case.engine for case in runs if case.is_of([name])} == set(ENGINES)


def test_what_is_left_to_check_all_is_not_chosen() -> None:
    left = [Left("test_load.py", "slow"), Left("test_echo.py::test_0", "slow")]
    runs = kept(parts=Parts(every_engine=["test_echo.py"], check_all=left))
    assert not [case for case in runs if case.is_of(one.tests for one in left)]


def test_the_choice_is_the_same_each_time() -> None:
    assert kept() == kept()
