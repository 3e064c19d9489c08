"""Words that no line says and no file is named by: each has a better one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatch

import pytest

from tests.tidy.limits import LIMITS, Banned
from tests.tidy.tree import Tree, expect_none

# The list of what is banned says it all.
LIST = "tests/tidy/limits.toml"


def banned_words(tree: Tree, rows: Iterable[Banned]) -> Iterator[str]:
    """Lines that say what a row bans for their file."""
    for row in rows:
        pattern = re.compile(row.pattern)
        for source in tree.matching(row.files):
            if source.path == LIST or any(fnmatch(source.path, one) for one in row.excepted):
                continue
            for number, line in enumerate(source.lines, 1):
                if found := pattern.search(line):
                    yield source.at(number, f"'{found[0].strip()}': instead {row.instead}")


def banned_names(tree: Tree, banned: Iterable[str]) -> Iterator[str]:
    """Files whose path has a word that says nothing."""
    for source in tree.sources:
        words = set(re.split(r"[/_.-]", source.path.lower()))
        if found := words & set(banned):
            yield source.at(1, f"'{min(found)}' in its name: say what it is about")


def test_no_line_says_a_banned_word(tree: Tree) -> None:
    expect_none(banned_words(tree, LIMITS.banned))


def test_no_file_has_a_name_that_says_nothing(tree: Tree) -> None:
    expect_none(banned_names(tree, LIMITS.names.banned))


@pytest.mark.parametrize("row", LIMITS.banned, ids=lambda row: row.bad)
def test_each_banned_word_is_found_where_its_row_says(row: Banned) -> None:
    for pattern in row.files:
        path = pattern.replace("*", "some.cpp" if pattern in {"*", "tests/*"} else "some")
        assert len(list(banned_words(Tree.of({path: row.bad}), [row]))) == 1


@pytest.mark.parametrize(
    "line",
    [
        'fmt::print(stderr, "{}", 1);',
        "poller.close(fd);",
        "void Worker::close(Peer& peer) {",
        "// A receive may return less; the rest comes later.",
        "x = 1;  // NOLINT(bugprone-foo): a reason",
        "// see https://example.org/home/page and runs/work/x",
        "#include <cstdio>",
        "using Clock = std::chrono::steady_clock;",
    ],
)
def test_ordinary_lines_are_left_alone(line: str) -> None:
    assert list(banned_words(Tree.of({"tests/some.cpp": line}), LIMITS.banned)) == []


def test_an_exception_holds_for_its_file_alone() -> None:
    tree = Tree.of({"base/owned_fd.h": "::close(fd);", "base/other.h": "::close(fd);"})
    assert [finding.split(":")[0] for finding in banned_words(tree, LIMITS.banned)] == [
        "base/other.h"
    ]


def test_every_exception_is_a_file_that_needs_it(tree: Tree) -> None:
    for row in LIMITS.banned:
        for path in row.excepted:
            source = tree.find(path)
            assert source is not None
            assert re.search(row.pattern, source.text)


@pytest.mark.parametrize("path", ["base/utils.h", "net/socket_helper.cpp", "common/bytes.h"])
def test_a_name_that_says_nothing_is_found(path: str) -> None:
    assert len(list(banned_names(Tree.of({path: ""}), LIMITS.names.banned))) == 1


def test_a_name_that_holds_such_a_word_as_a_part_is_left_alone() -> None:
    assert list(banned_names(Tree.of({"base/utility.h": ""}), LIMITS.names.banned)) == []
