"""The lists that decide what a check runs and forgives name tests that are there, and are short."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator

from tests.choosing import PARTS
from tests.tidy.tree import Tree, expect_none
from tools.run_failed_again import Unsteady, listed, unlisted

UNSTEADY_MAX = 5


def named(tree: Tree, tests: Iterable[str]) -> Iterator[str]:
    """A finding for each name that is neither a file nor a function of a file."""
    for test in tests:
        path, _, function = test.partition("::")
        source = tree.find(path)
        if source is None or (function and f"def {function.partition('[')[0]}(" not in source.text):
            yield f"there is no test {test}"


def forgiven_too_much(unsteady: list[Unsteady]) -> Iterator[str]:
    """What is wrong with a list of unsteady tests."""
    if len(unsteady) > UNSTEADY_MAX:
        yield f"tests/unsteady.toml lists {len(unsteady)} tests, more than {UNSTEADY_MAX}: mend one"
    for one in unsteady:
        if not (one.reason and one.tried):
            yield f"{one.id} has no reason, or nothing has been tried"
        if datetime.date.fromisoformat(one.date) > datetime.datetime.now(datetime.UTC).date():
            yield f"{one.id} was listed on a day that is to come"


def test_the_parts_name_tests(tree: Tree) -> None:
    expect_none(named(tree, [*PARTS.every_engine, *(left.tests for left in PARTS.check_all)]))


def test_what_only_check_all_runs_has_a_reason() -> None:
    expect_none(left.tests for left in PARTS.check_all if not left.reason)


def test_few_tests_are_forgiven_and_each_has_a_reason(tree: Tree) -> None:
    expect_none(named(tree, [one.id for one in listed()]))
    expect_none(forgiven_too_much(listed()))


def test_a_name_of_no_test_is_found() -> None:
    tree = Tree.of({"tests/test_a.py": "def test_that() -> None:\n"})
    wrong = ["tests/test_b.py", "tests/test_a.py::test_this"]
    right = ["tests/test_a.py", "tests/test_a.py::test_that[1]"]
    assert len(list(named(tree, wrong))) == len(wrong)
    assert list(named(tree, right)) == []


def test_a_list_that_is_long_or_gives_no_reason_is_found() -> None:
    one = Unsteady(id="tests/test_a.py::test_that", date="2026-11-22", reason="", tried="nothing")
    assert len(list(forgiven_too_much([one]))) == 1
    good = Unsteady(id=one.id, date=one.date, reason="a race of the kernel", tried="waiting")
    assert list(forgiven_too_much([good] * UNSTEADY_MAX)) == []
    assert len(list(forgiven_too_much([good] * (UNSTEADY_MAX + 1)))) == 1


def test_a_test_that_passes_only_the_second_time_fails_the_check_unless_it_is_listed() -> None:
    known = Unsteady(id="a", date="2026-11-22", reason="a race of the kernel", tried="waiting")
    assert unlisted(["a", "b"], [known]) == ["b"]
    assert unlisted(["a"], [known]) == []
