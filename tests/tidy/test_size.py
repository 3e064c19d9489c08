"""Files, functions and lines that one can take in at a glance."""

from __future__ import annotations

from collections.abc import Iterator

import lizard
import pytest

from tests.tidy.limits import LIMITS, SizeLimits
from tests.tidy.tree import Source, Tree, expect_none

CODE = ["*.cpp", "*.h", "*.py"]


def long_files(tree: Tree, size: SizeLimits) -> Iterator[str]:
    """Files with more lines than the limit."""
    for source in tree.matching(["*"]):
        exempt = source.path in size.files_exempt
        if not exempt and (lines := len(source.lines)) > size.file_lines_max:
            yield source.at(lines, f"{lines} lines are more than {size.file_lines_max}")


def long_lines(tree: Tree, size: SizeLimits) -> Iterator[str]:
    """Lines with more characters than the limit; a row of a Markdown table cannot be broken."""
    for source in tree.matching(["*"]):
        if source.path in size.files_exempt:
            continue
        is_markdown = source.path.endswith(".md")
        for number, line in enumerate(source.lines, 1):
            breakable = not (is_markdown and line.lstrip().startswith("|"))
            if breakable and len(line) > size.line_characters_max:
                yield source.at(
                    number, f"{len(line)} characters are more than {size.line_characters_max}"
                )


def long_functions(tree: Tree, size: SizeLimits) -> Iterator[str]:
    """Functions with more lines than the limit, from their first to their last."""
    for source in tree.matching(CODE):
        for function in lizard.analyze_file.analyze_source_code(
            source.path, source.text
        ).function_list:
            lines = function.end_line - function.start_line + 1
            if lines > size.function_lines_max:
                yield source.at(
                    function.start_line,
                    f"{function.name} has {lines} lines, more than {size.function_lines_max}",
                )


def test_no_file_is_too_long(tree: Tree) -> None:
    expect_none(long_files(tree, LIMITS.size))


def test_no_line_is_too_long(tree: Tree) -> None:
    expect_none(long_lines(tree, LIMITS.size))


def test_no_function_is_too_long(tree: Tree) -> None:
    expect_none(long_functions(tree, LIMITS.size))


def test_a_long_file_is_found() -> None:
    limit = LIMITS.size.file_lines_max
    assert list(long_files(Tree.of({"a.py": "x\n" * limit}), LIMITS.size)) == []
    assert len(list(long_files(Tree.of({"a.py": "x\n" * (limit + 1)}), LIMITS.size))) == 1


def test_a_long_line_is_counted_in_characters_not_in_bytes() -> None:
    limit = LIMITS.size.line_characters_max
    assert list(long_lines(Tree.of({"a.md": "µ" * limit}), LIMITS.size)) == []
    assert len(list(long_lines(Tree.of({"a.md": "µ" * (limit + 1)}), LIMITS.size))) == 1
    assert list(long_lines(Tree.of({"a.md": "| " + "µ" * limit}), LIMITS.size)) == []


BODY = "  step();\n" * LIMITS.size.function_lines_max
CPP = {
    "a free function": f"int f(int a) {{\n{BODY}  return a;\n}}\n",
    "a constrained template": (
        "template <class T>\n  requires std::integral<T>\n"
        f"auto f(T a) -> std::vector<T> {{\n{BODY}  return {{a}};\n}}\n"
    ),
    "a method in its class": f"class A {{\n void f() const noexcept {{\n{BODY}  }}\n}};\n",
    "a method out of its class": f"Json A::f(const B& b) const {{\n{BODY}}}\n",
    "a constructor with initialisers": (
        f"A::A(const B& b, C& c) :\n    b_(b), c_{{c}}, d_([] {{ return 1; }}) {{\n{BODY}}}\n"
    ),
    "a conversion operator": f"struct A {{\n explicit operator bool() const {{\n{BODY} }}\n}};\n",
    "a function of nested lambdas": f"void f() {{\n  g([&](int i) {{\n{BODY}  }});\n}}\n",
    "a function after a digit separator": f"int x = 20'221'862;\nvoid f() {{\n{BODY}}}\n",
    "a coroutine": f"Task<int> f(Loop& loop) {{\n  co_await loop;\n{BODY}}}\n",
}


@pytest.mark.parametrize("text", CPP.values(), ids=CPP.keys())
def test_a_long_function_of_cpp_is_found(text: str) -> None:
    assert len(list(long_functions(Tree.of({"a.cpp": text}), LIMITS.size))) == 1


def test_a_long_function_of_python_is_found() -> None:
    text = "def f() -> None:\n" + "    step()\n" * LIMITS.size.function_lines_max
    assert len(list(long_functions(Tree.of({"a.py": text}), LIMITS.size))) == 1


def test_functions_of_the_limit_are_left_alone() -> None:
    text = "void f() {\n" + "  step();\n" * (LIMITS.size.function_lines_max - 2) + "}\n"
    tree = Tree((Source("a.cpp", text * 3),))
    assert list(long_functions(tree, LIMITS.size)) == []
