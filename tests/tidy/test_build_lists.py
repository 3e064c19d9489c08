"""Nothing is left out of the build: every source is on CMake's lists, and is there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from tests.tidy.tree import Source, Tree, expect_none

BUILT = ["base", "net", "services", "engines", "load", "probe", "programs", "fuzz", "tests"]


def listed_sources(lists: Source) -> set[str]:
    """The .cpp files that a CMakeLists.txt names, by their path from the root."""
    text = re.sub(r"#.*", "", lists.text)
    folder = PurePosixPath(lists.path).parent
    return {str(folder / name) for name in re.findall(r"[\w./-]+\.cpp\b", text)}


def unlisted_sources(tree: Tree) -> Iterator[str]:
    """Sources that no CMakeLists.txt names."""
    lists = list(tree.matching(["CMakeLists.txt", "*/CMakeLists.txt"]))
    listed = set().union(*(listed_sources(one) for one in lists))
    for source in tree.matching(f"{folder}/*.cpp" for folder in BUILT):
        if source.path not in listed:
            yield source.at(1, "no CMakeLists.txt names it")


def missing_sources(tree: Tree) -> Iterator[str]:
    """Names in a CMakeLists.txt that no file has."""
    for lists in tree.matching(["CMakeLists.txt", "*/CMakeLists.txt"]):
        for path in sorted(listed_sources(lists)):
            if tree.find(path) is None:
                yield lists.at(1, f"{path} is not there")


def test_every_source_is_built(tree: Tree) -> None:
    expect_none(unlisted_sources(tree))


def test_every_source_that_is_built_is_there(tree: Tree) -> None:
    expect_none(missing_sources(tree))


def test_a_source_that_is_not_built_is_found() -> None:
    tree = Tree.of(
        {
            "CMakeLists.txt": "add_library(net net/epoll.cpp)  # net/poll.cpp\n",
            "net/epoll.cpp": "",
            "net/poll.cpp": "",
            "tests/CMakeLists.txt": "add_executable(t net/epoll_test.cpp)\n",
            "tests/net/epoll_test.cpp": "",
            "tests/net/poll_test.cpp": "",
        }
    )
    assert list(unlisted_sources(tree)) == [
        "net/poll.cpp:1: no CMakeLists.txt names it",
        "tests/net/poll_test.cpp:1: no CMakeLists.txt names it",
    ]


def test_a_listed_source_that_is_gone_is_found() -> None:
    tree = Tree.of({"CMakeLists.txt": "add_library(net net/gone.cpp)\n"})
    assert list(missing_sources(tree)) == ["CMakeLists.txt:1: net/gone.cpp is not there"]
