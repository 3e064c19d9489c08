"""No circle: a file that needs another one is not needed by it, over however many corners."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter

from tests.tidy.tree import Tree

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)

# What each needs, by name. A header and its source are one: what either includes, both need.
Needs = dict[str, set[str]]


def stem(path: str) -> str:
    """A path without what follows the dot."""
    return path.rsplit(".", 1)[0]


def includes(tree: Tree) -> Needs:
    """The C++ files, and what they include of each other."""
    needs: Needs = {}
    for source in tree.matching(["*.h", "*.cpp"]):
        own = stem(source.path)
        needs.setdefault(own, set()).update(map(stem, INCLUDE.findall(source.text)))
        needs[own].discard(own)
    return needs


def imports(tree: Tree) -> Needs:
    """The modules of the laboratory, and what they import of each other."""
    paths = {source.path for source in tree.matching(["serverlab/*.py"])}
    return {
        stem(path): {stem(needed) for needed in imported(tree, path) if needed in paths}
        for path in paths
    }


def imported(tree: Tree, path: str) -> Iterator[str]:
    """The paths that a module's imports could mean, whether they are there or not."""
    source = tree.find(path)
    for node in ast.walk(ast.parse(source.text if source else "")):
        if isinstance(node, ast.ImportFrom) and node.module:
            module = node.module.replace(".", "/")
            yield f"{module}.py"
            yield from (f"{module}/{name.name}.py" for name in node.names)


def circle(needs: Needs) -> list[str]:
    """The files of a circle, one after the other; none if there is no circle."""
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        files: list[str] = error.args[1]
        return files
    return []


def test_no_include_leads_back(tree: Tree) -> None:
    assert circle(includes(tree)) == []


def test_no_import_leads_back(tree: Tree) -> None:
    assert circle(imports(tree)) == []


def test_a_circle_of_a_header_and_another_file_is_found() -> None:
    tree = Tree.of(
        {
            "a/x.h": "",
            "a/x.cpp": '#include "a/x.h"\n#include "b/y.h"\n',
            "b/y.h": '#include "a/x.h"',
        }
    )
    assert set(circle(includes(tree))) == {"a/x", "b/y"}


def test_a_circle_of_imports_within_functions_is_found() -> None:
    tree = Tree.of(
        {
            "serverlab/x.py": "from serverlab import y\n",
            "serverlab/y.py": "def f():\n    from serverlab.x import g\n",
            "serverlab/z.py": "import numpy\nfrom serverlab import x, y\n",
        }
    )
    assert set(circle(imports(tree))) == {"serverlab/x", "serverlab/y"}
