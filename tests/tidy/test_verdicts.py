"""Verdicts, error classes and bounds of the generator: Python has the same, once."""

from __future__ import annotations

import re
from collections.abc import Iterator

from serverlab.stats import little
from serverlab.verdicts import OF_THE_LABORATORY, WRONG, ErrorClass, VerdictName
from tests.tidy.programs import listed
from tests.tidy.tree import Tree, expect_none

HOME = "serverlab/verdicts.py"
NAMES = {*VerdictName, *ErrorClass}
STRING = re.compile(r'"([A-Za-z_-]+)"')


def bare_names(tree: Tree) -> Iterator[str]:
    """Strings outside the module that are the name of a verdict or of an error class."""
    for source in tree.matching(["serverlab/*.py", "bench/*.py"]):
        if source.path == HOME:
            continue
        for number, line in enumerate(source.lines, start=1):
            for name in NAMES.intersection(STRING.findall(line)):
                yield source.at(number, f'"{name}" has a name in {HOME}')


def test_no_other_module_writes_the_names_of_verdicts(tree: Tree) -> None:
    expect_none(bare_names(tree))


def test_the_laboratory_knows_the_verdicts_of_the_generator() -> None:
    rows = listed("serverlab-load")["verdicts"]
    assert {row["name"] for row in rows} == set(VerdictName) - OF_THE_LABORATORY
    wrong = {row["name"] for row in rows if row["severity"] == "wrong"}
    assert wrong == WRONG - OF_THE_LABORATORY


def test_the_laboratory_knows_the_error_classes_of_the_generator() -> None:
    names = [row["name"] for row in listed("serverlab-load")["errors"]]
    assert names
    assert set(names) == set(ErrorClass)


def test_the_law_of_little_has_one_tolerance() -> None:
    """A report is made without the programs, so it cannot ask for it."""
    bounds = {row["name"]: row["value"] for row in listed("serverlab-load")["bounds"]}
    assert bounds["law_tolerance"] == little.TOLERANCE


def test_a_bare_name_is_found() -> None:
    text = 'a = "VALID"\nb = "VALID figures"\nc = {"read_reset": 1}\n'
    tree = Tree.of({HOME: text, "serverlab/x.py": text})
    assert [finding.split(": ")[0] for finding in bare_names(tree)] == [
        "serverlab/x.py:1",
        "serverlab/x.py:3",
    ]
