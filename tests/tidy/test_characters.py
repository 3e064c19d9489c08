"""Characters that one sees: no tabs, no blanks at the end of a line, nothing unprintable."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from fnmatch import fnmatch

import pytest

from tests.tidy.tree import Tree, expect_none

# What a Makefile and Go's formatter want; in other texts one sees no difference.
TABS_ALLOWED = ("Makefile", "*.go")


def wrong_characters(tree: Tree) -> Iterator[str]:
    """Lines with characters that one does not see, and files that do not end with one newline."""
    for source in tree.sources:
        for number, line in enumerate(source.lines, 1):
            if line != line.rstrip():
                yield source.at(number, "blanks at the end of the line")
            for character in sorted(set(line)):
                if is_unseen(character) and not (character == "\t" and may_have_tabs(source.path)):
                    yield source.at(number, f"the character U+{ord(character):04X}")
        if source.text and (not source.text.endswith("\n") or source.text.endswith("\n\n")):
            yield source.at(len(source.lines), "the file does not end with one newline")


def may_have_tabs(path: str) -> bool:
    """Whether tabs mean something in it."""
    return any(fnmatch(path, pattern) for pattern in TABS_ALLOWED)


def is_unseen(character: str) -> bool:
    """Whether it controls, formats (a mark of byte order, a joiner), or is a blank but no space."""
    category = unicodedata.category(character)
    return category in {"Cc", "Cf", "Co", "Zl", "Zp"} or character in {"\xa0", "\u202f", "\u2007"}


def test_every_character_is_seen(tree: Tree) -> None:
    expect_none(wrong_characters(tree))


@pytest.mark.parametrize(
    "text",
    ["a \n", "\ta\n", "a\r\n", "a\x07b\n", "a\u200bb\n", "\ufeffa\n", "a\xa0b\n", "a", "a\n\n"],
)
def test_an_unseen_character_is_found(text: str) -> None:
    assert len(list(wrong_characters(Tree.of({"a.md": text})))) >= 1


def test_plain_text_and_the_tabs_of_a_makefile_are_left_alone() -> None:
    tree = Tree.of(
        {"a.md": "µs – “so” ─▶\n\nb\n", "empty.py": "", "Makefile": "a:\n\tb\n", "a.go": "\tb\n"}
    )
    assert list(wrong_characters(tree)) == []
