"""What crosses a border between modules of the laboratory has a type: no dictionary of anything.

What is on disk has its types in serverlab/records.py.

A name crosses a border if another module imports it: a function with its parameters and its result,
a class with its fields and methods.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tests.tidy.tree import Source, Tree, expect_none

ANYTHING = r"(?:dict|Mapping)\[str, (?:Any|object)\]"
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.AnnAssign


def aliases(trees: dict[str, ast.Module]) -> set[str]:
    """Other names that modules give to a dictionary of anything: Record, Event."""
    return {
        target.id
        for tree in trees.values()
        for node in tree.body
        if isinstance(node, ast.Assign) and re.fullmatch(ANYTHING, ast.unparse(node.value))
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def borrowed(module: str, tree: ast.Module) -> Iterator[tuple[str, str]]:
    """The names that a module uses of others, each with its module."""
    modules = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            for name in node.names:
                modules[name.asname or name.name] = f"{node.module}.{name.name}"
                yield node.module, name.name
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owner = modules.get(node.value.id)
            if owner is not None and owner != module:
                yield owner, node.attr


def annotated(node: ast.AST) -> Iterator[ast.expr]:
    """Of the parameters and results, and of the fields of a class."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        arguments = node.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        yield from (one.annotation for one in every if one.annotation is not None)
        if node.returns is not None:
            yield node.returns
    elif isinstance(node, ast.AnnAssign):
        yield node.annotation
    elif isinstance(node, ast.ClassDef):
        for part in node.body:
            yield from annotated(part)


def module_of(source: Source) -> str:
    """The name by which a file is imported."""
    return source.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def untyped(tree: Tree) -> list[str]:
    """The annotations that let a dictionary of anything cross a border."""
    sources = {module_of(one): one for one in tree.matching(["serverlab/*.py"])}
    trees = {module: ast.parse(one.text) for module, one in sources.items()}
    anything = re.compile("|".join([ANYTHING, *(rf"\b{name}\b" for name in aliases(trees))]))
    used = {name for module, parsed in trees.items() for name in borrowed(module, parsed)}
    return [
        sources[module].at(annotation.lineno, ast.unparse(annotation))
        for module, parsed in trees.items()
        for node in parsed.body
        if isinstance(node, Definition) and (module, getattr(node, "name", "")) in used
        for annotation in annotated(node)
        if anything.search(ast.unparse(annotation))
    ]


def test_no_untyped_dictionary_crosses_a_border(tree: Tree) -> None:
    expect_none(untyped(tree))


def test_a_dictionary_crosses_where_another_module_imports_it() -> None:
    tree = Tree.of({
        "serverlab/a.py": "Record = dict[str, Any]\ndef f(x: int) -> Record: ...\n"
        "def g() -> dict[str, Any]: ...\nclass K:\n    x: dict[str, Any]\n",
        "serverlab/b.py": "from serverlab import a\nfrom serverlab.a import K\na.f(1)\n",
    })  # fmt: skip
    assert untyped(tree) == ["serverlab/a.py:2: Record", "serverlab/a.py:5: dict[str, Any]"]
