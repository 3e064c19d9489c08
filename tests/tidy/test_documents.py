"""Every document has one title, is found by links, and links to what is there."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

import pytest

from tests.tidy.markdown import Markdown
from tests.tidy.tree import ROOT, Tree, expect_none

ENTRANCES = ["README.md", "ARCHITECTURE.md"]


def wrong_titles(tree: Tree) -> Iterator[str]:
    """Documents that do not begin with a title, or have a second one."""
    for source in tree.matching(["*.md"]):
        titles = [line for level, line, _ in Markdown.parse(source.text).headings() if level == 1]
        if titles != [1]:
            yield source.at(1, "a document begins with a title, `# …`, and has no other")


def local_links(tree: Tree) -> Iterator[tuple[str, int, str, str]]:
    """The links between files: of which file, in which line, to which path, to which anchor."""
    for source in tree.matching(["*.md"]):
        for line, target in Markdown.parse(source.text).links():
            if "://" in target or target.startswith("mailto:"):
                continue
            path, _, anchor = target.partition("#")
            folder = posixpath.dirname(source.path)
            linked = posixpath.normpath(posixpath.join(folder, path)) if path else source.path
            yield source.path, line, linked, anchor


def broken_links(tree: Tree, others: set[str]) -> Iterator[str]:
    """Links to a file that is not there, or to a heading that a document has not.

    `others` are the paths that exist besides the texts: folders and images.
    """
    for path, line, linked, anchor in local_links(tree):
        target = tree.find(linked)
        if target is None and linked not in others:
            yield f"{path}:{line}: {linked} is not there"
        elif anchor and target and anchor not in Markdown.parse(target.text).anchors():
            yield f"{path}:{line}: {linked} has no heading #{anchor}"


def unreachable(tree: Tree) -> Iterator[str]:
    """Documents that no chain of links from the entrances leads to."""
    links = list(local_links(tree))
    reached: set[str] = set()
    to_visit = set(ENTRANCES)
    while to_visit:
        reached |= to_visit
        to_visit = {linked for path, _, linked, _ in links if path in to_visit} - reached
    for source in tree.matching(["docs/*.md"]):
        if source.path not in reached:
            yield source.at(1, f"no link from {' or '.join(ENTRANCES)} leads here")


def test_every_document_has_one_title(tree: Tree) -> None:
    expect_none(wrong_titles(tree))


def test_every_link_leads_somewhere(tree: Tree) -> None:
    others = {linked for _, _, linked, _ in local_links(tree) if (ROOT / linked).exists()}
    expect_none(broken_links(tree, others))


def test_every_document_is_reached_from_the_entrances(tree: Tree) -> None:
    expect_none(unreachable(tree))


@pytest.mark.parametrize("text", ["", "text\n", "text\n\n# Late\n", "# One\n\n# Two\n", "## Low\n"])
def test_a_document_without_its_one_title_is_found(text: str) -> None:
    assert len(list(wrong_titles(Tree.of({"a.md": text})))) == 1


def test_a_title_and_a_comment_in_a_code_block_are_left_alone() -> None:
    assert list(wrong_titles(Tree.of({"a.md": "# One\n\n```sh\n# not a title\n```\n"}))) == []


@pytest.mark.parametrize("link", ["[b](gone.md)", "[b](../a.md)", "![b](b.png)", "[b](#gone)"])
def test_a_link_that_leads_nowhere_is_found(link: str) -> None:
    assert len(list(broken_links(Tree.of({"docs/a.md": f"# A\n\n{link}\n"}), set()))) == 1


def test_links_that_lead_somewhere_are_left_alone() -> None:
    text = "# An `a`, b\n\n[1](../docs/b.md#b-c) [2](https://x.org/y) [3](#an-a-b) [4](images)\n"
    tree = Tree.of({"docs/a.md": text, "docs/b.md": "# B c\n"})
    assert list(broken_links(tree, {"docs/images"})) == []


def test_a_document_that_no_link_leads_to_is_found() -> None:
    tree = Tree.of(
        {
            "README.md": "[a](docs/a.md)",
            "docs/a.md": "[b](b.md)",
            "docs/b.md": "",
            "docs/c.md": "[c](c.md)",
        }
    )
    assert [finding.split(":")[0] for finding in unreachable(tree)] == ["docs/c.md"]
