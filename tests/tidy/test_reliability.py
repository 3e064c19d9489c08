"""Each row of docs/reliability.md has a command, and what that names is there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.tidy.tree import Source, Tree, expect_none

DOCUMENT = "docs/reliability.md"
COMMAND = re.compile(r"`(?:[A-Z_]+=\w+ )?(?:\.venv/bin/pytest|make) [^`]+`")
TEST = re.compile(r"tests/[\w/]+\.py")
CHOICE = re.compile(r"-k (\w+)")
TARGET = re.compile(r"`make ([\w-]+)")


def rows(source: Source) -> Iterator[tuple[int, str]]:
    """The rows of its tables, without their heads."""
    for number, line in enumerate(source.lines, 1):
        if line.startswith("| ") and not line.startswith("| fault"):
            yield number, line


def wrong_commands(tree: Tree, document: str = DOCUMENT) -> Iterator[str]:
    """Rows without a command, and commands that name what is not there."""
    source = tree.find(document)
    makefile = tree.find("Makefile")
    assert source is not None
    assert makefile is not None
    for number, line in rows(source):
        command = COMMAND.search(line)
        if command is None:
            yield source.at(number, "a row ends with the command that shows it")
            continue
        target = TARGET.match(command[0])
        if target and f"\n{target[1]}:" not in makefile.text:
            yield source.at(number, f"make has no {target[1]}")
        for path in TEST.findall(command[0]):
            test = tree.find(path)
            choice = CHOICE.search(command[0])
            if test is None:
                yield source.at(number, f"{path} is not there")
            elif choice and choice[1] not in test.text:
                yield source.at(number, f"{path} has no {choice[1]}")


def test_each_row_has_a_command_that_works(tree: Tree) -> None:
    expect_none(wrong_commands(tree))


def test_a_row_whose_command_names_nothing_is_found() -> None:
    table = "| fault | shown by |\n|---|---|\n"
    wrong = [
        "| a | - |",
        "| b | `make nothing` |",
        "| c | `.venv/bin/pytest tests/test_gone.py` |",
        "| d | `.venv/bin/pytest tests/test_a.py -k gone` |",
    ]
    right = ["| e | `make fuzz` |", "| f | `.venv/bin/pytest tests/test_a.py -k that` |"]
    tree = Tree.of(
        {
            "d.md": table + "\n".join([*wrong, *right]),
            "Makefile": "help:\nfuzz: build\n",
            "tests/test_a.py": "def test_that() -> None:\n",
        }
    )
    assert len(list(wrong_commands(tree, "d.md"))) == len(wrong)
