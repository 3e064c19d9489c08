"""docs/engines.md is for looking things up: each engine's entry has the same five fields."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.tidy.programs import listed
from tests.tidy.tree import Tree, expect_none

DOCUMENT = "docs/engines.md"
FIELDS = [
    "How it waits",
    "What a request costs",
    "When to choose it",
    "Classic mistakes",
    "Reference",
]


def entries(text: str) -> Iterator[tuple[str, str]]:
    """The name and the text of each section."""
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        name, _, body = section.partition("\n")
        yield name, body


def wrong_entries(tree: Tree, engines: list[str]) -> Iterator[str]:
    """Entries of engines that lack a field, or have the fields in another order."""
    source = tree.find(DOCUMENT)
    for name, body in entries(source.text if source else ""):
        fields = re.findall(r"^- \*\*(.+?)\*\*: \S", body, flags=re.MULTILINE)
        if name in engines and fields != FIELDS:
            yield f"{DOCUMENT}:1: the entry of {name} has other fields than {', '.join(FIELDS)}"


def test_every_engine_has_the_same_five_fields(tree: Tree) -> None:
    expect_none(wrong_entries(tree, [row["name"] for row in listed("serverlab-server")["engines"]]))


def test_an_entry_that_lacks_a_field_is_found() -> None:
    whole = "\n".join(f"- **{field}**: text" for field in FIELDS)
    lacking = whole.replace("- **Reference**: text", "- **Reference**:")
    tree = Tree.of({DOCUMENT: f"# Engines\n\n## poll\n\n{whole}\n\n## select\n\n{lacking}\n"})
    assert len(list(wrong_entries(tree, ["poll", "select"]))) == 1


def test_sections_that_are_no_engine_are_left_alone() -> None:
    assert list(wrong_entries(Tree.of({DOCUMENT: "# Engines\n\n## In common\n"}), ["poll"])) == []
