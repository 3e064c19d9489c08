"""Dependencies flow one way: a folder includes only what its layer may see."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import PurePosixPath

import pytest

from tests.tidy.limits import LIMITS, LayeringLimits
from tests.tidy.tree import Source, Tree, expect_none

INCLUDE = re.compile(r'^\s*#\s*include\s+(?P<bracket>["<])(?P<header>[^">]+)[">]')
STANDARD_HEADER = re.compile(r"[a-z_]+")


def wrong_includes(tree: Tree, layering: LayeringLimits) -> Iterator[str]:
    """Includes of a layered folder's files that its layer does not allow."""
    for source in tree.matching(["*.h", "*.cpp"]):
        folder = layer_of(layering, source.path)
        if folder is None:
            continue
        for number, line in enumerate(source.lines, 1):
            if include := INCLUDE.match(line):
                header = include["header"]
                is_ours = include["bracket"] == '"'
                if is_ours and tree.find(header) is None:
                    yield source.at(number, f'"{header}" is not there: give its path from the root')
                elif not (
                    sees(layering, folder, header)
                    if is_ours
                    else may_include(layering, source.path, header)
                ):
                    yield source.at(number, f"{folder} may not see {header}")


def layer_of(layering: LayeringLimits, path: str) -> str | None:
    """The folder whose row is about a file: the innermost that has one."""
    folders = (str(folder) for folder in PurePosixPath(path).parents)
    return next((folder for folder in folders if folder in layering.sees), None)


def sees(layering: LayeringLimits, folder: str, header: str) -> bool:
    """Whether a folder may include a header of the project."""
    return layer_of(layering, header) == folder or any(
        header == one or (one.endswith("/") and header.startswith(one))
        for one in layering.sees[folder]
    )


def may_include(layering: LayeringLimits, path: str, header: str) -> bool:
    """Whether a file may include a header of the system or of a library."""
    for pattern, folders in layering.headers.items():
        if fnmatch(header, pattern):
            return any(path.startswith(f"{folder}/") for folder in folders)
    return STANDARD_HEADER.fullmatch(header) is not None


def test_no_folder_sees_more_than_its_layer(tree: Tree) -> None:
    expect_none(wrong_includes(tree, LIMITS.layering))


def test_every_layer_has_files(tree: Tree) -> None:
    layers = {layer_of(LIMITS.layering, source.path) for source in tree.matching(["*.h", "*.cpp"])}
    assert set(LIMITS.layering.sees) <= layers


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("services/echo.h", '#include "net/stream.h"'),
        ("engines/models/poll.cpp", '#include "load/peer.h"'),
        ("engines/models/poll.cpp", '#include "services/workload.h"'),
        ("engines/loops/event_loop.h", '#include "engines/models/poll.h"'),
        ("engines/workers/pool.h", '#include "engines/loops/event_loop.h"'),
        ("engines/connections/connection.h", '#include "engines/workers/pool.h"'),
        ("engines/engine.h", '#include "engines/workers/pool.h"'),
        ("load/peer.h", '#include "services/service.h"'),
        ("net/stream.h", '#include "gone.h"'),
        ("services/echo.h", "#include <sys/socket.h>"),
        ("services/echo.h", "# include <thread>"),
        ("load/peer.h", "#include <boost/asio.hpp>"),
        ("services/echo.h", "#include <boost/beast/http.hpp>"),
        ("programs/main.cpp", "#include <absl/strings/str_cat.h>"),
    ],
)
def test_an_include_against_the_layers_is_found(path: str, line: str) -> None:
    headers = [
        "net/stream.h",
        "load/peer.h",
        "services/service.h",
        "services/workload.h",
        "engines/loops/event_loop.h",
        "engines/models/poll.h",
        "engines/workers/pool.h",
    ]
    tree = Tree.of(dict.fromkeys(headers, "") | {path: line})
    assert len(list(wrong_includes(tree, LIMITS.layering))) == 1


def test_includes_along_the_layers_are_left_alone() -> None:
    tree = Tree.of(
        {
            "engines/models/poll.cpp": '#include "services/service.h"\n#include <boost/asio.hpp>\n',
            "engines/loops/event_loop.h": '#include "engines/connections/connection.h"\n',
            "engines/connections/connection.h": '#include "engines/connections/cost.h"\n',
            "engines/connections/cost.h": "",
            "services/service.h": '#include "base/bytes.h"\n#include <span>\n',
            "services/http/session.cpp": "#include <boost/beast/http.hpp>\n",
            "base/bytes.h": "#include <unistd.h>\n",
            "tests/base/bytes_test.cpp": "#include <gtest/gtest.h>\n",
        }
    )
    assert list(wrong_includes(tree, LIMITS.layering)) == []


def test_a_finding_names_its_file_and_line() -> None:
    tree = Tree((Source("net/a.h", '\n#include "load/b.h"\n'), Source("load/b.h", "")))
    assert list(wrong_includes(tree, LIMITS.layering)) == ["net/a.h:2: net may not see load/b.h"]
